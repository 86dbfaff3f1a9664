import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { CARDS_A_FRAME } from './use-steps.ts'

/** Blocks further away than this many pixels leave the document; an empty box keeps their place. */
const KEPT_PX = 900

/** Calls back when an element comes near the window or goes away from it. */
export function useNearness(
  element: RefObject<HTMLElement>,
  onChange: (isNear: boolean) => void,
  margin: number,
) {
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

export interface BlockProps<Item> {
  items: readonly Item[]
  keyOf(item: Item): string
  draw(item: Item): ComponentChildren
}

/** Cards beside each other, or lines below each other. */
export type Layout = 'grid' | 'lines'

/** Some cards of a block. They are drawn once: what comes below them must not cost a comparison of all that are there. */
function Cards<Item>({ items, keyOf, draw }: BlockProps<Item>) {
  return useMemo(
    () => (
      <>
        {items.map((item) => (
          <li key={keyOf(item)}>{draw(item)}</li>
        ))}
      </>
    ),
    [items],
  )
}

/** Cuts a list into parts of a length. */
const cut = <Item,>(items: readonly Item[], length: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, n) =>
    items.slice(n * length, (n + 1) * length),
  )

/**
 * One page of a list. Far from the window it is an empty box of the height that it had; near it, its cards come frame by frame,
 * and the box keeps at least that height, so that nothing below jumps.
 */
export function Block<Item>({ items, keyOf, draw, layout }: BlockProps<Item> & { layout: Layout }) {
  const box = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  const [isNear, setNear] = useState(true)
  const [drawn, setDrawn] = useState(1)
  const parts = useMemo(() => cut(items, CARDS_A_FRAME), [items])
  const isWhole = isNear && drawn >= parts.length

  const follow = useRef((near: boolean) => {
    if (!near) {
      height.current = box.current?.offsetHeight ?? 0
      setDrawn(1)
    }
    setNear(near)
  })
  useNearness(box, follow.current, KEPT_PX)

  useEffect(() => {
    if (!isNear || isWhole) return
    const frame = requestAnimationFrame(() => setDrawn((n) => n + 1))
    return () => cancelAnimationFrame(frame)
  }, [isNear, isWhole, drawn])

  return (
    <div ref={box} style={isWhole ? undefined : { minHeight: `${height.current}px` }}>
      {isNear && (
        <ul class={layout}>
          {parts.slice(0, drawn).map((part, n) => (
            <Cards key={n} items={part} keyOf={keyOf} draw={draw} />
          ))}
        </ul>
      )}
    </div>
  )
}
