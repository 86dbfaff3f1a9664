import type { Lab } from '../../../../core/colours/lab.ts'
import { RANKING } from '../parameters.ts'
import type { SearchedStore } from '../searched-store.ts'
import type { ExactLeg } from './leg.ts'

/**
 * The palette leg: how well each picture has the wanted colours.
 *
 * @param unit what a picture counts that has all of them.
 * @returns undefined without colours. Valid for one tick.
 */
export function paletteLeg(
  { palettes, segment }: SearchedStore,
  colours: readonly Lab[],
  unit: number,
): ExactLeg | undefined {
  if (colours.length === 0) return undefined
  const scores = palettes.score(colours, segment.slots, RANKING.colourEnough)
  return { name: 'color', at: (slot) => unit * (scores[slot] ?? 0) }
}
