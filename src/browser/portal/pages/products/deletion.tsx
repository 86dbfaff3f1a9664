import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatNumber } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { byIds } from './bulk-bar.tsx'
import { NONE, type Selection } from './selection.tsx'
import { t } from './texts/texts.ts'

/** How long a deletion waits for second thoughts. The service deletes at once and for good. */
const UNDO_MS = 10_000

/** One list of a filter holds so many values. */
const AT_ONCE = 1_000

/** @throws CallError */
async function deleteAll(ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE)
    await call('DELETE /v1/products', { body: { filters: byIds(ids.slice(from, from + AT_ONCE)) } })
}

/**
 * A deletion that is about to happen. Whoever leaves the page before it is sent keeps the products: of two ways to be surprised,
 * this one loses nothing.
 */
export function PlannedDeletion({
  ids,
  selection,
  onEnd,
}: {
  ids: readonly string[]
  selection: Selection
  onEnd(isDeleted: boolean): void
}) {
  const [state, setState] = useState<'waiting' | 'sending' | CallError>('waiting')

  const undo = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    // The button that was pressed is gone; this one undoes it.
    undo.current?.focus()
    selection.leaving.set(new Set(ids))
    const timer = setTimeout(send, UNDO_MS)
    return () => {
      clearTimeout(timer)
      selection.leaving.set(NONE)
    }
  }, [])

  async function send() {
    setState('sending')
    try {
      await deleteAll(ids)
      onEnd(true)
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  const count = formatNumber(ids.length)
  return (
    <section class="bulk" aria-label={t.planned}>
      <p role="status">{state === 'sending' ? t.deletingNow(count) : t.deletedSoon(count)}</p>
      {state instanceof Error && <Failure error={state} onRetry={send} />}
      <p class="actions">
        <button type="button" ref={undo} disabled={state === 'sending'} onClick={() => onEnd(false)}>
          {t.undo}
        </button>
      </p>
    </section>
  )
}
