/** A vector of a search, and the facts that a cluster shows of it. */
export interface Point {
  searchId: string
  /** Signed bytes, one a dimension; any length. */
  vector: Int8Array
  score: number
  /** Unix ms. */
  createdAt: number
}

export interface Cluster {
  /** Sum of the unit vectors of its points. */
  sum: Float32Array
  points: Point[]
}

/** Pictures with a cosine from here on show the same kind of thing. */
const ALIKE = 0.8

/** Clusters that are open at a time; a point that fits none of them is left out. */
const CLUSTERS_MAX = 256

const DIMENSION_SCALE = 127

/** Writes a unit vector in 8 bits a dimension, scaled so that its greatest number fits. */
export function toBytes(vector: Float32Array): Buffer {
  let largest = 0
  for (const number of vector) largest = Math.max(largest, Math.abs(number))
  const scale = largest === 0 ? 0 : DIMENSION_SCALE / largest
  return Buffer.from(Int8Array.from(vector, (number) => Math.round(number * scale)).buffer)
}

/** A vector of length 1 from signed bytes. */
export function toUnit(bytes: Int8Array): Float32Array {
  let square = 0
  for (const byte of bytes) square += byte * byte
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square)
  return Float32Array.from(bytes, (byte) => byte * scale)
}

function cosine(unit: Float32Array, sum: Float32Array): number {
  let dot = 0
  let square = 0
  for (let n = 0; n < unit.length; n++) {
    const other = sum[n] as number
    dot += (unit[n] as number) * other
    square += other * other
  }
  return square === 0 ? 0 : dot / Math.sqrt(square)
}

/**
 * Puts points that are alike together: each joins the nearest cluster whose mean is alike, or begins one. A second round
 * then gives each point to the nearest of the means, so that the order of the points matters little.
 *
 * @param breathe awaited after every point.
 */
export async function cluster(points: readonly Point[], breathe: () => Promise<void>): Promise<Cluster[]> {
  let clusters: Cluster[] = []
  for (let round = 0; round < 2; round++) {
    const means = clusters.map(({ sum }) => sum)
    const next: Cluster[] = means.map((sum) => ({ sum: new Float32Array(sum.length), points: [] }))
    for (const point of points) {
      const unit = toUnit(point.vector)
      let best = -1
      let alike = ALIKE
      for (let n = 0; n < next.length; n++) {
        const mean = means[n] ?? next[n]?.sum
        const near = mean ? cosine(unit, mean) : 0
        if (near >= alike) [best, alike] = [n, near]
      }
      if (best === -1 && next.length < CLUSTERS_MAX) {
        best = next.length
        next.push({ sum: new Float32Array(unit.length), points: [] })
      }
      const chosen = next[best]
      if (chosen) {
        chosen.points.push(point)
        for (let n = 0; n < unit.length; n++) chosen.sum[n] = (chosen.sum[n] as number) + (unit[n] as number)
      }
      await breathe()
    }
    clusters = next.filter(({ points: joined }) => joined.length > 0)
  }
  return clusters.sort((a, b) => b.points.length - a.points.length)
}
