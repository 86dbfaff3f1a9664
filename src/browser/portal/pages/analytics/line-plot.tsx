import { useEffect, useRef, useState } from 'preact/hooks'
import type UPlot from 'uplot'
import { formatDay, formatNumber } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from './texts/texts.ts'

interface LinePlotProps {
  /** What the plot says to somebody who does not see it. */
  label: string
  days: readonly string[]
  values: readonly (number | null)[]
  /** The same of the period before, day by day; empty without a comparison. */
  before: readonly (number | null)[]
  format(value: number): string
}

const HEIGHT = 220
const FONT_PX = 13
/** The labels of the first and the last day stand centred below the ends of the lines. */
const HALF_LABEL_PX = 32
/** Days between two labels of the axis, as far as there is room. */
const STEPS = [1, 2, 7, 14, 30, 60, 90]

/** One measure by day. The library comes with the first plot, and its colours from the tokens. */
export function LinePlot(props: LinePlotProps) {
  const { label, days, values, before, format } = props
  const [library, retry] = useLoad(async () => (await import('uplot')).default, [])
  const place = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const isDark = useDarkScheme()

  useEffect(() => {
    if (library.state !== 'there' || !place.current) return
    const box = place.current
    const Plot = library.value
    const plot = new Plot(
      describePlot(props, box, Plot.pxRatio, setPointed),
      [days.map((_, n) => n), before.length > 0 ? [...before] : days.map(() => null), [...values]],
      box,
    )
    const watched = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }))
    watched.observe(box)
    return () => {
      watched.disconnect()
      plot.destroy()
    }
  }, [library.state, isDark, label, JSON.stringify([days, values, before])])

  if (library.state === 'failed') return <Failure error={library.error} onRetry={retry} />
  return (
    <figure>
      <div ref={place} class="plot-place" role="img" aria-label={label} />
      <figcaption class="muted">{pointed === null ? '\u00a0' : describeDay(props, pointed)}</figcaption>
    </figure>
  )

  function describeDay({ days, values, before }: LinePlotProps, n: number): string {
    const day = formatDay(days[n] ?? '')
    const value = format(values[n] ?? 0)
    const earlier = before[n]
    return earlier === undefined || earlier === null
      ? t.dayText(day, value)
      : t.dayBoth(day, value, format(earlier))
  }
}

/** Whether the page is dark: what is drawn on a canvas does not follow by itself. */
function useDarkScheme(): boolean {
  const [isDark, setDark] = useState(false)
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setDark(scheme.matches)
    follow()
    scheme.addEventListener('change', follow)
    return () => scheme.removeEventListener('change', follow)
  }, [])
  return isDark
}

function describePlot(
  { days }: LinePlotProps,
  box: HTMLElement,
  pxRatio: number,
  onPointed: (day: number | null) => void,
): UPlot.Options {
  const style = getComputedStyle(box)
  const colour = (token: string) => style.getPropertyValue(`--page-${token}`).trim()
  const font = `${FONT_PX}px ${style.fontFamily}`
  const axis = { stroke: colour('muted'), font, ticks: { show: false } }
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [16, HALF_LABEL_PX, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most) * 1.1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: STEPS,
        space: 72,
        values: (_, splits) => splits.map((n) => (days[n] === undefined ? '' : formatDay(days[n]))),
      },
      {
        ...axis,
        grid: { stroke: colour('line'), width: 1 },
        size: (_, texts) =>
          Math.max(HALF_LABEL_PX, 16 + 7 * Math.max(0, ...(texts ?? []).map((text) => text.length))),
        values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? formatNumber(value) : '')),
        space: 48,
      },
    ],
    series: [
      {},
      { stroke: colour('muted'), width: 2, dash: [4, 4], points: { show: false } },
      {
        stroke: colour('accent'),
        width: 2,
        fill: `${colour('accent')}24`,
        points: { show: days.length === 1 },
      },
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => onPointed(idx ?? null)],
      draw: [(plot) => nameLines(plot, font.replace(/^\d+/, String(FONT_PX * pxRatio)), colour)],
    },
  }

  /** Writes the name of each line at its end, so that no legend is needed; names that would touch step apart. */
  function nameLines(plot: UPlot, font: string, colour: (token: string) => string): void {
    const names = [
      { text: t.earlier, values: plot.data[1], token: 'muted' },
      { text: t.now, values: plot.data[2], token: 'accent' },
    ].flatMap(({ text, values, token }) => {
      const last = values?.at(-1)
      return last === undefined || last === null ? [] : [{ text, token, y: plot.valToPos(last, 'y', true) }]
    })
    const [one, other] = names
    const height = FONT_PX * pxRatio * 1.3
    if (one && other && Math.abs(one.y - other.y) < height) {
      const [upper, lower] = one.y < other.y ? [one, other] : [other, one]
      upper.y = lower.y - height
    }
    const { ctx, bbox } = plot
    ctx.save()
    ctx.font = font
    ctx.textAlign = 'right'
    for (const { text, token, y } of names) {
      ctx.fillStyle = colour(token)
      ctx.fillText(text, bbox.left + bbox.width, Math.max(height, y - 6 * pxRatio))
    }
    ctx.restore()
  }
}
