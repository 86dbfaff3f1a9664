import type { Analytics } from '#generated/api.ts'
import { formatMoney, formatNumber, formatPosition, formatShare } from '../../language.ts'
import { t } from './texts/texts.ts'

interface Figure {
  label: string
  value: string
  notes: (string | null)[]
}

const orDash = (value: number | null, format: (value: number) => string): string =>
  value === null ? '–' : format(value)

/** The figures of the period, each with the period before. */
function listFigures({ searches, engagement, revenue, previous }: Analytics): Figure[] {
  const before = (value: number | null | undefined, format: (value: number) => string) =>
    previous ? t.before(orDash(value ?? null, format)) : null
  const { ctr, avg_click_position, conversion_rate } = engagement
  const earlier = previous?.engagement
  const figures: Figure[] = [
    {
      label: t.searches,
      value: formatNumber(searches.total),
      notes: [before(previous?.searches.total, formatNumber)],
    },
    { label: t.clickThrough, value: orDash(ctr, formatShare), notes: [before(earlier?.ctr, formatShare)] },
    {
      label: t.position,
      value: orDash(avg_click_position, formatPosition),
      notes: [before(earlier?.avg_click_position, formatPosition)],
    },
    {
      label: t.conversion,
      value: orDash(conversion_rate, formatShare),
      notes: [before(earlier?.conversion_rate, formatShare)],
    },
  ]
  for (const { currency, total, attributed } of revenue) {
    const format = (amount: number) => formatMoney(amount, currency)
    const last = previous?.revenue.find((one) => one.currency === currency)
    figures.push({
      label: t.revenue(currency),
      value: format(total),
      notes: [t.attributed(format(attributed)), before(last?.total ?? 0, format)],
    })
  }
  return figures
}

export const Figures = ({ answer }: { answer: Analytics }) => (
  <dl class="figures">
    {listFigures(answer).map(({ label, value, notes }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
        {notes.map((note) => note !== null && <dd key={note}>{note}</dd>)}
      </div>
    ))}
  </dl>
)
