import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'
import { t } from '../texts/texts.ts'
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
  keyOf(item: Item): string
  draw(item: Item): ComponentChildren
  empty: ComponentChildren
}

/** Blocks further away than this many pixels leave the document; an empty box keeps their place. */
const KEPT_PX = 900

/** Calls back when an element comes near the window or goes away from it. */
function useNearness(element: RefObject<HTMLElement>, onChange: (isNear: boolean) => void, margin: number) {
  useEffect(() => {
    const watched = element.current
    if (!watched) return
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1)
        if (last) onChange(last.isIntersecting)
      },
      { rootMargin: `${margin}px 0px` },
    )
    observer.observe(watched)
    return () => observer.disconnect()
  }, [onChange, margin])
}

/** One page of the list. Far from the window it is an empty box of the height that it had. */
function Block<Item>({
  items,
  keyOf,
  draw,
}: Pick<ListProps<Item>, 'keyOf' | 'draw'> & { items: readonly Item[] }) {
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState<number | null>(null)
  const follow = useRef((isNear: boolean) => {
    setHeight(isNear ? null : (box.current?.offsetHeight ?? null))
  })
  useNearness(box, follow.current, KEPT_PX)
  const isKept = height === null
  // The cards of a page never change: another page below must not cost a comparison of all that are there.
  const cards = useMemo(
    () =>
      isKept && (
        <ul class="grid">
          {items.map((item) => (
            <li key={keyOf(item)}>{draw(item)}</li>
          ))}
        </ul>
      ),
    [items, isKept],
  )
  return (
    <div ref={box} style={isKept ? undefined : { height: `${height}px` }}>
      {cards}
    </div>
  )
}

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

/** A list that loads as one scrolls, and holds only what is near the window. */
export function List<Item>({ label, load, question, keyOf, draw, empty }: ListProps<Item>) {
  const [pages, setPages] = useState<readonly ListPage<Item>[]>([])
  const [error, setError] = useState<CallError | null>(null)
  const [round, setRound] = useState(0)
  const end = useRef<HTMLDivElement>(null)
  const isLoading = useRef(false)
  const loadNext = useRef(() => {})

  useEffect(() => {
    const stop = new AbortController()
    let next: string | null | undefined
    let known: readonly ListPage<Item>[] = []
    isLoading.current = false
    loadNext.current = () => {
      if (isLoading.current || next === null) return
      isLoading.current = true
      setError(null)
      load(next ?? null, stop.signal)
        .then(
          (page) => {
            if (stop.signal.aborted) return
            next = page.next
            known = [...known, page]
            setPages(known)
          },
          (thrown) => !stop.signal.aborted && setError(toCallError(thrown)),
        )
        .finally(() => {
          if (!stop.signal.aborted) isLoading.current = false
        })
    }
    setPages([])
    setError(null)
    loadNext.current()
    return () => stop.abort()
  }, [question, round])

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
        <Block key={`${question} ${round} ${n}`} items={page.items} keyOf={keyOf} draw={draw} />
      ))}
      {error && (
        <Failure
          error={error}
          onRetry={() => (pages.length === 0 ? setRound((n) => n + 1) : loadNext.current())}
        />
      )}
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
