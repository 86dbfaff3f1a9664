import { clamp, mix } from './vector.ts'

/** Linear light, 0 to 1 per channel. */
export type Rgb = readonly [number, number, number]

const toLinear = (s: number): number => (s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4)
const toSrgb = (l: number): number => (l <= 0.0031308 ? l * 12.92 : 1.055 * l ** (1 / 2.4) - 0.055)

/** `#rrggbb` to linear light. */
export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [
    toLinear(((value >> 16) & 255) / 255),
    toLinear(((value >> 8) & 255) / 255),
    toLinear((value & 255) / 255),
  ]
}

/** Linear light to `#rrggbb`; values above 1 are rolled off softly so that highlights keep their hue. */
export function hex(colour: Rgb): string {
  const channel = (l: number): string => {
    const soft = l > 0.8 ? 0.8 + 0.2 * (1 - Math.exp(-(l - 0.8) / 0.2)) : Math.max(0, l)
    return Math.round(clamp(toSrgb(soft), 0, 1) * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(colour[0])}${channel(colour[1])}${channel(colour[2])}`
}

export const blend = (a: Rgb, b: Rgb, t: number): Rgb => [
  mix(a[0], b[0], t),
  mix(a[1], b[1], t),
  mix(a[2], b[2], t),
]
export const scale = (a: Rgb, k: number): Rgb => [a[0] * k, a[1] * k, a[2] * k]
