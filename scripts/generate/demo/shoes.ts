import { blend, type Rgb, rgb } from './colour.ts'
import { cloth, leather, matt, satin } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { tube } from './shapes.ts'
import { clamp, curve, mix, smoothstep, type V3 } from './vector.ts'

/** Colours of a sneaker as `#rrggbb`. */
export interface SneakerPaint {
  readonly upper: string
  readonly accent: string
  readonly toe: string
  readonly sole: string
  readonly lace: string
  readonly lining: string
}

const HEIGHT = curve([[0, 1.28, 0], [0, 1.2, 0], [0, 1.02, 0], [0, 1.02, 0], [0, 1.3, 0], [0, 1.2, 0], [0, 0.96, 0], [0, 0.74, 0], [0, 0.58, 0], [0, 0.5, 0], [0, 0.4, 0]])
const WIDTH = curve([[0, 0.46, 0], [0, 0.5, 0], [0, 0.5, 0], [0, 0.5, 0], [0, 0.52, 0], [0, 0.58, 0], [0, 0.66, 0], [0, 0.72, 0], [0, 0.72, 0], [0, 0.62, 0], [0, 0.44, 0]])

const ends = (t: number): number => Math.sqrt(Math.max(0, 1 - clamp((0.05 - t) / 0.05, 0, 1) ** 2.2)) * Math.sqrt(Math.max(0, 1 - clamp((t - 0.88) / 0.12, 0, 1) ** 2.2))
const width = (t: number): number => WIDTH(t)[1] * ends(t)
const height = (t: number): number => HEIGHT(t)[1] * mix(1, ends(t), t > 0.5 ? 0.75 : 0.08)

/** A point of the upper: t from heel to toe, angle 0 at the right side, 90° on top. */
const upper = (t: number, angle: number, out = 0): V3 => {
  const side = Math.sign(Math.cos(angle)) * Math.abs(Math.cos(angle)) ** (t > 0.6 ? 0.75 : 0.62)
  const lean = 0.72 + 0.28 * (1 - Math.max(0, Math.sin(angle)) ** 2)
  return [mix(-2, 2, t), (height(t) + out) * Math.max(0, Math.sin(angle)) ** 0.85, (width(t) + out) * side * lean]
}

/** A low sneaker in profile, toe to the right: sole, upper with panels, laces and padded collar. */
export function sneaker(paint: SneakerPaint, style: 'canvas' | 'runner' = 'canvas'): Part[] {
  const colours = { main: rgb(paint.upper), accent: rgb(paint.accent), toe: rgb(paint.toe), lining: rgb(paint.lining) }
  const panel = (u: number, v: number): Rgb => {
    const side = Math.abs(v - 0.5) * 2
    const top = 1 - side
    if (style === 'canvas') {
      if (u > 0.835 + 0.04 * top) return colours.toe
      if (u < 0.085) return colours.accent
      if (Math.abs(u - 0.085) < 0.006 || (u > 0.36 && u < 0.368 && top < 0.62)) return blend(colours.main, [0, 0, 0], 0.3)
      return colours.main
    }
    const wave = u - 0.3 - top * 0.32
    if (u > 0.9 || (top < 0.12 && u > 0.55)) return colours.toe
    if (u < 0.12 - 0.05 * top) return colours.accent
    if ((Math.abs(wave) < 0.03 || Math.abs(wave - 0.1) < 0.03 || Math.abs(wave - 0.2) < 0.03) && top < 0.62) return colours.accent
    return colours.main
  }
  const fabric: Material = style === 'canvas' ? cloth((u, v) => panel(u, v), 16, 0.16) : leather((u, v) => panel(u, v), 9, 0.06)
  const skin: Part = { material: fabric, isSolid: true, isOutward: true, fine: [1.3, 1.1], at: (u, v) => upper(u, Math.PI * v) }
  const opening: Part = {
    material: matt((_u, v) => blend([0.01, 0.01, 0.01], colours.lining, smoothstep(0.6, 1, v) * 0.6), 0),
    layer: 3,
    isLight: true,
    at: (u, v) => {
      const [x, y, z] = collar(u)
      return [mix(-1.28, x, v), mix(0.85, y, v * v), z * v]
    },
  }
  const collar = (t: number): V3 => {
    const a = t * 2 * Math.PI
    const s = 0.195 + 0.165 * -Math.cos(a)
    const [x, y] = upper(s, Math.PI / 2, 0.015)
    return [x, y - 0.02, 0.33 * Math.sin(a) * (s < 0.2 ? 0.95 : 1)]
  }
  const rim = tube(collar, 0.06, cloth(paint.lining, 14), { isRing: true, side: [0, 1, 0], layer: 4 })
  const tongue = tube(curve([upper(0.6, Math.PI / 2, -0.02), upper(0.5, Math.PI / 2, 0.03), upper(0.42, Math.PI / 2, 0.08), add3(upper(0.36, Math.PI / 2, 0.1), [-0.05, 0.2, 0])]), () => [0.24, 0.05], cloth(paint.upper, 14), { layer: 4 })
  const laces = [0.42, 0.48, 0.54, 0.6, 0.66].map((s) =>
    tube(curve([upper(s + 0.012, 1.02, 0.0), upper(s + 0.006, 1.25, 0.05), upper(s, Math.PI / 2, 0.075), upper(s - 0.006, Math.PI - 1.25, 0.05), upper(s - 0.012, Math.PI - 1.02, 0.0)]), () => [0.055, 0.028], cloth(paint.lace, 20), { side: [1, 0, 0], layer: 5 }),
  )
  const bow = [-1, 1].map((k) => tube(curve([upper(0.42, Math.PI / 2, 0.1), add3(upper(0.44, Math.PI / 2, 0.1), [0.05, 0.14, k * 0.3]), add3(upper(0.48, Math.PI / 2, 0.05), [0.1, -0.05, k * 0.55]), add3(upper(0.46, Math.PI / 2, 0.06), [0, 0, k * 0.2])]), 0.035, cloth(paint.lace, 20), { side: [1, 0, 0], layer: 6 }))
  const thick = style === 'canvas' ? 0.19 : 0.27
  const sole = tube((t) => [mix(-2.06, 2.08, t), -thick + (style === 'runner' ? 0.1 * smoothstep(0.6, 1, t) ** 2 : 0.02) + 0.12, 0], (t) => [width(clamp(t, 0.004, 0.996)) + 0.07, thick * mix(0.5, 1, ends(t))], satin(paint.sole), { power: 0.4, isSolid: true })
  const stripe = style === 'canvas'
    ? [tube(curve(Array.from({ length: 24 }, (_, i) => { const t = 0.03 + (0.94 * i) / 23; return [mix(-2.06, 2.08, t), 0.02, width(t) + 0.075] as V3 })), () => [0.012, 0.03], satin(paint.accent), { layer: 2, isLight: true })]
    : []
  return [skin, opening, rim, tongue, ...laces, ...bow, sole, ...stripe]
}

const add3 = (a: V3, b: V3): V3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
