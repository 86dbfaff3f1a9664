import { type Rgb, rgb, scale } from './colour.ts'
import { cloth, glazed, matt, metal, satin } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { bar, disc, placed, tube, turned } from './shapes.ts'
import { clamp, curve, mix, pitch, roll, type V3 } from './vector.ts'

/** Turned on the z axis instead of upright: faces the camera. */
const facing = (parts: readonly Part[], z = 0): Part[] =>
  placed(parts, (p) => {
    const q = pitch(p, Math.PI / 2)
    return [q[0], q[1], q[2] + z]
  })

const hand = (
  angle: number,
  from: number,
  to: number,
  z: number,
  thick: number,
  m: Material,
  layer: number,
): Part => {
  const [s, c] = [Math.sin(angle), Math.cos(angle)]
  return tube(
    (t) => [mix(from, to, t) * s, mix(from, to, t) * c, z],
    (t) => [0.012, thick * (1 - 0.4 * t)],
    m,
    { layer, isLight: true },
  )
}

/** Bars at the hours; every third is longer. */
const hours = (radius: number, z: number, m: Material, layer: number): Part[] =>
  Array.from({ length: 12 }, (_, i) =>
    hand(
      (i * Math.PI) / 6,
      radius * (i % 3 ? 0.87 : 0.8),
      radius * 0.95,
      z,
      radius * (i % 3 ? 0.014 : 0.026),
      m,
      layer,
    ),
  )

/** A wrist watch facing the camera, its strap bending away above and below. */
export function watch(strap: Material, steel: string, dial: string, mark: string): Part[] {
  const caseMetal = metal(steel, 0.12)
  const band = (s: number): Part =>
    tube(
      curve([
        [0, s * 0.85, 0],
        [0, s * 1.4, -0.02],
        [0, s * 2, -0.2],
        [0, s * 2.45, -0.65],
        [0, s * 2.6, -1.2],
      ]),
      (t) => [0.07, mix(0.68, 0.58, t)],
      strap,
      { power: 0.5 },
    )
  const body = facing([
    turned(
      [
        [0, -0.12],
        [0.9, -0.12],
        [1.02, -0.04],
        [1.05, 0.1],
        [1, 0.22],
        [0.94, 0.25],
        [0.88, 0.2],
        [0.86, 0.18],
      ],
      caseMetal,
    ),
  ])
  const face = disc(
    [0, 0, 0.17],
    (a) => [0.88 * Math.cos(a), 0.88 * Math.sin(a)],
    () => 0,
    { ...satin(dial), gloss: 0.5 },
    { layer: 1, fine: [0.4, 0.5] },
  )
  const lugs = [-1, 1].flatMap((x) =>
    [-1, 1].map((y) =>
      tube(
        curve([
          [x * 0.62, y * 0.72, 0.1],
          [x * 0.64, y * 1.0, 0.08],
          [x * 0.62, y * 1.12, -0.05],
        ]),
        0.09,
        caseMetal,
      ),
    ),
  )
  const marks = [
    ...hours(0.86, 0.19, metal(mark, 0.2), 2),
    hand(5.2, -0.12, 0.46, 0.2, 0.035, metal(mark, 0.2), 3),
    hand(0.95, -0.12, 0.7, 0.21, 0.026, metal(mark, 0.2), 4),
    hand(3.4, -0.2, 0.74, 0.22, 0.01, satin('#c23b2e'), 5),
  ]
  const pin = facing(
    [
      turned(
        [
          [0, 0],
          [0.05, 0],
          [0.05, 0.03],
          [0, 0.04],
        ],
        caseMetal,
        { layer: 6 },
      ),
    ],
    0.2,
  )
  const crown = bar([1.03, 0, 0.08], [1.2, 0, 0.08], 0.1, caseMetal)
  return [band(1), band(-1), ...body, face, ...lugs, ...marks, ...pin, crown]
}

/** A steel bracelet for {@link watch}: links across the band. */
export const bracelet = (steel: string): Material => {
  const base = rgb(steel)
  return {
    ...metal(steel, 0.25),
    colour: (u, v) =>
      scale(base, (u * 26) % 1 < 0.14 ? 0.35 : Math.abs(((v * 2) % 1) - 0.5) < 0.12 ? 1.15 : 0.92),
    bump: (u) => [0, 0.5 * Math.sin(u * 26 * 2 * Math.PI), 0],
  }
}

/** A round wall clock. */
export function wallClock(rim: Material, dial: string, ink: string, form: { width?: number } = {}): Part[] {
  const { width = 0.2 } = form
  const edge = facing([
    turned(
      [
        [0, -0.1],
        [2, -0.1],
        [2.02, 0.1],
        [1.98, 0.26],
        [1.9, 0.3],
        [2 - width, 0.24],
        [1.97 - width, 0.12],
      ],
      rim,
    ),
  ])
  const r = 1.98 - width
  const face = disc(
    [0, 0, 0.12],
    (a) => [r * Math.cos(a), r * Math.sin(a)],
    () => 0,
    matt(dial),
    { layer: 1, fine: [0.3, 0.4] },
  )
  const dark = satin(ink)
  const minutes = Array.from({ length: 60 }, (_, i) =>
    hand((i * Math.PI) / 30, r * 0.92, r * 0.96, 0.13, 0.01, dark, 2),
  )
  return [
    ...edge,
    face,
    ...hours(r, 0.13, dark, 2),
    ...minutes,
    hand(5.27, -0.25, r * 0.52, 0.18, 0.07, dark, 3),
    hand(1.05, -0.3, r * 0.78, 0.2, 0.05, dark, 4),
    hand(2.9, -0.35, r * 0.82, 0.22, 0.015, satin('#c0392b'), 5),
    disc(
      [0, 0, 0.24],
      (a) => [0.09 * Math.cos(a), 0.09 * Math.sin(a)],
      () => 0,
      dark,
      { layer: 6 },
    ),
  ]
}

/** Sunglasses standing on their arms. `lens` is dark glass, clearer towards the bottom. */
export function sunglasses(
  frame: Material,
  lens: string,
  form: 'square' | 'round' | 'aviator' = 'square',
): Part[] {
  const outline =
    (s: number) =>
    (a: number): readonly [number, number] => {
      const [c, k] = [Math.cos(a), Math.sin(a)]
      if (form === 'round') return [0.82 * c, 0.78 * k]
      const p = form === 'square' ? 0.62 : 0.78
      const x = Math.sign(c) * Math.abs(c) ** p
      const y = Math.sign(k) * Math.abs(k) ** p
      const lower = k < 0 ? 1 : 0.82
      const lean = form === 'aviator' ? 0.16 * s * Math.min(0, k) : -0.08 * s * k * -1
      return [0.93 * x + lean, (form === 'aviator' ? 0.8 : 0.68) * y * lower]
    }
  const wrap = (x: number): number => -0.12 * x * x * 0.8
  const tint = rgb(lens)
  const glass: Material = {
    ...glazed((_u, v, p): Rgb => scale(tint, 0.55 + 0.9 * clamp(0.5 - p[1] * 0.6, 0, 1) + 0 * v)),
    gloss: 1.2,
    rough: 0.03,
  }
  const parts = [-1, 1]
    .flatMap((s) => {
      const x0 = s * 1.1
      const rimPath = (t: number): V3 => {
        const [x, y] = outline(s)(t * 2 * Math.PI)
        return [x0 + x, y, wrap(x0 + x)]
      }
      return [
        disc([x0, 0, 0], outline(s), () => 0, glass, { fine: [0.5, 0.7] }),
        tube(rimPath, form === 'square' ? () => [0.075, 0.1] : () => [0.05, 0.05], frame, {
          isRing: true,
          layer: 2,
        }),
        tube(
          curve([
            [s * 2.0, 0.34, wrap(2)],
            [s * 2.14, 0.36, -0.55],
            [s * 2.12, 0.34, -1.6],
            [s * 2.05, 0.3, -2.9],
            [s * 2.0, -0.1, -3.5],
            [s * 1.98, -0.4, -3.75],
          ]),
          (t) => (form === 'square' ? [0.06, 0.13 - 0.05 * t] : [0.045, 0.06]),
          frame,
          { side: [1, 0, 0] },
        ),
      ]
    })
    .map((part, i) =>
      i % 3
        ? part
        : {
            ...part,
            at: (u: number, v: number): V3 => {
              const [x, y] = part.at(u, v)
              return [x, y, wrap(x) + 0.05 * (1 - v * v)]
            },
          },
    )
  const bridge = tube(
    curve([
      [-0.24, 0.2, 0],
      [0, 0.3, 0.03],
      [0.24, 0.2, 0],
    ]),
    form === 'square' ? () => [0.07, 0.085] : () => [0.045, 0.045],
    frame,
    { layer: 2 },
  )
  const brow =
    form === 'aviator'
      ? [
          tube(
            curve([
              [-0.45, 0.56, 0],
              [0, 0.6, 0.02],
              [0.45, 0.56, 0],
            ]),
            0.04,
            frame,
            { layer: 2 },
          ),
        ]
      : []
  return [...parts, bridge, ...brow]
}

/** Mottled brown horn. */
export const tortoise = (): Material => ({
  ...glazed((_u, _v, p): Rgb => {
    const k = 0.5 + 0.5 * Math.sin(p[0] * 7 + Math.sin(p[1] * 9) * 2 + Math.sin(p[2] * 5) * 2)
    return scale(rgb('#8a4b1f'), 0.25 + 0.9 * k)
  }),
  gloss: 1,
})

/** An open umbrella of eight panels, leaning; `panels` are used in turn. */
export function umbrella(panels: readonly string[], grip: Material): Part[] {
  const colours = panels.map(rgb)
  const skin: Material = {
    ...cloth((u) => colours[Math.floor(u * 8) % colours.length] ?? [1, 1, 1], 14, 0.08),
    gloss: 0.35,
    rough: 0.6,
  }
  const top = (u: number, v: number): V3 => {
    const a = u * 2 * Math.PI
    const slack = Math.abs(Math.sin(a * 4))
    const bow = v * (Math.PI / 2) * 0.86
    const r = 2.3 * Math.sin(bow) * (1 - 0.07 * slack * v * v)
    return [
      r * Math.sin(a),
      1.75 * Math.cos(bow) - 0.1 * slack * Math.sin(v * Math.PI) + 0.12 * slack * v ** 4,
      r * Math.cos(a),
    ]
  }
  const canopy: Part = { material: skin, at: top, fine: [1, 1] }
  const ribs = Array.from({ length: 8 }, (_, i) =>
    tube(
      (t) => {
        const [x, y, z] = top(i / 8, Math.max(0.02, t))
        return [x, y - 0.02, z]
      },
      0.014,
      metal('#8f9398', 0.3),
      { side: [0, 1, 0], isLight: true },
    ),
  )
  const seams = Array.from({ length: 8 }, (_, i) =>
    tube(
      (t) => {
        const [x, y, z] = top(i / 8, Math.max(0.02, t))
        return [x, y + 0.012, z]
      },
      0.012,
      { ...skin, colour: () => scale(colours[0] ?? [1, 1, 1], 0.55) },
      { side: [0, 1, 0], isLight: true },
    ),
  )
  const shaft = bar([0, 2.05, 0], [0, -1.9, 0], 0.035, metal('#55585c', 0.25))
  const hook = tube(
    curve([
      [0, -1.6, 0],
      [0, -2.1, 0],
      [0.02, -2.4, 0],
      [0.25, -2.62, 0],
      [0.5, -2.45, 0],
      [0.52, -2.25, 0],
    ]),
    0.075,
    grip,
  )
  return placed([canopy, ...ribs, ...seams, shaft, hook], (p) => roll(pitch(p, -0.28), -0.42))
}
