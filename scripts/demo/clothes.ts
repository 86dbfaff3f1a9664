import { blend, type Rgb, rgb, scale } from './colour.ts'
import { matt, satin } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { cloud } from './noise.ts'
import { disc, tube } from './shapes.ts'
import { add, clamp, curve, mix, smoothstep, type V3 } from './vector.ts'

/** A printed or woven pattern: colour at `across` and `up`, in units of length on the cloth. */
export type Weave = (across: number, up: number) => Rgb

export const plain = (colour: string): Weave => {
  const c = rgb(colour)
  return () => c
}

/** Stripes of two colours; upright ones run along the body. */
export const striped = (
  base: string,
  second: string,
  width: number,
  isUpright = true,
  share = 0.5,
): Weave => {
  const [a, b] = [rgb(base), rgb(second)]
  return (across, up) => (((((isUpright ? across : up) / width) % 1) + 1) % 1 < share ? b : a)
}

/** Checks of two colours, with the mixed tone where only one band runs. */
export const checked = (base: string, second: string, width: number): Weave => {
  const [a, b] = [rgb(base), rgb(second)]
  const isBand = (t: number): number => ((((t / width) % 1) + 1) % 1 < 0.5 ? 1 : 0)
  return (across, up) => blend(a, b, (isBand(across) + isBand(up)) / 2)
}

/** Dots in alternating rows. */
export const dotted = (base: string, second: string, width: number, size = 0.28): Weave => {
  const [a, b] = [rgb(base), rgb(second)]
  return (across, up) => {
    const row = Math.floor(up / width)
    const x = (((across / width + (row % 2 ? 0.5 : 0)) % 1) + 1) % 1
    const y = (((up / width) % 1) + 1) % 1
    return Math.hypot(x - 0.5, y - 0.5) < size ? b : a
  }
}

const garment = (
  colour: (u: number, v: number, p: V3) => Rgb,
  bump?: (u: number, v: number, p: V3) => V3,
): Material => ({
  colour,
  gloss: 0.08,
  rough: 1,
  metal: 0,
  ...(bump ? { bump } : {}),
})

/** Long shallow creases, stronger where `strength` says; they run mostly downwards, pulled by `lean`. */
const creases =
  (strength: (p: V3) => number, lean = 0.25, size = 1.7) =>
  (_u: number, _v: number, p: V3): V3 => {
    const wave = (dx: number): number =>
      cloud((p[0] + dx + p[1] * lean * clamp(p[0] * 2, -1, 1)) * size, p[1] * size * 0.33, p[2] + 7)
    const up = (dy: number): number => cloud(p[0] * size * 0.5, (p[1] + dy) * size * 0.9, 3)
    const k = strength(p)
    return [(wave(0.08) - wave(-0.08)) * -2.6 * k, (up(0.08) - up(-0.08)) * -1.1 * k, 0]
  }

/** Roundness of necklines: higher is narrower. */
const NECK = 2

/** One ring of a body: half width, height, half depth. */
type Ring = readonly [width: number, height: number, depth: number]

/** A hollow body of rings from the hem up; u runs round from the back, the front neckline dips by `dip`. */
function hull(
  rings: readonly Ring[],
  dip: number,
  material: (skin: (t: number) => V3) => Material,
  fold = 0,
  fine: readonly [number, number] = [1, 1],
): Part {
  const skin = curve(rings.map(([w, y, d]) => [w, y, d]))
  return {
    material: material(skin),
    fine,
    at: (u, v) => {
      const [w, y, d] = skin(v)
      const angle = (u - 0.5) * 2 * Math.PI
      const front = Math.max(0, Math.cos(angle))
      const sag = dip * smoothstep(0.4, 1, v) * front ** NECK
      const drape = fold * (1 - v) ** 1.2
      const wave = 1 + drape * (0.6 * Math.sin(angle * 9 + 1.3) + 0.4 * Math.sin(angle * 14 + 0.4))
      return [
        w * Math.sin(angle) * wave,
        y - sag - drape * 0.25 * Math.sin(angle * 9 + 1.3),
        d * Math.cos(angle) * wave,
      ]
    },
  }
}

/** Length of cloth per radian round a body. */
const GIRTH = 0.85

/** Short- or long-sleeved top without its collar. */
function torso(weave: Weave, sleeve: 'short' | 'long', dip: number, fine: readonly [number, number]): Part[] {
  const strength = (p: V3): number =>
    0.4 + 0.4 * smoothstep(1.6, 0.2, p[1]) + 0.4 * smoothstep(0.5, 1.1, Math.abs(p[0]))
  const bodyCloth = garment((u, _v, p) => weave((u - 0.5) * 2 * Math.PI * GIRTH, p[1]), creases(strength))
  const body = hull(
    [
      [1.12, -0.35, 0.42],
      [1.12, -0.25, 0.44],
      [1.1, 0.6, 0.46],
      [1.09, 1.5, 0.5],
      [1.12, 2.2, 0.52],
      [1.12, 2.6, 0.48],
      [1.09, 2.9, 0.42],
      [1.0, 3.11, 0.34],
      [0.8, 3.27, 0.3],
      [0.62, 3.37, 0.3],
      [0.47, 3.47, 0.32],
    ],
    dip,
    () => bodyCloth,
    0.035,
    fine,
  )
  const isLong = sleeve === 'long'
  const arms = [-1, 1].map((s) => {
    const path = isLong
      ? curve([
          [s * 0.68, 2.95, 0],
          [s * 1.14, 2.66, 0],
          [s * 1.38, 2.2, 0],
          [s * 1.52, 1.4, 0.04],
          [s * 1.6, 0.6, 0.12],
          [s * 1.63, 0.25, 0.16],
        ])
      : curve([
          [s * 0.68, 2.95, 0],
          [s * 1.12, 2.68, 0],
          [s * 1.4, 2.42, 0],
          [s * 1.62, 2.14, 0.02],
        ])
    const half = isLong
      ? curve([
          [0, 0.3, 0],
          [0, 0.4, 0],
          [0, 0.36, 0],
          [0, 0.29, 0],
          [0, 0.24, 0],
          [0, 0.22, 0],
        ])
      : curve([
          [0, 0.3, 0],
          [0, 0.4, 0],
          [0, 0.39, 0],
          [0, 0.37, 0],
        ])
    const sleeveCloth = garment(
      (u, v) => weave((v - 0.25) * 2 * Math.PI * 0.34, u * (isLong ? 3.1 : 1.4)),
      creases(() => 0.8, 0.9, 2.1),
    )
    const sleeveTube = tube(
      path,
      (t) => [
        half(t)[1] * 0.8 * (1 + 0.02 * Math.sin(t * 40)),
        half(t)[1] * (1 + 0.02 * Math.sin(t * 33 + 1)),
      ],
      sleeveCloth,
      { fine: [fine[1], fine[0]] },
    )
    return { ...sleeveTube, isSolid: false }
  })
  return [body, ...arms]
}

/** Places points on the front of the torso's neck: angle 0 is the middle, at the collar's seam. */
const neck = (angle: number, dip: number, out = 0): V3 => {
  const front = Math.max(0, Math.cos(angle))
  return [(0.47 + out) * Math.sin(angle), 3.47 - dip * front ** NECK, (0.32 + out) * Math.cos(angle)]
}

/** A T-shirt with a ribbed round neck. */
export function tShirt(weave: Weave, rib: string, fine: readonly [number, number] = [1.2, 1]): Part[] {
  const ribbed = garment((u) => scale(rgb(rib), 0.86 + 0.14 * Math.sin(u * 500) ** 2))
  const ring = tube(
    (t) => neck(t * 2 * Math.PI, 0.36),
    () => [0.03, 0.075],
    ribbed,
    { isRing: true, side: [0, 0.3, 1] },
  )
  return [...torso(weave, 'short', 0.36, fine), ring]
}

/** A buttoned shirt with collar, placket, pocket and cuffs. */
export function shirt(weave: Weave, button: string, fine: readonly [number, number] = [1.3, 1.3]): Part[] {
  const front = (x: number, y: number, lift: number): V3 => {
    const d = 0.46 + 0.05 * smoothstep(0.5, 2.3, y) - 0.14 * smoothstep(2.6, 3.3, y)
    return [x, y, d * Math.sqrt(Math.max(0, 1 - (x / 1.16) ** 2)) + lift]
  }
  const patch = (x0: number, x1: number, y0: number, y1: number): Part => ({
    material: garment(
      (_u, _v, p) => weave(p[0] * 1.18, p[1]),
      creases(() => 0.3),
    ),
    layer: 2,
    isLight: true,
    fine,
    at: (u, v) => front(mix(x0, x1, u), mix(y0, y1, v), 0.02),
  })
  const flap = (s: number): Part => ({
    material: garment((u, v) => weave(u * 0.9, v * 0.4)),
    layer: 4,
    fine,
    at: (u, v) => {
      const angle = mix(0.06, 1.75, u) * s
      const top = add(neck(angle, 0.3, 0.01), [0, 0.17 + 0.05 * u, 0])
      const reach = mix(0.62, 0.34, smoothstep(0, 0.75, u))
      const low = add(neck(angle * 1.12 + s * 0.12, 0.3, 0.14), [s * 0.06 * (1 - u), -reach * 0.72, 0.09])
      return [
        mix(top[0], low[0], v),
        mix(top[1], low[1], v),
        mix(top[2], low[2], v) + 0.05 * Math.sin(v * Math.PI),
      ]
    },
  })
  const band = tube(
    (t) => add(neck(t * 2 * Math.PI, 0.3), [0, 0.08, 0]),
    () => [0.025, 0.13],
    garment((u) => weave(u * 2, 0)),
    { isRing: true },
  )
  const buttons = [-0.1, 0.3, 0.8, 1.35, 1.9, 2.45, 2.95].map((y) => {
    const [x, , z] = front(0, y, 0.035)
    return disc(
      [x, y, z],
      (a) => [0.05 * Math.cos(a), 0.05 * Math.sin(a)],
      (r) => 0.02 * (1 - r * r),
      satin(button),
      { layer: 5, isLight: true },
    )
  })
  const stitches = [-0.1, 0.1].map((x) =>
    tube((t) => front(x, mix(-0.33, 3.1, t), 0.022), 0.008, matt('#000000'), { layer: 3, isLight: true }),
  )
  const shade = garment((_u, _v, p) => scale(weave(p[0] * 1.18, p[1]), 0.6))
  const seams = stitches.map((s) => ({ ...s, material: shade }))
  const cuffs = [-1, 1].map((s) =>
    tube(
      curve([
        [s * 1.605, 0.42, 0.13],
        [s * 1.64, 0.12, 0.17],
      ]),
      () => [0.2, 0.245],
      garment((u, v) => weave(v * 1.3, u * 0.3)),
      { fine },
    ),
  )
  return [
    ...torso(weave, 'long', 0.3, fine),
    patch(-0.1, 0.1, -0.35, 3.12),
    ...seams,
    ...buttons,
    band,
    flap(-1),
    flap(1),
    patch(0.38, 0.86, 1.95, 2.5),
    ...cuffs,
  ]
}

/** A sleeveless or short-sleeved dress with a fitted waist and a swinging skirt. */
export function dress(
  weave: Weave,
  form: { sleeves?: boolean; flare?: number; length?: number; belt?: string; folds?: number } = {},
  fine: readonly [number, number] = [0.9, 0.9],
): Part[] {
  const { sleeves = false, flare = 1.5, length = 3.2, belt, folds = 0.07 } = form
  const low = 2.2 - length
  const cloth = garment(
    (_u, v, p) =>
      weave(
        Math.atan2(p[0], p[2] * 1.6) * mix(flare, 0.75, clamp((p[1] - low) / length, 0, 1)),
        p[1] + 0 * v,
      ),
    creases((p) => 0.45 + 0.35 * smoothstep(2, 0, p[1]), 0.1, 2.2),
  )
  const skirt: Part = {
    material: cloth,
    fine,
    at: (u, v) => {
      const y = mix(low, 2.2, v)
      const k = 1 - v
      const angle = (u - 0.5) * 2 * Math.PI
      const w = 0.66 + (flare - 0.66) * k ** 0.75
      const wave =
        1 + folds * Math.min(1, k * 1.6) * (Math.sin(angle * 11 + 0.8) * 0.7 + Math.sin(angle * 7 + 2) * 0.5)
      return [
        w * Math.sin(angle) * wave,
        y + 0.05 * k * Math.sin(angle * 11 + 0.8),
        w * 0.62 * Math.cos(angle) * wave,
      ]
    },
  }
  const bodice = hull(
    sleeves
      ? [
          [0.66, 2.2, 0.41],
          [0.68, 2.35, 0.43],
          [0.8, 2.9, 0.52],
          [0.88, 3.3, 0.5],
          [0.9, 3.6, 0.38],
          [0.72, 3.8, 0.28],
          [0.5, 3.9, 0.28],
          [0.42, 3.95, 0.3],
        ]
      : [
          [0.66, 2.2, 0.41],
          [0.68, 2.35, 0.43],
          [0.8, 2.9, 0.52],
          [0.82, 3.15, 0.5],
          [0.7, 3.4, 0.42],
          [0.62, 3.6, 0.34],
          [0.56, 3.85, 0.28],
          [0.44, 3.98, 0.27],
        ],
    0.55,
    () => cloth,
    0,
    fine,
  )
  const arms = sleeves
    ? [-1, 1].map((s) => ({
        ...tube(
          curve([
            [s * 0.6, 3.66, 0],
            [s * 0.86, 3.5, 0],
            [s * 1.08, 3.2, 0],
            [s * 1.2, 2.95, 0],
          ]),
          (t: number) => [mix(0.26, 0.27, t), mix(0.28, 0.32, t)] as const,
          garment(
            (u, v) => weave(Math.sin(v * 6.28) * 0.4, u),
            creases(() => 0.9),
          ),
          { fine },
        ),
        isSolid: false,
      }))
    : []
  const sash = tube(
    (t) => [0.68 * Math.sin(t * 6.2832), 2.22, 0.43 * Math.cos(t * 6.2832)],
    () => [0.02, 0.085],
    garment(() => (belt ? rgb(belt) : scale(weave(0.21, 0.37), 0.75))),
    { isRing: true, layer: 1 },
  )
  return [skirt, bodice, ...arms, sash]
}
