/** What this build costs, as `scripts/scale/costs.ts` measures it, and what follows for so many products. All bytes are bytes. */
export interface Costs {
  measured: { date: string; machine: string; version: string; load: number }
  /** Memory of all processes of a node, after searches: of a node without products, and more for each store and each picture. */
  memory: Share
  /** Bytes of the database: the same. */
  disk: Share
  /** Bytes of a thumbnail of a drawn photograph. */
  thumbnailBytes: number
  /** Cores that a node keeps busy at rest. */
  idleCores: number
  /** Processor time of one search, by the products of the store, ascending. */
  wordsCpuMs: readonly Point[]
  productCpuMs: readonly Point[]
  /** Bytes of one answer with 20 results, with its headers. */
  answerBytes: number
  /** Processor seconds of all processes from the start until the node is ready. */
  startSeconds: readonly Point[]
  /** Of a move without load, or null before one was measured. */
  move: Move | null
}

export interface Share {
  node: number
  store: number
  picture: number
}

export interface Point {
  products: number
  value: number
}

export interface Move {
  /** What a move takes for any store, and how many products it carries beyond that. */
  fixedSeconds: number
  productsASecond: number
}

/** Between two measured sizes the line through them, beyond the last one its slope. */
export function at(points: readonly Point[], products: number): number {
  const [first] = points
  if (!first) throw new Error('Nothing was measured')
  if (points.length === 1 || products <= first.products) return first.value
  let n = 1
  while (n < points.length - 1 && (points[n] as Point).products < products) n++
  const [from, to] = [points[n - 1] as Point, points[n] as Point]
  const slope = (to.value - from.value) / (to.products - from.products)
  return from.value + slope * (products - from.products)
}

/** The line through points by least squares: what it is at 0, and how it rises for each product. */
export function fitLine(points: readonly Point[]): { base: number; slope: number } {
  const n = points.length
  const meanX = points.reduce((sum, { products }) => sum + products, 0) / n
  const meanY = points.reduce((sum, { value }) => sum + value, 0) / n
  let [over, under] = [0, 0]
  for (const { products, value } of points) {
    over += (products - meanX) * (value - meanY)
    under += (products - meanX) ** 2
  }
  const slope = under === 0 ? 0 : over / under
  return { slope, base: meanY - slope * meanX }
}

/** The part that stores have in a measured figure of many small ones. */
export function shareOf(
  points: readonly Point[],
  many: { stores: number; pictures: number; value: number },
): Share {
  const { base, slope } = fitLine(points)
  // The line holds one store already.
  const store = Math.max(0, (many.value - base - slope * many.pictures) / (many.stores - 1))
  return { node: base - store, store, picture: slope }
}
