import type { Cells, ImportRecord } from '../formats/record.ts'
import type { Plan } from './mapping.ts'
import { mapProduct } from './products.ts'

/** One product of a file, or a piece of the file that is none. */
export type ImportItem =
  | { line: number; product: unknown }
  | { line: number; problem: string }
  /** A product that the shop does not show. */
  | { line: number; hidden: string }

/** The most rows of one product; a shop's largest has about two thousand variants. */
const GROUP_ROWS_MAX = 4_000

/** The most characters of the rows that are held for one product. */
const GROUP_CHARS_MAX = 16 * 1024 * 1024

/**
 * Makes products of the rows of a table. Shopify writes one product as several rows with the same handle, for its
 * variants and its further pictures: they become one product, unless the mapping takes ids of variants.
 */
export async function* assembleProducts(
  records: AsyncIterable<ImportRecord>,
  plan: Plan,
): AsyncGenerator<ImportItem> {
  let group: { id: string; rows: Row[]; chars: number } | undefined
  for await (const record of records) {
    if (!('cells' in record)) {
      yield record
      continue
    }
    if (plan.groupBy === undefined) {
      yield* assembleGroup(plan, [record])
      continue
    }
    const id = readId(record, plan.groupBy)
    const chars = countChars(record.cells)
    const isSame = group && id !== '' && id === group.id
    if (group && isSame && group.rows.length < GROUP_ROWS_MAX && group.chars + chars <= GROUP_CHARS_MAX) {
      group.rows.push(record)
      group.chars += chars
      continue
    }
    if (group) yield* assembleGroup(plan, group.rows)
    group = { id, rows: [record], chars }
  }
  if (group) yield* assembleGroup(plan, group.rows)
}

interface Row {
  line: number
  cells: Cells
}

function countChars(cells: Cells): number {
  let chars = 0
  for (const values of cells.values()) for (const value of values) chars += value.length
  return chars
}

const readId = ({ cells }: Row, column: string): string => cells.get(column)?.[0]?.trim() ?? ''

function* assembleGroup(plan: Plan, rows: Row[]): Generator<ImportItem> {
  const [head] = rows
  if (!head) return
  const hidden = findReasonToHide(plan, head.cells)
  if (hidden !== undefined) yield { line: head.line, hidden }
  else if (!plan.perVariant)
    yield {
      line: head.line,
      product: mapProduct(
        plan,
        rows.map(({ cells }) => cells),
      ),
    }
  else {
    const ids = plan.mapping.product_id ?? []
    for (const { line, cells } of rows) {
      // A row without an id carries a further picture of the product.
      if (rows.length > 1 && !ids.some((column) => cells.get(column)?.[0]?.trim())) continue
      yield { line, product: mapProduct(plan, cells === head.cells ? [cells] : [cells, head.cells]) }
    }
  }
}

/** Says why a shop does not show a product: it is a draft, archived or private. */
function findReasonToHide({ platform }: Plan, cells: Cells): string | undefined {
  if (platform === 'plain' || platform === 'google') return undefined
  for (const [column, [value = '']] of cells) {
    const word = value.trim().toLowerCase()
    if (platform === 'shopify' && /^status$/i.test(column) && (word === 'draft' || word === 'archived'))
      return word
    const isPublication = /^published( on online store)?$/i.test(column)
    if (isPublication && ['false', '0', '-1'].includes(word)) return 'not published'
  }
  return undefined
}
