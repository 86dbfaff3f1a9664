import { convertRgbToLab65, parseHex } from 'culori/fn'
import type { Lab, SearchedStore } from '../ports.ts'
import type { ExactLeg } from './leg.ts'

/** Reads `#rrggbb`, `rrggbb` or `#rgb`. @returns undefined for any other text. */
export function readHex(text: string): Lab | undefined {
  const hex = /^#?([\da-f]{6}|[\da-f]{3})$/i.exec(text.trim())?.[1]
  const rgb = hex === undefined ? undefined : parseHex(hex)
  const lab = rgb && convertRgbToLab65(rgb)
  return lab && { l: lab.l, a: lab.a, b: lab.b }
}

/**
 * The palette leg: how well each picture has the wanted colours.
 *
 * @param unit what a picture counts that has all of them.
 * @returns undefined for a store without palettes. Valid for one tick.
 */
export function paletteLeg(
  { palettes, segment }: SearchedStore,
  colours: readonly Lab[],
  unit: number,
): ExactLeg | undefined {
  if (!palettes || colours.length === 0) return undefined
  const scores = palettes.score(colours, segment.slots)
  return { name: 'color', at: (slot) => unit * (scores[slot] ?? 0) }
}
