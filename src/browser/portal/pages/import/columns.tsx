import { useId } from 'preact/hooks'
import type { Known } from './calls.ts'
import { type Field, isNeeded, keyOf, listFilled, listOpen, type Mapping, NEEDED } from './mapping.ts'
import { t } from './texts/texts.ts'

interface ColumnsProps {
  known: Known
  mapping: Mapping
  /** @param column empty to leave the field out. */
  onChange(field: string, column: string): void
}

/** How the columns are read, a sentence for each, with a choice of another column. */
export function Columns({ known, mapping, onChange }: ColumnsProps) {
  const missing = NEEDED.filter((field) => (mapping[field]?.length ?? 0) === 0)
  const row = (field: string) => (
    <Row
      key={field}
      field={field}
      column={mapping[field]?.[0] ?? ''}
      known={known}
      onColumn={(column) => onChange(field, column)}
    />
  )
  const open = listOpen(mapping)
  return (
    <>
      <ul class="rows">
        {missing.map(row)}
        {listFilled(mapping).map(row)}
      </ul>
      {open.length > 0 && (
        <details>
          <summary>{t.openFields}</summary>
          <ul class="rows">{open.map(row)}</ul>
        </details>
      )}
    </>
  )
}

const nameOf = (field: string): string => keyOf(field) ?? t.fields[field as Field]

function Row({
  field,
  column,
  known: { columns, samples },
  onColumn,
}: {
  field: string
  column: string
  known: Known
  onColumn(column: string): void
}) {
  const id = useId()
  const key = keyOf(field)
  const sample = samples[column]?.[0]
  return (
    <li>
      <p id={id}>
        {column === '' ? (
          <span class={isNeeded(field) ? 'wrong' : undefined}>{t.nothingFills(nameOf(field))}</span>
        ) : (
          <>
            <em dir="auto">{column}</em> {key === undefined ? t.tails[field as Field] : t.keptAs(key)}
          </>
        )}
        {sample !== undefined && (
          <>
            <br />
            <span class="sample" dir="auto">
              {sample}
            </span>
          </>
        )}
      </p>
      <select
        aria-label={t.columnFor(nameOf(field))}
        aria-describedby={id}
        value={column}
        onChange={({ currentTarget }) => onColumn(currentTarget.value)}
      >
        {(column === '' || !isNeeded(field)) && <option value="">{t.noColumn}</option>}
        {columns.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </li>
  )
}
