import type { Cells, ImportRecord } from '../formats/record.ts'
import { createFinder } from './cells.ts'
import { collectFamilies } from './families.ts'
import { countChars, type Families, type Placed } from './inheritance.ts'
import type { Plan } from './mapping.ts'
import { readOwnProduct } from './own-export.ts'
import { mapProduct } from './products.ts'
import { addRow, type Members, type Reading, startMembers } from './variants.ts'
import { findReasonToHide, isShownAlone } from './visibility.ts'

/** One product of a file, or a piece of the file that is not a product. */
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
 * variants and its further pictures: they become one product, unless the mapping takes ids of variants. WooCommerce and
 * Magento write variations as rows of their own anywhere in the file, which is read twice then.
 *
 * @param open reads the table from its start. @throws UnreadableFile as its records do.
 */
export async function* assembleProducts(
  open: () => AsyncIterable<ImportRecord>,
  plan: Plan,
  reading: Reading,
): AsyncGenerator<ImportItem> {
  const families = plan.hasFamilies ? await collectFamilies(open(), plan, reading) : undefined
  let group: Group | undefined
  for await (const record of open()) {
    if (!('cells' in record)) {
      yield record
      continue
    }
    if (plan.platform === 'lookalike') {
      yield { line: record.line, product: readOwnProduct(record.cells) }
      continue
    }
    if (plan.groupBy === undefined) {
      yield* placeRow(plan, record, reading, families)
      continue
    }
    const id = readId(record, plan.groupBy)
    const chars = countChars(record.cells)
    const isSame = group && id !== '' && id === group.id
    if (group && isSame && group.rows.length < GROUP_ROWS_MAX && group.chars + chars <= GROUP_CHARS_MAX) {
      group.chars += chars
    } else {
      if (group) yield* assembleGroup(plan, group, reading)
      const hidden = findReasonToHide(plan, record.cells)
      group = { id, head: record, rows: [], chars, hidden, members: startMembers() }
    }
    group.rows.push(record)
    // Thousands of rows read at the end would be one long step: the next one comes after a turn, if it is time.
    if (!plan.perVariant && group.hidden === undefined) {
      addRow(group.members, plan, record.cells, group.head.cells, reading)
    }
  }
  if (group) yield* assembleGroup(plan, group, reading)
}

/** The rows of one product, as they come. */
interface Group {
  id: string
  head: Row
  rows: Row[]
  chars: number
  /** Why the shop does not show it. */
  hidden: string | undefined
  /** The variants of the rows so far. */
  members: Members
}

interface Row {
  line: number
  cells: Cells
}

const readId = ({ cells }: Row, column: string): string => cells.get(column)?.[0]?.trim() ?? ''

/** A row that is a product by itself, or a variation. */
function* placeRow(
  plan: Plan,
  { line, cells }: Row,
  reading: Reading,
  families?: Families,
): Generator<ImportItem> {
  // The same product once more, in another language.
  if (createFinder(plan, [cells])('store_view') !== undefined) return
  const hidden = findReasonToHide(plan, cells)
  if (hidden !== undefined) {
    yield { line, hidden }
    return
  }
  const placed: Placed = families?.place(cells) ?? { cells, family: {} }
  if (placed === 'merged') return
  if (placed === 'hidden') yield { line, hidden: 'its product is not published' }
  else if (!isShownAlone(plan, cells)) yield { line, hidden: 'not shown by itself' }
  else yield { line, product: mapProduct(plan, [placed.cells], reading, placed.family) }
}

function* assembleGroup(
  plan: Plan,
  { head, rows, hidden, members }: Group,
  reading: Reading,
): Generator<ImportItem> {
  if (hidden !== undefined) yield { line: head.line, hidden }
  else if (!plan.perVariant) {
    const cells = rows.map((row) => row.cells)
    yield { line: head.line, product: mapProduct(plan, cells, reading, { ownMembers: members }) }
  } else {
    const ids = plan.mapping.product_id ?? []
    for (const { line, cells } of rows) {
      // A row without an id carries a further picture of the product.
      if (rows.length > 1 && !ids.some((column) => cells.get(column)?.[0]?.trim())) continue
      yield { line, product: mapProduct(plan, cells === head.cells ? [cells] : [cells, head.cells], reading) }
    }
  }
}
