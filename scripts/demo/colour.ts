import { convertLrgbToRgb, convertRgbToLrgb, formatHex, parseHex } from 'culori/fn'
import { mix } from './vector.ts'

/** Linear light, 0 to 1 per channel. */
export type Rgb = readonly [number, number, number]

/**
 * Converts `#rrggbb` to linear light.
 *
 * @throws Error if the text is not a colour.
 */
export function rgb(hex: string): Rgb {
  const colour = parseHex(hex)
  if (!colour) throw new Error(`${hex} is not a colour`)
  const { r, g, b } = convertRgbToLrgb(colour)
  return [r, g, b]
}

/** Converts linear light to `#rrggbb`. It rolls off values above 0.8 softly, so that highlights keep their hue. */
export function hex([r, g, b]: Rgb): string {
  return formatHex(convertLrgbToRgb({ r: soft(r), g: soft(g), b: soft(b) }))
}

const soft = (light: number): number =>
  light > 0.8 ? 0.8 + 0.2 * (1 - Math.exp(-(light - 0.8) / 0.2)) : light

export const blend = (a: Rgb, b: Rgb, t: number): Rgb => [
  mix(a[0], b[0], t),
  mix(a[1], b[1], t),
  mix(a[2], b[2], t),
]
export const scale = (a: Rgb, k: number): Rgb => [a[0] * k, a[1] * k, a[2] * k]
