import { useEffect, useRef, useState } from 'preact/hooks'

/** Cards that are made in one frame: more of them would keep a phone from answering a touch. */
export const CARDS_A_FRAME = 12

/**
 * Says how many cards of a list to draw. A list of other things begins with those that are in sight, and the others come frame by
 * frame; one that only changes its order or its length keeps what is drawn.
 */
export function useSteps(ids: readonly string[]): number {
  const order = ids.join(' ')
  const last = useRef({ order: '', mounted: new Set<string>(), drawn: 0 })
  const [, redraw] = useState(0)
  const { current } = last
  if (current.order !== order) {
    const strange = ids.slice(0, CARDS_A_FRAME).filter((id) => !current.mounted.has(id)).length
    current.order = order
    current.drawn = strange > CARDS_A_FRAME / 2 ? CARDS_A_FRAME : Math.max(CARDS_A_FRAME, current.drawn)
  }
  current.mounted = new Set(ids.slice(0, current.drawn))
  const { drawn } = current

  useEffect(() => {
    if (drawn >= ids.length) return
    const frame = requestAnimationFrame(() => {
      last.current.drawn = drawn + CARDS_A_FRAME
      redraw((n) => n + 1)
    })
    return () => cancelAnimationFrame(frame)
  }, [order, drawn])
  return drawn
}
