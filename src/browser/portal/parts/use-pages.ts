import { useEffect, useRef, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'
import type { ListPage } from './list.tsx'

/** The pages of a list that have been read. */
export interface Pages<Item> {
  items: readonly Item[]
  isLoading: boolean
  error: CallError | null
  hasMore: boolean
  /** Reads the next page, or again the one that failed. */
  more(): void
  /** Reads the list from its beginning. What is shown stays until the first page is there. */
  reload(): void
}

/** Reads a list page by page, each when somebody asks for it. The list starts again when a dependency changes. */
export function usePages<Item>(
  load: (cursor: string | null, signal: AbortSignal) => Promise<ListPage<Item>>,
  dependencies: readonly unknown[],
): Pages<Item> {
  const [pages, setPages] = useState<readonly ListPage<Item>[]>([])
  const [isLoading, setLoading] = useState(true)
  const [error, setError] = useState<CallError | null>(null)
  const [round, setRound] = useState(0)
  const stop = useRef(new AbortController())

  function read(before: readonly ListPage<Item>[]) {
    const { signal } = stop.current
    setLoading(true)
    setError(null)
    load(before.at(-1)?.next ?? null, signal)
      .then(
        (page) => !signal.aborted && setPages([...before, page]),
        (thrown) => !signal.aborted && setError(toCallError(thrown)),
      )
      .finally(() => !signal.aborted && setLoading(false))
  }

  useEffect(() => {
    stop.current = new AbortController()
    read([])
    return () => stop.current.abort()
  }, [...dependencies, round])

  return {
    items: pages.flatMap(({ items }) => items),
    ...{ isLoading, error },
    hasMore: (pages.at(-1)?.next ?? null) !== null,
    more: () => read(pages),
    reload: () => setRound((n) => n + 1),
  }
}
