import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  /** Heading of the column; on a phone it stands before the value. */
  label: string
  draw(row: Row): ComponentChildren
  /** Figures stand at the right. */
  isNumber?: boolean
  /** A column of buttons has its heading for screen readers alone. */
  isActions?: boolean
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
}

/** A table whose rows become cards on a phone. The first column names its row. */
export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>) => (
  <table class="table" aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ label, isNumber, isActions }) => (
          <th key={label} scope="col" class={isNumber ? 'number' : undefined}>
            {isActions ? <span class="unseen">{label}</span> : label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(({ label, draw, isNumber, isActions }, n) =>
            n === 0 ? (
              <th key={label} scope="row">
                {draw(row)}
              </th>
            ) : (
              <td
                key={label}
                class={isNumber ? 'number' : isActions ? 'buttons' : undefined}
                data-label={isActions ? undefined : label}
              >
                {draw(row)}
              </td>
            ),
          )}
        </tr>
      ))}
    </tbody>
  </table>
)
