import { measureCosines } from './legs/keyword.ts'
import type { ExactLeg, VectorLeg } from './legs/leg.ts'
import type { SearchedStore } from './searched-store.ts'

/** Gives the pictures without a vector cosines, in one tick. */
export type FillBlanks = (
  cosines: readonly Float32Array[],
  slotAt: (place: number) => number,
) => readonly Float32Array[]

/**
 * Lets words find the products whose pictures have no vector of the store's model: one that has a word of the query counts as
 * if its picture were as near to the query as the average of the store. No other search knows anything of such a picture,
 * so it stays at -Infinity there.
 *
 * @param scannedBy the scores of all slots by a vector, where a scan has them.
 * @returns undefined where nothing has to be filled.
 */
export function createBlankFill(
  store: SearchedStore,
  legs: readonly Pick<VectorLeg, 'name' | 'vector'>[],
  exact: readonly ExactLeg[],
  scannedBy?: (vector: Float32Array) => Float32Array | undefined,
): FillBlanks | undefined {
  const { segment } = store
  if (!segment.hasBlanks || legs.length === 0 || legs.some(({ name }) => name !== 'text')) return undefined
  const keywords = exact.find(({ name }) => name === 'keyword')
  if (!keywords) return undefined
  // Before anything is filled, so that the means are those of true cosines.
  const means = legs.map(({ vector }) => measureCosines(store, vector, scannedBy?.(vector)).mean)
  return (cosines, slotAt) => {
    const filled = cosines.map((one) => one.slice())
    for (let n = 0; n < (cosines[0]?.length ?? 0); n++) {
      if (cosines[0]?.[n] !== -Infinity) continue
      const slot = slotAt(n)
      if (segment.keyAt(slot) < 0 || !(keywords.at(slot) > 0)) continue
      for (const [leg, mean] of means.entries()) (filled[leg] as Float32Array)[n] = mean
    }
    return filled
  }
}
