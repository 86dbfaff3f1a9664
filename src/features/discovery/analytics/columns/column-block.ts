/** Counts of the items of one day, by item in ascending order; each count is an array beside the items. */
export interface Counts {
  items: Float64Array
  /** One array for each of a, b, c and d. */
  measures: readonly Float64Array[]
}

export const COLUMN_COUNT = 4
const WIDTHS = [1, 2, 4, 8] as const
const HEAD_BYTES = 4

/**
 * Writes the counts of a day: the number of items, then five columns, each with the width of its numbers in front; the first
 * column has the distance of each item from the one before. A column of nothing but 0 has the width 0.
 *
 * @param counts items ascending; whole numbers of at least 0, below 2^53.
 */
export function writeBlock({ items, measures }: Counts): Buffer {
  const distances = items.map((item, n) => (n === 0 ? item : item - (items[n - 1] as number)))
  const columns = [distances, ...measures].map(toColumn)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(items.length)
  return Buffer.concat([head, ...columns])
}

function toColumn(numbers: Float64Array): Buffer {
  let largest = 0
  for (const number of numbers) if (number > largest) largest = number
  const width = largest === 0 ? 0 : (WIDTHS.find((bytes) => largest < 256 ** bytes) ?? 8)
  const column = Buffer.alloc(1 + width * numbers.length)
  column[0] = width
  const view = new DataView(column.buffer, column.byteOffset + 1, width * numbers.length)
  for (let n = 0; n < numbers.length && width > 0; n++) {
    const number = numbers[n] as number
    if (width === 1) view.setUint8(n, number)
    else if (width === 2) view.setUint16(2 * n, number, true)
    else if (width === 4) view.setUint32(4 * n, number, true)
    else view.setFloat64(8 * n, number, true)
  }
  return column
}

/** A column of a block; undefined for nothing but 0. */
type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array | undefined

/** Reads what {@link writeBlock} wrote, without copying more than it must. */
export function openBlock(block: Uint8Array): { length: number; distances: Column; measures: Column[] } {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const length = view.getUint32(0, true)
  let at = HEAD_BYTES
  const next = (): Column => {
    const width = view.getUint8(at)
    const begin = at + 1
    at = begin + width * length
    const bytes = block.subarray(begin, at)
    if (width === 0) return undefined
    if (width === 1) return bytes
    // Typed arrays of wider numbers begin at multiples of their width.
    const aligned = new Uint8Array(bytes).buffer
    if (width === 2) return new Uint16Array(aligned)
    return width === 4 ? new Uint32Array(aligned) : new Float64Array(aligned)
  }
  const distances = next()
  return { length, distances, measures: Array.from({ length: COLUMN_COUNT }, next) }
}

/** Reads a whole block. */
export function readBlock(block: Uint8Array): Counts {
  const { length, distances, measures } = openBlock(block)
  const items = new Float64Array(length)
  let item = 0
  for (let n = 0; n < length; n++) {
    item += distances?.[n] ?? 0
    items[n] = item
  }
  return {
    items,
    measures: measures.map((column) => Float64Array.from({ length }, (_, n) => column?.[n] ?? 0)),
  }
}

/** Whether a block counts an item. */
export function hasItem(block: Uint8Array, wanted: number): boolean {
  const { length, distances } = openBlock(block)
  let item = 0
  for (let n = 0; n < length && item <= wanted; n++) {
    item += distances?.[n] ?? 0
    if (item === wanted) return true
  }
  return false
}

/** Gives the counts of one item to another, which has none. */
export function renameItem({ items, measures }: Counts, from: number, to: number): Counts {
  const order = [...items.keys()]
  const place = (n: number) => (items[n] === from ? to : (items[n] as number))
  order.sort((a, b) => place(a) - place(b))
  return {
    items: Float64Array.from(order, place),
    measures: measures.map((column) => Float64Array.from(order, (n) => column[n] as number)),
  }
}

/** How the counts of one item come together: counts are added, ranks of a sketch are not. */
export type Joining = 'sum' | 'max'

/** Joins the counts of two parts of a day. */
export function join(one: Counts, other: Counts, joining: Joining): Counts {
  const items: number[] = []
  const measures: number[][] = Array.from({ length: COLUMN_COUNT }, () => [])
  const put = (item: number, count: (measure: number) => number) => {
    items.push(item)
    for (const [measure, column] of measures.entries()) column.push(count(measure))
  }
  for (let i = 0, j = 0; i < one.items.length || j < other.items.length; ) {
    const a = one.items[i] ?? Infinity
    const b = other.items[j] ?? Infinity
    const [m, n] = [i, j]
    if (a <= b) i++
    if (b <= a) j++
    put(Math.min(a, b), (measure) => {
      const left = a <= b ? (one.measures[measure]?.[m] ?? 0) : 0
      const right = b <= a ? (other.measures[measure]?.[n] ?? 0) : 0
      return joining === 'sum' ? Math.max(0, left + right) : Math.max(left, right)
    })
  }
  return { items: Float64Array.from(items), measures: measures.map((column) => Float64Array.from(column)) }
}
