import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const MOVE: KeyframeAnimationOptions = { duration: 160, easing: 'ease-out' }

const isStill = matchMedia('(prefers-reduced-motion: reduce)')

type Places = Map<string, readonly [left: number, top: number]>

/** Where the items of a list are on the page, by their `data-id`. */
function readPlaces(list: HTMLElement): Places {
  const places: Places = new Map()
  for (const item of list.children as HTMLCollectionOf<HTMLElement>)
    places.set(item.dataset['id'] ?? '', [item.offsetLeft, item.offsetTop])
  return places
}

/** Lets the items of a list glide from their former places to their new ones, so that one sees what a setting did. */
export function useMoves(list: RefObject<HTMLElement>, order: string): void {
  const before = useRef<Places>(new Map())
  useLayoutEffect(() => {
    if (!list.current) return
    const places = readPlaces(list.current)
    if (!isStill.matches)
      for (const item of list.current.children as HTMLCollectionOf<HTMLElement>) {
        const [left, top] = places.get(item.dataset['id'] ?? '') ?? [0, 0]
        const former = before.current.get(item.dataset['id'] ?? '')
        if (!former || (former[0] === left && former[1] === top)) continue
        item.animate(
          [{ transform: `translate(${former[0] - left}px, ${former[1] - top}px)` }, { transform: 'none' }],
          MOVE,
        )
      }
    before.current = places
  }, [order])
}
