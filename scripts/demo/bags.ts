import { leather, metal, satin } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { ball, bar, block, tube } from './shapes.ts'
import { clamp, curve, smoothstep, type V3 } from './vector.ts'

/** A day pack seen from the front: body, pocket with zip, top handle, shoulder straps, side pockets. */
export function backpack(
  body: Material,
  trim: Material,
  zip: string,
  form: { pocket?: Material; patch?: string } = {},
): Part[] {
  const shape = (p: V3): V3 => {
    const k = smoothstep(2.2, 3.9, p[1])
    const low = smoothstep(0.8, 0, p[1])
    const belly = 0.12 * Math.sin((clamp(p[1], 0, 3.9) / 3.9) * Math.PI)
    const crease = 0.02 * Math.sin(p[1] * 5 + p[0] * 3)
    return [
      p[0] * (1 - 0.3 * k * k - 0.07 * low),
      p[1] - 0.16 * k * p[0] * p[0],
      p[2] * (1 - 0.35 * k - 0.06 * low) + (p[2] > 0 ? belly + crease : 0),
    ]
  }
  const main = block([0, 1.95, 0], [2.7, 3.9, 1.3], 0.42, body, { bend: shape })
  const pocket = block([0, 1.05, 0.78], [2.05, 1.55, 0.5], 0.2, form.pocket ?? body, {
    bend: (p) => [
      p[0] * (1 - 0.05 * smoothstep(1.2, 0.2, p[1])),
      p[1],
      p[2] + 0.1 * (1 - (p[0] / 1.02) ** 2),
    ],
  })
  const arc = (x: number, y: number, rise: number, z: (t: number) => number): ((t: number) => V3) =>
    curve(
      Array.from({ length: 13 }, (_, i) => {
        const t = i / 12
        const a = Math.PI * (1 - t)
        return [x * Math.cos(a), y + rise * Math.sin(a) ** 0.7, z(t)] as V3
      }),
    )
  const teeth = metal(zip, 0.35)
  const zips = [
    tube(
      arc(1.03, 2.35, 1.12, (t) => 0.8 - 0.3 * Math.sin(Math.PI * t)),
      () => [0.03, 0.045],
      satin('#1b1b1d'),
      { layer: 1 },
    ),
    tube(
      curve([
        [-0.93, 1.52, 1.06],
        [-0.5, 1.55, 1.16],
        [0, 1.56, 1.18],
        [0.5, 1.55, 1.16],
        [0.93, 1.52, 1.06],
      ]),
      () => [0.03, 0.045],
      satin('#1b1b1d'),
      { layer: 2 },
    ),
    bar([0.78, 1.5, 1.16], [0.76, 1.28, 1.2], () => [0.03, 0.05], teeth, { layer: 3 }),
    bar([1.03, 2.55, 0.76], [1.04, 2.3, 0.82], () => [0.03, 0.05], teeth, { layer: 3 }),
  ]
  const handle = tube(
    curve([
      [-0.36, 3.72, -0.15],
      [-0.3, 4.12, -0.18],
      [0, 4.25, -0.2],
      [0.3, 4.12, -0.18],
      [0.36, 3.72, -0.15],
    ]),
    () => [0.12, 0.055],
    trim,
  )
  const straps = [-1, 1].map((s) =>
    tube(
      curve([
        [s * 0.5, 3.7, -0.5],
        [s * 1.15, 3.5, -0.85],
        [s * 1.55, 2.6, -0.95],
        [s * 1.58, 1.5, -0.85],
        [s * 1.3, 0.5, -0.5],
      ]),
      () => [0.22, 0.07],
      trim,
    ),
  )
  const sides = [-1, 1].flatMap((s) => block([s * 1.32, 0.85, 0], [0.34, 1.4, 0.95], 0.15, trim))
  const label = form.patch
    ? block([0, 2.55, 0.72], [0.7, 0.42, 0.06], 0.03, leather(form.patch), { layer: 1 })
    : []
  return [...main, ...pocket, ...zips, handle, ...straps, ...sides, ...label]
}

/** A structured handbag with two rolled handles, or with a flap and one handle. */
export function handbag(
  hide: Material,
  fitting: string,
  form: 'tote' | 'flap' = 'tote',
  thread?: string,
): Part[] {
  const gilt = metal(fitting, 0.18)
  const shape = (p: V3): V3 => {
    const k = clamp(p[1] / 2.5, 0, 1)
    return [p[0] * (1.08 - 0.2 * k), p[1], p[2] * (1.1 - 0.55 * k) + 0.03 * Math.sin(p[0] * 2.2 + p[1] * 1.3)]
  }
  const body = block([0, 1.25, 0], [3.5, 2.5, 1.3], 0.22, hide, { bend: shape })
  const loop = (z: number, base: number, top: number, x: number): Part =>
    tube(
      curve([
        [-x, base, z],
        [-x * 0.97, base + (top - base) * 0.55, z * 0.8],
        [-x * 0.55, top - 0.1, z * 0.6],
        [0, top, z * 0.5],
        [x * 0.55, top - 0.1, z * 0.6],
        [x * 0.97, base + (top - base) * 0.55, z * 0.8],
        [x, base, z],
      ]),
      0.085,
      hide,
    )
  const stitch = thread ? satin(thread) : hide
  const seam = (points: V3[]): Part => tube(curve(points), 0.014, stitch, { layer: 2, isLight: true })
  const feet = [-1.4, 1.4].map((x) => ball([x, 0, 0.45], [0.09, 0.06, 0.09], gilt))
  if (form === 'tote') {
    const rings = [-0.85, 0.85].flatMap((x) => [
      tube((t) => [x + 0.13 * Math.cos(t * 6.2832), 2.2 + 0.13 * Math.sin(t * 6.2832), 0.48], 0.03, gilt, {
        isRing: true,
        layer: 3,
      }),
      ...block([x, 1.95, 0.5], [0.3, 0.5, 0.05], 0.02, hide, { layer: 2 }),
    ])
    return [
      ...body,
      loop(0.46, 2.25, 3.75, 0.85),
      loop(-0.4, 2.25, 3.6, 0.85),
      ...rings,
      seam([
        [-1.5, 2.38, 0.42],
        [0, 2.38, 0.44],
        [1.5, 2.38, 0.42],
      ]),
      seam([
        [-1.68, 0.14, 0.72],
        [0, 0.14, 0.74],
        [1.68, 0.14, 0.72],
      ]),
      ...block([0, 1.45, 0.57], [0.36, 0.24, 0.05], 0.02, gilt, { layer: 2 }),
      ...feet,
    ]
  }
  const flap: Part = {
    material: hide,
    layer: 2,
    at: (u, v) => {
      const x = (u - 0.5) * 2
      const t = v * 1.5
      const half = 1.49 * (1 - 0.04 * v * v)
      const drop = 1.45 - 0.35 * Math.abs(x) ** 2.5
      return t < 0.35
        ? [x * half, 2.53, -0.35 + (t / 0.35) * 0.75]
        : [
            x * half,
            2.53 - ((t - 0.35) / 1.15) * drop,
            0.42 + 0.24 * Math.sin(((t - 0.35) / 1.15) * 1.4) + 0.02,
          ]
    },
  }
  const clasp = [
    ...block([0, 1.2, 0.72], [0.34, 0.42, 0.07], 0.03, gilt, { layer: 4 }),
    ball([0, 1.16, 0.78], [0.07, 0.07, 0.04], gilt, { layer: 5 }),
  ]
  return [
    ...body,
    flap,
    ...clasp,
    loop(0.05, 2.5, 3.7, 0.7),
    ...[-0.7, 0.7].map((x) => ball([x, 2.55, 0.05], [0.13, 0.09, 0.13], gilt, { layer: 3 })),
    ...feet,
  ]
}
