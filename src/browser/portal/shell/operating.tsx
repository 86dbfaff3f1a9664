import { useEffect, useState } from 'preact/hooks'
import type { Me } from '#generated/api.ts'
import { type CallError, toCallError } from '../api/errors.ts'
import { formatNumber } from '../language.ts'
import { Failure } from '../parts/panel.tsx'
import { useSignal } from '../signal.ts'
import { t } from '../texts/texts.ts'
import { opening, openStore } from './opening.ts'
import { addressOfTab, go } from './routes.ts'

const MINUTE_MS = 60_000
/** How often the minutes are drawn again. Nothing is asked for. */
const DRAWN_EVERY_MS = 10_000

/** Above every page of a store that the operator has opened: whose page it is, for how long, and the way out. */
export function OperatorBanner({ store }: { store: string }) {
  const current = useSignal(opening)
  const [now, setNow] = useState(Date.now)
  const until = current?.slug === store ? current.until : null
  useEffect(() => {
    if (until === null) return
    const timer = setInterval(() => setNow(Date.now()), DRAWN_EVERY_MS)
    return () => clearInterval(timer)
  }, [until])
  useEffect(() => {
    if (until !== null && now >= until) opening.set(null)
  }, [until, now])
  if (until === null) return null
  const minutes = Math.max(1, Math.ceil((until - now) / MINUTE_MS))

  function leave() {
    go(addressOfTab('stores'))
    opening.set(null)
  }

  return (
    <aside class="operator-bar" aria-label={t.operator}>
      <p>
        <strong>{t.operator}</strong> {t.openFor(formatNumber(minutes))}
      </p>
      <button type="button" onClick={leave}>
        {t.leave}
      </button>
    </aside>
  )
}

/** Instead of the pages of a store that is not the operator's own: opening it is a deed, and stands in its log. */
export function OfferToOpen({ store, isOver }: { store: NonNullable<Me['active_store']>; isOver: boolean }) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')

  async function open() {
    setState('busy')
    try {
      await openStore(store.client_id)
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <main class="lone" id="content">
      <p class="operator-bar">
        <strong>{t.operator}</strong>
      </p>
      <h1 dir="auto">{store.name}</h1>
      <p>{isOver ? t.openingOver : t.notYours}</p>
      <p class="muted">{t.openingHint}</p>
      {state instanceof Error && <Failure error={state} />}
      <p class="actions">
        <button type="button" class="primary" disabled={state === 'busy'} onClick={open}>
          {t.openStore}
        </button>
        <a href={addressOfTab('stores')}>{t.toOperatorPages}</a>
      </p>
    </main>
  )
}
