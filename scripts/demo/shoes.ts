import { cloth, leather, satin } from './materials.ts'
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

const HEIGHT = curve([
  [0, 1.28, 0],
  [0, 1.2, 0],
  [0, 1.02, 0],
  [0, 1.02, 0],
  [0, 1.3, 0],
  [0, 1.2, 0],
  [0, 0.96, 0],
  [0, 0.74, 0],
  [0, 0.58, 0],
  [0, 0.5, 0],
  [0, 0.4, 0],
])
const WIDTH = curve([
  [0, 0.46, 0],
  [0, 0.5, 0],
  [0, 0.5, 0],
  [0, 0.5, 0],
  [0, 0.52, 0],
  [0, 0.58, 0],
  [0, 0.66, 0],
  [0, 0.72, 0],
  [0, 0.72, 0],
  [0, 0.62, 0],
  [0, 0.44, 0],
])

const ends = (t: number): number =>
  Math.sqrt(Math.max(0, 1 - clamp((0.05 - t) / 0.05, 0, 1) ** 2.2)) *
  Math.sqrt(Math.max(0, 1 - clamp((t - 0.88) / 0.12, 0, 1) ** 2.2))
const width = (t: number): number => WIDTH(t)[1] * ends(t)
const height = (t: number): number => HEIGHT(t)[1] * mix(1, ends(t), t > 0.5 ? 0.75 : 0.08)

/** A point of the upper: t from heel to toe, angle 0 at the right side, 90° on top. */
const upper = (t: number, angle: number, out = 0): V3 => {
  const side =
    Math.sign(Math.cos(angle)) * Math.abs(Math.cos(angle)) ** mix(0.62, 0.75, smoothstep(0.45, 0.75, t))
  const lean = 0.72 + 0.28 * (1 - Math.max(0, Math.sin(angle)) ** 2)
  return [
    mix(-2, 2, t),
    (height(t) + out) * Math.max(0, Math.sin(angle)) ** 0.85,
    (width(t) + out) * side * lean,
  ]
}

/** Finds the point of the upper at `z` beside its ridge, by bisection. */
function onRidge(t: number, z: number): V3 {
  let [low, high] = [0, Math.PI / 2]
  for (let i = 0; i < 16; i++) {
    const middle = (low + high) / 2
    if (upper(t, middle)[2] > Math.abs(z)) low = middle
    else high = middle
  }
  const [x, y] = upper(t, low)
  return [x, y, z]
}

/** Whether a point of the upper is in the mouth of the shoe. */
const isInside = (p: V3, t: number): boolean =>
  p[1] > 0.4 && ((t - 0.195) / 0.165) ** 2 + (p[2] / 0.33) ** 2 < 0.95

/** A low sneaker in profile, toe to the right: sole, upper with panels, laces and padded collar. */
export function sneaker(paint: SneakerPaint, style: 'canvas' | 'runner' = 'canvas'): Part[] {
  const fabric = (colour: string): Material => (style === 'canvas' ? cloth(colour) : leather(colour))
  const skin: Part = {
    material: fabric(paint.upper),
    isSolid: true,
    isOutward: true,
    isCut: isInside,
    at: (u, v) => upper(u, Math.PI * v),
  }
  const inside: Part = {
    material: cloth(paint.lining),
    fine: [0.6, 0.6],
    isCut: (p, u) => isInside(p, mix(0.03, 0.55, u)),
    at: (u, v) => upper(mix(0.03, 0.55, u), Math.PI * v, -0.03),
  }
  /** A panel sewn onto the upper between two lines across it, each given by the height 0 (sole) to 1 (ridge). */
  const panel = (
    from: (top: number) => number,
    to: (top: number) => number,
    colour: string,
    v0 = 0,
    v1 = 1,
  ): Part => ({
    material: fabric(colour),
    isSolid: true,
    isOutward: true,
    layer: 1,
    at: (u, v) => {
      const along = mix(v0, v1, v)
      const top = 1 - Math.abs(along - 0.5) * 2
      return upper(mix(from(top), to(top), u), Math.PI * along, 0.012)
    },
  })
  const panels =
    style === 'canvas'
      ? [
          panel(
            (top) => 0.83 + 0.05 * top,
            () => 1,
            paint.toe,
          ),
          panel(
            () => 0,
            (top) => 0.1 - 0.03 * top,
            paint.accent,
            0,
            0.42,
          ),
          panel(
            () => 0,
            (top) => 0.1 - 0.03 * top,
            paint.accent,
            0.58,
            1,
          ),
        ]
      : [
          panel(
            (top) => 0.86 - 0.06 * Math.sin(top * 3),
            () => 1,
            paint.toe,
          ),
          panel(
            () => 0,
            (top) => 0.17 - 0.1 * top,
            paint.accent,
            0,
            0.4,
          ),
          panel(
            () => 0,
            (top) => 0.17 - 0.1 * top,
            paint.accent,
            0.6,
            1,
          ),
          ...[
            [0.04, 0.33],
            [0.67, 0.96],
          ].map(([a = 0, b = 1]) =>
            panel(
              (top) => 0.3 + 0.42 * top * top,
              (top) => 0.42 + 0.3 * top,
              paint.accent,
              a,
              b,
            ),
          ),
        ]
  const collar = (t: number): V3 => {
    const a = t * 2 * Math.PI
    return onRidge(0.195 - 0.165 * Math.cos(a), 0.325 * Math.sin(a))
  }
  const rim = tube(collar, 0.085, cloth(paint.lining), { isRing: true, side: [0, 1, 0], layer: 3 })
  const tongue = tube(
    curve([
      upper(0.6, Math.PI / 2, -0.02),
      upper(0.5, Math.PI / 2, 0.03),
      upper(0.42, Math.PI / 2, 0.08),
      add3(upper(0.36, Math.PI / 2, 0.1), [-0.05, 0.2, 0]),
    ]),
    (t) => [0.27 - 0.06 * t, 0.075],
    cloth(paint.upper),
    { layer: 4 },
  )
  const laces = [0.42, 0.48, 0.54, 0.6, 0.66].map((s) =>
    tube(
      curve([
        upper(s + 0.012, 1.02, 0.0),
        upper(s + 0.006, 1.25, 0.05),
        upper(s, Math.PI / 2, 0.075),
        upper(s - 0.006, Math.PI - 1.25, 0.05),
        upper(s - 0.012, Math.PI - 1.02, 0.0),
      ]),
      () => [0.055, 0.028],
      cloth(paint.lace),
      { side: [1, 0, 0], layer: 5 },
    ),
  )
  const bow = [-1, 1].map((k) =>
    tube(
      curve([
        upper(0.42, Math.PI / 2, 0.1),
        add3(upper(0.44, Math.PI / 2, 0.1), [0.05, 0.14, k * 0.3]),
        add3(upper(0.48, Math.PI / 2, 0.05), [0.1, -0.05, k * 0.55]),
        add3(upper(0.46, Math.PI / 2, 0.06), [0, 0, k * 0.2]),
      ]),
      0.035,
      cloth(paint.lace),
      { side: [1, 0, 0], layer: 6 },
    ),
  )
  const thick = style === 'canvas' ? 0.19 : 0.27
  const sole = tube(
    (t) => [
      mix(-2.06, 2.08, t),
      -thick + (style === 'runner' ? 0.1 * smoothstep(0.6, 1, t) ** 2 : 0.02) + 0.12,
      0,
    ],
    (t) => [width(clamp(t, 0.004, 0.996)) + 0.07, thick * mix(0.5, 1, ends(t))],
    satin(paint.sole),
    { power: 0.4, layer: 1 },
  )
  const stripe =
    style === 'canvas'
      ? [
          tube(
            curve(
              Array.from({ length: 24 }, (_, i) => {
                const t = 0.03 + (0.94 * i) / 23
                return [mix(-2.06, 2.08, t), 0.02, width(t) + 0.075] as V3
              }),
            ),
            () => [0.012, 0.03],
            satin(paint.accent),
            { layer: 2, isLight: true },
          ),
        ]
      : []
  return [skin, inside, ...panels, rim, tongue, ...laces, ...bow, sole, ...stripe]
}

const add3 = (a: V3, b: V3): V3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
