import type { RowSet } from '../../catalogue/filters/rows.ts'
import type { SearchFilter, SlotMask } from '../../catalogue/product-index/mask.ts'
import type { SearchedStore } from './searched-store.ts'

/** The condition that a product must meet to be found. */
export interface Condition {
  /** The pre-filters. */
  fields: SearchFilter
  /** The products that the filter language lets pass; undefined without such a filter. */
  rows?: RowSet | undefined
  /** Sets of products that are left out. */
  hidden?: readonly Pick<RowSet, 'has'>[] | undefined
  /** Leaves out what is sold out. */
  isInStock?: boolean | undefined
}

interface KeptMask extends Pick<SearchedStore, 'segment'> {
  slots: number
  /** `columns.version()` when it was made. */
  version: number
  mask: SlotMask | undefined
}

/** The last mask of a condition, which lives as long as its search: warnings, rankings and facets each ask for it. */
const kept = new WeakMap<Condition, KeptMask>()

/** The slots that pass a condition; undefined where all do. It must not be changed. */
export function createMask(store: SearchedStore, condition: Condition): SlotMask | undefined {
  const { segment, columns } = store
  const { slots } = segment
  const version = columns.version()
  const known = kept.get(condition)
  if (known?.segment === segment && known.version === version && known.slots === slots) return known.mask
  const mask = makeMask(store, condition)
  kept.set(condition, { segment, slots, version, mask })
  return mask
}

function makeMask(
  { segment, columns }: SearchedStore,
  { fields, rows, hidden = [], isInStock = false }: Condition,
): SlotMask | undefined {
  const mask = columns.createMask(fields, segment.slots)
  const soldOut = isInStock ? columns.readSoldOut() : undefined
  if (!rows && hidden.length === 0 && !soldOut) return mask
  const bytes = mask?.bytes ?? new Uint8Array(segment.slots).fill(1)
  const { product: productOf, first } = columns.readFields()
  let [passing, products] = [0, 0]
  for (let slot = 0; slot < bytes.length; slot++) {
    if (bytes[slot] === 0) continue
    const product = productOf[slot] ?? 0
    const isKept = (!rows || rows.has(product)) && soldOut?.[slot] !== 1
    if (isKept && !hidden.some((set) => set.has(product))) {
      passing++
      products += first[slot] ?? 0
    } else bytes[slot] = 0
  }
  return { bytes, passing, products }
}

/** Whether any product passes a condition. */
export const passesAny = (store: SearchedStore, condition: Condition): boolean =>
  createMask(store, condition)?.products !== 0

export function listPassing({ bytes, passing }: SlotMask): Uint32Array {
  const slots = new Uint32Array(passing)
  let n = 0
  for (let slot = 0; slot < bytes.length; slot++) if (bytes[slot]) slots[n++] = slot
  return slots
}

/** The rows of the products that pass a condition; undefined where all do. */
export function listRows(store: SearchedStore, condition: Condition): RowSet | undefined {
  const mask = createMask(store, condition)
  if (!mask) return undefined
  const rows = new Set<number>()
  for (let slot = 0; slot < mask.bytes.length; slot++) {
    if (mask.bytes[slot] && store.columns.isFirst(slot)) rows.add(store.columns.productAt(slot))
  }
  return rowSet(rows)
}

/** The rows that are in all of some sets. */
export function intersect(sets: readonly RowSet[]): RowSet | undefined {
  const [first, ...others] = sets.toSorted((a, b) => a.size - b.size)
  if (!first || others.length === 0) return first
  const rows = new Set<number>()
  for (const row of first) if (others.every((set) => set.has(row))) rows.add(row)
  return rowSet(rows)
}

const BYTES_PER_ROW = 32

export function rowSet(rows: ReadonlySet<number>): RowSet {
  return {
    has: (row) => rows.has(row),
    size: rows.size,
    bytes: BYTES_PER_ROW * rows.size,
    [Symbol.iterator]: () => Float64Array.from(rows).sort().values(),
  }
}
