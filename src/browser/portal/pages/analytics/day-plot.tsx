import { useState } from 'preact/hooks'
import type { Analytics } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatDay, formatMoney, formatNumber } from '../../language.ts'
import { writeCsv } from '../../parts/csv.ts'
import { download } from '../../parts/download.ts'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { type Asked, toQuery } from './asked.ts'
import { LinePlot } from './line-plot.tsx'
import { t } from './texts/texts.ts'

type Day = Analytics['timeseries'][number]

/** What the plot can show: a name, and its value on a day. */
interface Measure {
  name: string
  read(day: Day): number | null
  format(value: number): string
}

/** Money is offered in each currency that has come in. */
function listMeasures(days: readonly Day[]): Measure[] {
  const currencies = [...new Set(days.flatMap(({ revenue }) => revenue.map(({ currency }) => currency)))]
  const hasOrders = days.some(({ orders }) => orders !== null && orders > 0)
  return [
    { name: t.searches, read: ({ searches }) => searches, format: formatNumber },
    { name: t.clicks, read: ({ clicks }) => clicks, format: formatNumber },
    ...(hasOrders ? [{ name: t.orders, read: ({ orders }: Day) => orders, format: formatNumber }] : []),
    ...currencies.map((currency) => ({
      name: t.revenue(currency),
      read: ({ revenue }: Day) => revenue.find((one) => one.currency === currency)?.amount ?? 0,
      format: (value: number) => formatMoney(value, currency),
    })),
  ]
}

/** One measure by day, with the period before as a dashed line, and the same as a table. */
export function DayPlot({ answer, asked }: { answer: Analytics; asked: Asked }) {
  const [shown, setShown] = useState(t.searches)
  const { timeseries, previous } = answer
  // The comparison holds no days, so the earlier ones are a question of their own.
  const [earlier] = useLoad<readonly Day[]>(
    async (signal) => {
      if (!previous) return []
      const { from, to } = previous.period
      const query = { ...toQuery({ ...asked, days: null, from, to, compares: false }), lists: 0 }
      return (await call('GET /v1/search/analytics', { query, signal })).timeseries
    },
    [answer],
  )
  const measures = listMeasures(timeseries)
  const measure = measures.find(({ name }) => name === shown) ?? measures[0]
  if (!measure) return null
  const values = timeseries.map(measure.read)
  const before = earlier.state === 'there' ? earlier.value.map(measure.read) : []
  const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  return (
    <>
      <fieldset class="spans" aria-label={t.shown}>
        {measures.map(({ name }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === measure.name}
            onClick={() => setShown(name)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <LinePlot
        label={t.plotText(measure.name, measure.format(total))}
        days={timeseries.map(({ date }) => date)}
        values={values}
        before={before}
        format={measure.format}
      />
      <DayTable days={timeseries} measures={measures} />
    </>
  )
}

function DayTable({ days, measures }: { days: readonly Day[]; measures: readonly Measure[] }) {
  const save = () =>
    download(
      'days.csv',
      'text/csv',
      writeCsv(
        [t.day, ...measures.map(({ name }) => name)],
        days.map((day) => [day.date, ...measures.map(({ read }) => read(day))]),
      ),
    )
  return (
    <details class="as-table">
      <summary>{t.asTable}</summary>
      <Table
        label={t.asTable}
        rows={days.toReversed()}
        keyOf={({ date }) => date}
        columns={[
          { label: t.day, draw: ({ date }) => formatDay(date) },
          ...measures.map(({ name, read, format }) => ({
            label: name,
            isNumber: true,
            draw: (day: Day) => format(read(day) ?? 0),
          })),
        ]}
      />
      <button type="button" onClick={save}>
        {t.csv}
      </button>
    </details>
  )
}
