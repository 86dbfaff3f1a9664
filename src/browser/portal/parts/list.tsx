import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'
import { t } from '../texts/texts.ts'
import { Block, type BlockProps, type Layout, useNearness } from './block.tsx'
import { Failure } from './panel.tsx'

/** One page of a list, as the API gives it. */
export interface ListPage<Item> {
  items: readonly Item[]
  next: string | null
}

export interface ListProps<Item> {
  label: string
  load(cursor: string | null, signal: AbortSignal): Promise<ListPage<Item>>
  /** The list starts again when it changes. */
  question: string
  /** What is shown is read again when it changes, and the place in the list stays. */
  version?: number
  keyOf: BlockProps<Item>['keyOf']
  draw: BlockProps<Item>['draw']
  layout?: Layout
  empty: ComponentChildren
}

/** Pages that are read again at once after a change; those further down follow as one scrolls. */
const PAGES_AGAIN = 40

/** Placeholders in the shape of what comes. */
const Skeleton = () => (
  <ul class="grid skeleton" aria-hidden="true">
    {Array.from({ length: 12 }, (_, n) => (
      <li key={n}>
        <span class="picture" />
        <span class="bone" />
      </li>
    ))}
  </ul>
)

/** A page that says the same as before stays the same thing, so that nothing of it is drawn again. */
const keepIfSame = <Item,>(before: ListPage<Item> | undefined, page: ListPage<Item>): ListPage<Item> =>
  before && JSON.stringify(before) === JSON.stringify(page) ? before : page

/** A list that loads as one scrolls, and holds only what is near the window. */
export function List<Item>(props: ListProps<Item>) {
  const { label, load, question, version = 0, keyOf, draw, layout = 'grid', empty } = props
  const [pages, setPages] = useState<readonly ListPage<Item>[]>([])
  const [error, setError] = useState<CallError | null>(null)
  const end = useRef<HTMLDivElement>(null)
  const isLoading = useRef(false)
  const loadNext = useRef(() => {})
  /** Does again what has failed. */
  const retry = useRef(() => {})

  /** Whose pages are shown: an answer to another question takes their place only when it is there. */
  const asked = useRef<string | null>(null)

  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const isAgain = asked.current === question
    asked.current = question
    let known: readonly ListPage<Item>[] = isAgain ? pages : []

    /** Reads pages that follow others. @param count how many. */
    async function read(before: readonly ListPage<Item>[], count: number) {
      isLoading.current = true
      retry.current = () => read(before, count)
      setError(null)
      try {
        let found = before
        for (let n = 0; n < count && found.at(-1)?.next !== null; n++) {
          const page = await load(found.at(-1)?.next ?? null, signal)
          found = [...found, keepIfSame(known[found.length], page)]
        }
        if (signal.aborted) return
        known = found
        setPages(known)
      } catch (thrown) {
        if (!signal.aborted) setError(toCallError(thrown))
      } finally {
        if (!signal.aborted) isLoading.current = false
      }
    }

    loadNext.current = () => {
      if (!isLoading.current && known.at(-1)?.next !== null) read(known, 1)
    }
    if (!isAgain) setPages([])
    read([], Math.min(Math.max(known.length, 1), PAGES_AGAIN))
    return () => stop.abort()
  }, [question, version])

  const whenNear = useRef((isNear: boolean) => {
    if (isNear) loadNext.current()
  })
  useNearness(end, whenNear.current, 600)

  const last = pages.at(-1)
  if (pages.length === 1 && last?.items.length === 0) return <>{empty}</>
  return (
    <section class="list" aria-label={label} aria-busy={pages.length === 0 && !error}>
      {pages.length === 0 && !error && <Skeleton />}
      {pages.map((page, n) => (
        <Block key={`${question} ${layout} ${n}`} items={page.items} {...{ keyOf, draw, layout }} />
      ))}
      {error && <Failure error={error} onRetry={() => retry.current()} />}
      <div ref={end}>
        {last?.next && !error && (
          <button type="button" class="plain" onClick={() => loadNext.current()}>
            {t.more}
          </button>
        )}
      </div>
    </section>
  )
}
