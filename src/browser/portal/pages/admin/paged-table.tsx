import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../api/errors.ts'
import type { ListPage } from '../../parts/list.tsx'
import { Failure } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { t as shell } from '../../texts/texts.ts'

interface PagedTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  load(cursor: string | null, signal: AbortSignal): Promise<ListPage<Row>>
  /** The table starts again when it changes; until the answer comes, the rows stay. */
  question: string
  keyOf(row: Row): string
  empty: ComponentChildren
}

interface Shown<Row> {
  rows: readonly Row[]
  next: string | null
}

/** A table that is read page by page. */
export function PagedTable<Row>({ label, columns, load, question, keyOf, empty }: PagedTableProps<Row>) {
  const [shown, setShown] = useState<Shown<Row> | null>(null)
  const [error, setError] = useState<CallError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const stop = useRef(new AbortController())

  async function read(before: Shown<Row>) {
    const { signal } = stop.current
    setBusy(true)
    setError(null)
    try {
      const { items, next } = await load(before.next, signal)
      if (!signal.aborted) setShown({ rows: [...before.rows, ...items], next })
    } catch (thrown) {
      if (!signal.aborted) setError(toCallError(thrown))
    } finally {
      if (!signal.aborted) setBusy(false)
    }
  }

  const start = () => read({ rows: [], next: null })
  useEffect(() => {
    stop.current = new AbortController()
    start()
    return () => stop.current.abort()
  }, [question])

  const isEmpty = shown?.rows.length === 0
  return (
    <div class="paged" aria-busy={isBusy}>
      {!shown && !error && <p class="waiting">{shell.loading}</p>}
      {isEmpty && !isBusy && empty}
      {shown && !isEmpty && <Table {...{ label, columns, keyOf, rows: shown.rows }} />}
      {error && <Failure error={error} onRetry={() => (shown?.next ? read(shown) : start())} />}
      {shown?.next && !error && (
        <button type="button" disabled={isBusy} onClick={() => read(shown)}>
          {shell.more}
        </button>
      )}
    </div>
  )
}
