import type { Quad } from './mesh.ts'
import { clamp, cross, dot, smoothstep, unit, type V3 } from './vector.ts'

interface Lamp {
  readonly towards: V3
  readonly strength: number
}

/** Three axes of a lamp's map, unpacked for speed: across, up, towards the lamp. */
interface Basis {
  readonly a0: number
  readonly a1: number
  readonly a2: number
  readonly b0: number
  readonly b1: number
  readonly b2: number
  readonly t0: number
  readonly t1: number
  readonly t2: number
}

/** Texels along one side of a shadow map. */
const MAP = 150
const DIRECTIONS = 56

/** Brightness of the photographer's tent in a direction: a soft key from the upper left, a fill from the right. */
function tent(d: V3): number {
  const key = Math.max(0, dot(d, unit([-0.55, 0.75, 0.5]))) ** 8
  const fill = Math.max(0, dot(d, unit([0.8, 0.35, 0.6]))) ** 3
  return 0.25 + 3 * key + 0.22 * fill + 0.25 * Math.max(0, d[1])
}

/** Directions spread evenly over the sky and a little below the horizon, with their share of the light. */
const LAMPS: readonly Lamp[] = Array.from({ length: DIRECTIONS }, (_, i) => {
  const y = 1 - ((i + 0.5) / DIRECTIONS) * 1.1
  const angle = i * Math.PI * (3 - Math.sqrt(5))
  const r = Math.sqrt(Math.max(0, 1 - y * y))
  const towards: V3 = [r * Math.cos(angle), y, r * Math.sin(angle)]
  return { towards, strength: (tent(towards) * 3.3) / DIRECTIONS }
})

/** Light reflected up from the pale floor. */
const bounce = (n: V3): number => 0.2 * (0.5 - 0.5 * n[1])

/** Light on an unshaded surface; about 1 for a surface that faces the key. */
export function openLight(n: V3): number {
  let sum = bounce(n)
  for (const lamp of LAMPS) sum += lamp.strength * Math.max(0, dot(n, lamp.towards))
  return sum
}

/**
 * The light that a polished surface mirrors: a window-shaped soft box at the upper left, a strip at the right, a pale
 * floor and ceiling. `rough` goes from 0 (sharp edges) to 1 (a wide glow).
 */
export function mirrored(d: V3, rough: number): number {
  const azimuth = Math.atan2(d[0], d[2])
  const height = Math.asin(clamp(d[1], -1, 1))
  const soft = 0.03 + rough * 0.5
  const box = (x: number, from: number, to: number): number =>
    smoothstep(from - soft, from + soft, x) * (1 - smoothstep(to - soft, to + soft, x))
  const window = box(azimuth, -1.2, -0.62) * box(height, -0.55, 1.05)
  const strip = box(azimuth, 1.0, 1.22) * box(height, -0.55, 0.95)
  const room = 0.4 + 0.45 * smoothstep(-0.2, 1.2, height) + 0.2 * smoothstep(0, -1, height)
  return room + (window * 9 + strip * 4) * (1 - 0.55 * rough)
}

/** Shadow maps of a scene, one per lamp. They give the share of each lamp's light that a point receives. */
export class Shadows {
  readonly #maps: Float32Array[]
  readonly #bases: readonly Basis[]
  readonly #centre: V3
  readonly #scale: number
  readonly #texel: number

  /** `facet` is the usual length of a facet's side. */
  constructor(quads: readonly Quad[], centre: V3, radius: number, facet: number) {
    this.#centre = centre
    this.#scale = MAP / (2 * radius)
    this.#texel = (2 * radius) / MAP
    this.#bases = LAMPS.map(({ towards }) => {
      const a = unit(cross(Math.abs(towards[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0], towards))
      const b = cross(towards, a)
      return {
        a0: a[0],
        a1: a[1],
        a2: a[2],
        b0: b[0],
        b1: b[1],
        b2: b[2],
        t0: towards[0],
        t1: towards[1],
        t2: towards[2],
      }
    })
    const half = Math.min(2, facet * this.#scale * 0.5 + 0.2)
    const points = listPoints(quads, centre)
    this.#maps = this.#bases.map((base) => this.#map(points, base, half))
  }

  /** Light that reaches the point `p` of a surface with normal `n`. */
  light(p: V3, n: V3): number {
    const lift = this.#texel * 2.6
    const x = p[0] + n[0] * lift - this.#centre[0]
    const y = p[1] + n[1] * lift - this.#centre[1]
    const z = p[2] + n[2] * lift - this.#centre[2]
    let sum = 0
    let open = 0
    for (let i = 0; i < LAMPS.length; i++) {
      const lamp = LAMPS[i]
      if (!lamp) continue
      const facing = dot(n, lamp.towards)
      if (facing <= 0) continue
      const seen = this.#seen(x, y, z, i)
      open += seen
      sum += lamp.strength * facing * seen
    }
    return sum + bounce(n) * (0.3 + 0.7 * Math.min(1, open / (DIRECTIONS / 3)))
  }

  /** The depth nearest to the lamp in each texel; most of the drawing time is spent here, on flat arrays. */
  #map(points: Float64Array, base: Basis, half: number): Float32Array {
    const map = new Float32Array(MAP * MAP).fill(-1e9)
    const { a0, a1, a2, b0, b1, b2, t0, t1, t2 } = base
    const scale = this.#scale
    for (let i = 0; i < points.length; i += 3) {
      const x = points[i] as number
      const y = points[i + 1] as number
      const z = points[i + 2] as number
      const cx = (a0 * x + a1 * y + a2 * z) * scale + MAP / 2
      const cy = (b0 * x + b1 * y + b2 * z) * scale + MAP / 2
      const depth = t0 * x + t1 * y + t2 * z
      const left = Math.max(0, Math.floor(cx - half))
      const right = Math.min(MAP - 1, Math.floor(cx + half))
      const down = Math.min(MAP - 1, Math.floor(cy + half))
      for (let row = Math.max(0, Math.floor(cy - half)); row <= down; row++) {
        for (let at = row * MAP + left; at <= row * MAP + right; at++) {
          if (depth > (map[at] as number)) map[at] = depth
        }
      }
    }
    return map
  }

  /** Share of the four texels around a point that are uncovered. */
  #seen(x: number, y: number, z: number, i: number): number {
    const base = this.#bases[i]
    const map = this.#maps[i]
    if (!map || !base) return 1
    const { a0, a1, a2, b0, b1, b2, t0, t1, t2 } = base
    const cx = (a0 * x + a1 * y + a2 * z) * this.#scale + MAP / 2 - 0.5
    const cy = (b0 * x + b1 * y + b2 * z) * this.#scale + MAP / 2 - 0.5
    const ix = Math.floor(cx)
    const iy = Math.floor(cy)
    if (ix < 0 || iy < 0 || ix >= MAP - 1 || iy >= MAP - 1) return 1
    const limit = t0 * x + t1 * y + t2 * z + this.#texel * 1.6
    const fx = cx - ix
    const fy = cy - iy
    const at = iy * MAP + ix
    let seen = 0
    if ((map[at] ?? 0) <= limit) seen += (1 - fx) * (1 - fy)
    if ((map[at + 1] ?? 0) <= limit) seen += fx * (1 - fy)
    if ((map[at + MAP] ?? 0) <= limit) seen += (1 - fx) * fy
    if ((map[at + MAP + 1] ?? 0) <= limit) seen += fx * fy
    return seen
  }
}

/** Centres of the quads that cast shadows, relative to the scene's, three numbers each. */
function listPoints(quads: readonly Quad[], centre: V3): Float64Array {
  const casting = quads.filter(({ isLight }) => !isLight)
  const points = new Float64Array(casting.length * 3)
  for (const [i, quad] of casting.entries()) {
    points[3 * i] = quad.centre[0] - centre[0]
    points[3 * i + 1] = quad.centre[1] - centre[1]
    points[3 * i + 2] = quad.centre[2] - centre[2]
  }
  return points
}
