import { useEffect, useState } from 'preact/hooks'
import type { StoreFields } from '#generated/api.ts'
import { formatNumber } from '../../language.ts'
import type { Layout } from '../../parts/block.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { type Asked, PROBLEMS } from './asked.ts'
import { t } from './texts/texts.ts'

const PAUSE_MS = 250
const SORT_NAMES = Object.entries(t.sorts)

/** The most frequent values of a field, as choices. */
export function listValues(fields: StoreFields | null, field: string): [value: string, label: string][] {
  const found = fields?.fields.find((one) => one.field === field)
  return (found?.values ?? []).map(({ value, count }) => [String(value), `${value} (${formatNumber(count)})`])
}

/** Narrows the products by words, category and brand, and says how they are shown. The address holds the choice, so that it can be sent to somebody. */
export function Filters({
  asked,
  layout,
  fields,
  onChange,
}: {
  asked: Asked
  layout: Layout
  fields: StoreFields | null
  onChange(changes: Partial<Asked & { view: string }>): void
}) {
  const [words, setWords] = useState(asked.q)
  useEffect(() => setWords(asked.q), [asked.q])
  useEffect(() => {
    if (words === asked.q) return
    const timer = setTimeout(() => onChange({ q: words }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  const all: [string, string] = ['', t.all]
  return (
    <div class="filters">
      <Field label={t.search} type="search" value={words} onValue={setWords} maxLength={200} />
      {(['category', 'brand'] as const).map((name) => {
        const values = listValues(fields, name)
        if (values.length < 2 && asked[name] === '') return null
        return (
          <Choice
            key={name}
            label={t[name]}
            value={asked[name]}
            onValue={(value) => onChange({ [name]: value })}
            choices={[all, ...values]}
          />
        )
      })}
      <Choice
        label={t.problem}
        value={asked.problem}
        onValue={(problem) => onChange({ problem: problem as Asked['problem'] })}
        choices={[all, ...PROBLEMS.map((name): [string, string] => [name, t.problems[name]])]}
      />
      <Choice
        label={t.sort}
        value={asked.sort}
        onValue={(sort) => onChange({ sort: sort as Asked['sort'] })}
        choices={SORT_NAMES}
      />
      <Choice
        label={t.view}
        value={layout === 'lines' ? 'table' : ''}
        onValue={(view) => onChange({ view })}
        choices={[
          ['', t.views.cards],
          ['table', t.views.table],
        ]}
      />
    </div>
  )
}
