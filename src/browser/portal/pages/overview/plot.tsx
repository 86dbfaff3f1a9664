import type { Analytics } from '#generated/api.ts'
import { formatDay, formatNumber } from '../../language.ts'
import { t } from './texts/texts.ts'
import { sumUp } from './weeks.ts'

type Day = Analytics['timeseries'][number]

const WIDTH = 700
const HEIGHT = 180
const TOP = 24
const BOTTOM = 24

/** Searches by day: these seven days as a filled shape, the seven before as a dashed line. */
export function Plot({ now, before }: { now: readonly Day[]; before: readonly Day[] }) {
  const highest = Math.max(1, ...now.map((day) => day.searches), ...before.map((day) => day.searches))
  const step = WIDTH / Math.max(1, now.length - 1)
  const place = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest)
  const line = (days: readonly Day[]) => days.map((day, n) => `${n * step},${place(day.searches)}`).join(' L')
  const floor = HEIGHT - BOTTOM
  return (
    <figure class="plot">
      <figcaption>
        {t.plot} <span class="key now">{t.thisWeek}</span> <span class="key before">{t.lastWeek}</span>
      </figcaption>
      <svg
        viewBox={`-4 0 ${WIDTH + 8} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.plotText(formatNumber(sumUp(now).searches), formatNumber(sumUp(before).searches))}
      >
        <line class="floor" x1="0" x2={WIDTH} y1={floor} y2={floor} />
        <path class="area" d={`M0,${floor} L${line(now)} L${WIDTH},${floor} Z`} />
        <path class="now" d={`M${line(now)}`} />
        {before.length > 0 && <path class="before" d={`M${line(before)}`} />}
      </svg>
      <p class="days" aria-hidden="true">
        {now.map(({ date, searches }) => (
          <span key={date} title={`${formatDay(date)}: ${formatNumber(searches)}`}>
            {formatDay(date)}
          </span>
        ))}
      </p>
    </figure>
  )
}
