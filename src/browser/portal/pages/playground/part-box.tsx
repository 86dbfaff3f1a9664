import { useRef, useState } from 'preact/hooks'
import type { Part } from './question.ts'
import { t } from './texts/texts.ts'

const WHOLE: Part = { x: 0, y: 0, width: 1, height: 1 }
/** A part has at least this share of each side. */
const SMALLEST = 0.08
/** What a key moves. */
const STEP = 0.02

const within = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)

/** A part moved, without leaving the picture. */
const movePart = ({ x, y, width, height }: Part, dx: number, dy: number): Part => ({
  x: within(x + dx, 0, 1 - width),
  y: within(y + dy, 0, 1 - height),
  width,
  height,
})

/** A part made wider and higher from its top left corner. */
const stretchPart = ({ x, y, width, height }: Part, dx: number, dy: number): Part => ({
  x,
  y,
  width: within(width + dx, SMALLEST, 1 - x),
  height: within(height + dy, SMALLEST, 1 - y),
})

/** The part between two points. */
function partBetween(from: readonly [number, number], to: readonly [number, number]): Part {
  const x = Math.min(from[0], to[0])
  const y = Math.min(from[1], to[1])
  return { x, y, width: Math.abs(from[0] - to[0]), height: Math.abs(from[1] - to[1]) }
}

const isLarge = ({ width, height }: Part): boolean => width >= SMALLEST && height >= SMALLEST

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

/** The query picture with the part of it that counts: drawn with the pointer, or moved and resized with the arrow keys. */
export function PartBox({
  src,
  part,
  onPart,
}: {
  src: string
  part: Part | null
  onPart(part: Part | null): void
}) {
  const box = useRef<HTMLDivElement>(null)
  const start = useRef<readonly [number, number] | null>(null)
  /** The part while the pointer draws: the search waits for its end. */
  const [drawn, setDrawn] = useState<Part | null>(null)
  const shown = drawn ?? part

  function locate({ clientX, clientY }: PointerEvent): [number, number] {
    const area = box.current?.getBoundingClientRect()
    if (!area) return [0, 0]
    return [
      within((clientX - area.left) / area.width, 0, 1),
      within((clientY - area.top) / area.height, 0, 1),
    ]
  }

  function finish() {
    if (drawn && isLarge(drawn)) onPart(drawn)
    start.current = null
    setDrawn(null)
  }

  const byKey = (change: typeof movePart) => (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key]
    if (event.key === 'Escape' && part) onPart(null)
    else if (arrow) onPart(change(part ?? WHOLE, ...arrow))
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={box}
      class="part-box"
      onPointerDown={(event) => {
        if (event.button !== 0 || (event.target as Element).closest('button')) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = locate(event)
      }}
      onPointerMove={(event) => start.current && setDrawn(partBetween(start.current, locate(event)))}
      onPointerUp={finish}
      onPointerCancel={() => {
        start.current = null
        setDrawn(null)
      }}
    >
      <img src={src} alt="" draggable={false} />
      {shown && (
        <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
          <path
            class="shade"
            fill-rule="evenodd"
            d={`M0 0H1V1H0z M${shown.x} ${shown.y}h${shown.width}v${shown.height}h${-shown.width}z`}
          />
          <rect {...shown} fill="none" />
        </svg>
      )}
      {(
        [
          [t.movePart, movePart, shown?.x ?? 0, shown?.y ?? 0],
          [t.stretchPart, stretchPart, shown ? shown.x + shown.width : 1, shown ? shown.y + shown.height : 1],
        ] as const
      ).map(([label, change, left, top]) => (
        <button
          key={label}
          type="button"
          class="handle"
          aria-label={label}
          style={{ left: `${left * 100}%`, top: `${top * 100}%` }}
          onKeyDown={byKey(change)}
          onPointerDown={(event) => {
            event.preventDefault()
            event.currentTarget.setPointerCapture(event.pointerId)
            start.current = locate(event)
          }}
          onPointerMove={(event) => {
            const from = start.current
            if (!from || !event.currentTarget.hasPointerCapture(event.pointerId)) return
            event.stopPropagation()
            const [x, y] = locate(event)
            setDrawn(change(part ?? WHOLE, x - from[0], y - from[1]))
          }}
        />
      ))}
    </div>
  )
}
