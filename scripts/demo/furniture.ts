import { cloth, metal, satin, wood } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { bar, block, placed, tube, turned } from './shapes.ts'
import { clamp, curve, roll, type V3 } from './vector.ts'

export const OAK = (axis: 0 | 1 | 2): Material => wood('#c68f58', '#8d5a2e', axis)
export const WALNUT = (axis: 0 | 1 | 2): Material => wood('#7d4e2d', '#4a2a16', axis)

const slant = (from: V3, to: V3, thick: number, thin: number, m: Material): Part =>
  bar(from, to, (t) => [thick + (thin - thick) * t, thick + (thin - thick) * t], m)

/** A dining chair of wood: saddle seat, four splayed legs, a back of spindles under a curved rail. */
export function spindleChair(timber: (axis: 0 | 1 | 2) => Material): Part[] {
  const seat = block([0, 2, 0], [2.3, 0.2, 2.1], 0.1, timber(0), {
    bend: ([x, y, z]) => [
      x * (1 - 0.05 * (z < 0 ? -z : 0)),
      y - 0.09 * (1 - (x / 1.15) ** 2) * (y > 2 ? 1 : 0) * (z > -0.9 ? 1 : 0.3),
      z,
    ],
  })
  const legs = [-1, 1].flatMap((s) => [
    slant([s * 1.02, 0, 1.0], [s * 0.85, 1.95, 0.8], 0.075, 0.11, timber(1)),
    slant([s * 1.0, 0, -1.15], [s * 0.82, 1.95, -0.8], 0.075, 0.11, timber(1)),
    slant([s * 0.98, 0.85, 0.93], [s * 0.95, 0.85, -1], 0.06, 0.06, timber(2)),
  ])
  const posts = [-1, 1].map((s) =>
    slant([s * 0.95, 2.02, -0.9], [s * 1.02, 4.25, -1.45], 0.1, 0.075, timber(1)),
  )
  const spindles = [-0.62, -0.31, 0, 0.31, 0.62].map((x) =>
    slant([x, 2.05, -0.92], [x * 1.08, 4, -1.44 - 0.12 * (1 - x * x)], 0.055, 0.055, timber(1)),
  )
  const rail = block([0, 4.1, -1.42], [2.3, 0.5, 0.14], 0.07, timber(0), {
    bend: ([x, y, z]) => [x, y + 0.1 * (1 - x * x), z - 0.16 * (1 - (x / 1.15) ** 2)],
  })
  return [
    ...seat,
    ...legs,
    bar([-0.96, 0.85, 0], [0.96, 0.85, 0], 0.06, timber(0)),
    ...posts,
    ...spindles,
    ...rail,
  ]
}

/** A moulded shell chair on wooden legs. */
export function shellChair(shell: Material, timber: (axis: 0 | 1 | 2) => Material): Part[] {
  const spine = curve([
    [0, 2.1, 1.15],
    [0, 2.16, 0.9],
    [0, 2.0, 0.2],
    [0, 1.98, -0.4],
    [0, 2.25, -0.9],
    [0, 3.1, -1.2],
    [0, 4.15, -1.42],
  ])
  const shellSheet = (offset: number): Part => ({
    material: shell,
    at: (u, v) => {
      const [, y, z] = spine(v)
      const x = (u - 0.5) * 2
      const width =
        1.12 -
        0.12 * clamp((v - 0.45) / 0.55, 0, 1) ** 3 -
        0.3 * clamp((v - 0.9) / 0.1, 0, 1) ** 2 -
        0.12 * clamp((0.1 - v) / 0.1, 0, 1) ** 2
      const curl = Math.abs(x) ** 2.6
      const isSeat = 1 - clamp((v - 0.35) / 0.3, 0, 1)
      return [x * width, y + curl * 0.26 * isSeat + offset, z + curl * 0.34 * (1 - isSeat) + offset]
    },
  })
  const legs = [-1, 1].flatMap((s) => [
    slant([s * 1.05, 0, 1.0], [s * 0.6, 1.95, 0.55], 0.07, 0.12, timber(1)),
    slant([s * 1.05, 0, -1.05], [s * 0.6, 1.95, -0.5], 0.07, 0.12, timber(1)),
  ])
  const steel = metal('#3a3a3c', 0.4)
  const struts = [
    bar([-0.75, 1.3, 0.7], [0.75, 1.75, -0.5], 0.03, steel),
    bar([0.75, 1.3, 0.7], [-0.75, 1.75, -0.5], 0.03, steel),
  ]
  return [shellSheet(0), shellSheet(-0.05), ...legs, ...struts]
}

/** Seat and back cushions, arms and feet; `seats` cushions side by side. */
export function sofa(
  cover: Material,
  seats: number,
  foot: Material = WALNUT(1),
  form: { arm?: number } = {},
): Part[] {
  const { arm = 0.55 } = form
  const wide = seats * 2
  const puff =
    (cx: number, w: number, sag: number) =>
    (p: V3): V3 => {
      const k = 1 - clamp(Math.abs(p[0] - cx) / (w / 2), 0, 1) ** 2
      return [p[0], p[1] + sag * k * (p[1] > 1.5 ? 1 : 0), p[2] + sag * k * (p[2] > 0 ? 0.7 : 0)]
    }
  const cushions = Array.from({ length: seats }, (_, i) => {
    const x = -wide / 2 + 1 + i * 2
    const back = block([x, 2.35, -0.72], [1.94, 1.5, 0.62], 0.28, cover, {
      bend: (p) => [
        p[0],
        p[1] + 0.06 * (1 - ((p[0] - x) / 1) ** 2) * (p[1] > 2.4 ? 1 : 0),
        p[2] - 0.2 * (p[1] - 2.2) + 0.14 * (1 - ((p[0] - x) / 0.97) ** 2) * (1 - ((p[1] - 2.35) / 0.75) ** 2),
      ],
    })
    return [...block([x, 1.4, 0.22], [1.96, 0.55, 2.1], 0.2, cover, { bend: puff(x, 1.96, 0.1) }), ...back]
  }).flat()
  const arms = [-1, 1].flatMap((s) =>
    block([s * (wide / 2 + arm / 2), 1.45, 0], [arm, 1.75, 2.5], 0.24, cover),
  )
  const base = block([0, 0.82, 0], [wide + 0.1, 0.62, 2.4], 0.1, cover)
  const rear = block([0, 1.9, -1.1], [wide + 0.1, 2.1, 0.4], 0.2, cover)
  const feet = [-1, 1].flatMap((s) =>
    [0.95, -0.95].map((z) =>
      slant(
        [s * (wide / 2 + arm * 0.4), 0, z],
        [s * (wide / 2 + arm * 0.3), 0.62, z * 0.95],
        0.08,
        0.13,
        foot,
      ),
    ),
  )
  return [...base, ...rear, ...arms, ...cushions, ...feet]
}

/** A lamp with a cloth shade on a turned foot. */
export function tableLamp(
  shade: string,
  foot: Material,
  form: 'vase' | 'stem' | 'globe' = 'vase',
  trim = '#b08d57',
): Part[] {
  const glow: Material = { ...cloth(shade), glow: 0.28 }
  const brass = metal(trim, 0.25)
  const profiles = {
    vase: [
      [0, 0],
      [0, 0],
      [0.5, 0],
      [0.52, 0.05],
      [0.46, 0.14],
      [0.4, 0.2],
      [0.62, 0.6],
      [0.7, 0.95],
      [0.58, 1.35],
      [0.3, 1.65],
      [0.17, 1.8],
      [0.15, 2],
    ],
    stem: [
      [0, 0],
      [0, 0],
      [0.72, 0],
      [0.74, 0.06],
      [0.7, 0.12],
      [0.3, 0.2],
      [0.12, 0.32],
      [0.09, 0.6],
      [0.09, 1.5],
      [0.09, 2],
    ],
    globe: [
      [0, 0],
      [0, 0],
      [0.45, 0],
      [0.47, 0.06],
      [0.42, 0.12],
      [0.5, 0.2],
      [0.82, 0.62],
      [0.86, 0.95],
      [0.7, 1.35],
      [0.32, 1.58],
      [0.14, 1.68],
      [0.13, 2],
    ],
  } as const
  const [low, high] = form === 'stem' ? [1.25, 0.85] : [1.4, 0.88]
  return [
    turned(profiles[form], foot),
    turned(
      [
        [0.07, 1.8],
        [0.07, 2.1],
      ],
      brass,
    ),
    turned(
      [
        [low, 2],
        [low, 2],
        [high, 3.65],
        [high, 3.65],
      ],
      glow,
    ),
    turned(
      [
        [low + 0.012, 2],
        [low + 0.012, 2],
        [low - 0.005, 2.05],
        [low - 0.005, 2.05],
      ],
      satin(trim),
      { layer: 1 },
    ),
    turned(
      [
        [high + 0.02, 3.6],
        [high + 0.02, 3.6],
        [high + 0.01, 3.66],
        [high - 0.02, 3.66],
      ],
      satin(trim),
      { layer: 1 },
    ),
    turned(
      [
        [0.03, 3.6],
        [0.03, 3.8],
        [0.08, 3.86],
        [0.06, 3.94],
        [0, 3.97],
      ],
      brass,
    ),
  ]
}

/** A jointed desk lamp with a bell-shaped head. */
export function deskLamp(paint: string): Part[] {
  const m = satin(paint)
  const steel = metal('#b9bcc0', 0.25)
  const head = placed(
    [
      turned(
        [
          [0.1, 0.75],
          [0.2, 0.74],
          [0.27, 0.62],
          [0.3, 0.45],
          [0.62, 0.1],
          [0.78, -0.35],
          [0.8, -0.42],
          [0.76, -0.42],
          [0.6, 0.05],
          [0.2, 0.35],
        ],
        m,
      ),
    ],
    (p) => {
      const q = roll(p, 0.75)
      return [q[0] + 1.15, q[1] + 3.05, q[2]]
    },
  )
  return [
    turned(
      [
        [0, 0],
        [0, 0],
        [0.85, 0],
        [0.88, 0.06],
        [0.84, 0.13],
        [0.2, 0.2],
        [0.12, 0.34],
        [0, 0.36],
      ],
      m,
    ),
    bar([0, 0.2, 0], [-0.75, 1.95, 0], 0.055, steel),
    bar([-0.75, 1.95, 0], [0.75, 3.4, 0], 0.055, steel),
    bar([-0.75, 1.95, -0.14], [-0.75, 1.95, 0.14], 0.13, m, { side: [1, 0, 0] }),
    bar([0.72, 3.37, -0.14], [0.72, 3.37, 0.14], 0.13, m, { side: [1, 0, 0] }),
    ...head,
  ]
}

/** A square cushion seen from the front, slightly leaning; `paint` colours u and v from 0 to 1. */
export function cushion(cover: Material, piping: Material, weave = 1): Part[] {
  const edge = (u: number, v: number): [number, number] => {
    const x = u * 2 - 1
    const y = v * 2 - 1
    return [x * (1.5 - 0.17 * (1 - y * y)), y * (1.5 - 0.17 * (1 - x * x))]
  }
  const face = (sign: number): Part => ({
    material: cover,
    fine: [weave, weave],
    at: (u, v) => {
      const [x, y] = edge(u, v)
      const rise = (Math.max(0, 1 - (u * 2 - 1) ** 2) * Math.max(0, 1 - (v * 2 - 1) ** 2)) ** 0.42
      const crease =
        0.035 *
        Math.sin(11 * Math.atan2(v - 0.5, u - 0.5) + 1) *
        clamp(Math.hypot(u - 0.5, v - 0.5) * 2 - 0.3, 0, 1) *
        rise
      return [x, y, sign * (0.62 * rise + crease)]
    },
  })
  const seam = (t: number): V3 => {
    const s = (((t % 1) + 1) % 1) * 4
    const k = s % 1
    const [u, v] = s < 1 ? [k, 0] : s < 2 ? [1, k] : s < 3 ? [1 - k, 1] : [0, 1 - k]
    const [x, y] = edge(u, v)
    return [x, y, 0]
  }
  return [face(1), face(-1), tube(seam, 0.035, piping, { isRing: true })].map((part) => ({
    ...part,
    at: (u: number, v: number) => {
      const [x, y, z] = part.at(u, v)
      return [x, y, z - 0.12 * y] as V3
    },
  }))
}
