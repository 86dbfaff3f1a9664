import { blend, hex, type Rgb, scale } from './colour.ts'
import { mirrored, openLight, Shadows } from './light.ts'
import { facets, type Part, type Quad } from './mesh.ts'
import { add, cross, dot, length, pitch, smoothstep, sub, times, type V3, yaw } from './vector.ts'

/** Side of every picture in pixels. */
export const SIDE = 768

/** Usual side of a facet in pixels. */
const FACET = 6.5

/** Pixels by which facets overlap: closes the hairlines between antialiased neighbours. */
const OVERLAP = 0.9

/** Facets on each side that count for the average of a shadow. */
const REACH = 2

/** The scene behind the product. `top` and `bottom` are `#rrggbb`. */
export interface Backdrop {
  readonly top: string
  readonly bottom: string
  /** Drawn over the gradient before the shadow: a table top, a patterned wall. Given the height of the horizon in pixels. */
  readonly decoration?: (horizon: number) => string
}

/** The pale sweep of a shop photograph. */
const STUDIO: Backdrop = { top: '#fbfbfa', bottom: '#f1f0ee' }

/** How a product is photographed. Angles in degrees. */
export interface Shot {
  readonly turn?: number
  /** How far the camera looks down. */
  readonly tilt?: number
  /** Share of the picture that the product fills, 0 to 1. */
  readonly fill?: number
  /** `floor`: stands at its lowest point; `wall`: hangs before a wall at its rearmost point. */
  readonly on?: 'floor' | 'wall'
  readonly backdrop?: Backdrop
  readonly shadow?: number
  /** Fine structure over the whole product, at the size of a pixel. */
  readonly grain?: 'cloth' | 'leather'
}

/** Frequency per pixel and depth of the fine structures. */
const GRAINS = {
  cloth: { frequency: '0.55 0.75', depth: 0.3 },
  leather: { frequency: '0.28', depth: 0.34 },
} as const

const DEGREE = Math.PI / 180

interface View {
  readonly centre: V3
  readonly radius: number
  readonly scale: number
  readonly shift: readonly [number, number]
  readonly tilt: number
}

/** Draws the parts as a vector picture. It shades the facets one by one under soft studio light, back to front. */
export function picture(parts: readonly Part[], shot: Shot = {}): string {
  const turn = (shot.turn ?? 0) * DEGREE
  const place = (p: V3): V3 => yaw(p, turn)
  const { centre, radius } = extent(facets(parts, 1e9, place))
  const view = fit(facets(parts, radius / 12, place), centre, radius, shot)
  const size = FACET / view.scale
  const quads = facets(parts, size, place)
  const shadows = new Shadows(quads, centre, radius * 1.02, size)
  const ground = shadowOn(quads, shadows, view, shot)
  return svg(shot, view, ground, paint(quads, shadows, view))
}

function extent(quads: readonly Quad[]): { centre: V3; radius: number } {
  const points = quads.flatMap((q) => q.corners)
  const bound = (k: 0 | 1 | 2, pick: (a: number, b: number) => number): number =>
    points.reduce((best, p) => pick(best, p[k]), points[0]?.[k] ?? 0)
  const low: V3 = [bound(0, Math.min), bound(1, Math.min), bound(2, Math.min)]
  const high: V3 = [bound(0, Math.max), bound(1, Math.max), bound(2, Math.max)]
  return { centre: times(add(low, high), 0.5), radius: length(sub(high, low)) / 2 }
}

/** Perspective of a long lens: the camera stands five radii away. */
function project(p: V3, view: View): readonly [number, number, number] {
  const q = pitch(sub(p, view.centre), view.tilt)
  const k = (5 * view.radius) / (5 * view.radius - q[2])
  return [q[0] * k * view.scale + view.shift[0], -q[1] * k * view.scale + view.shift[1], q[2]]
}

function fit(quads: readonly Quad[], centre: V3, radius: number, shot: Shot): View {
  const base: View = { centre, radius, scale: 1, shift: [0, 0], tilt: (shot.tilt ?? 12) * DEGREE }
  let [left, right, up, down] = [1e9, -1e9, 1e9, -1e9]
  for (const quad of quads) {
    const [x, y] = project(quad.centre, base)
    left = Math.min(left, x)
    right = Math.max(right, x)
    up = Math.min(up, y)
    down = Math.max(down, y)
  }
  const zoom = ((shot.fill ?? 0.78) * SIDE) / Math.max(right - left, down - up)
  // Optical centre: a touch below the middle leaves room for the light, as in a shop photograph.
  const shift = [SIDE / 2 - ((left + right) / 2) * zoom, SIDE * 0.505 - ((up + down) / 2) * zoom] as const
  return { ...base, scale: zoom, shift }
}

const towardsCamera = (view: View): V3 => pitch([0, 0, 1], -view.tilt)

function paint(quads: readonly Quad[], shadows: Shadows, view: View): string {
  const eye = towardsCamera(view)
  const seen = quads.filter(
    (q) => !q.isSolid || dot(faceNormal(q), sub(add(view.centre, times(eye, 5 * view.radius)), q.centre)) > 0,
  )
  const openness = smoothed(seen, (quad) => {
    const n = frontNormal(quad, eye)
    return shadows.light(quad.centre, n) / Math.max(0.1, openLight(n))
  })
  const sorted = seen
    .map((quad, i) => ({
      quad,
      open: openness[i] ?? 1,
      depth: project(quad.centre, view)[2] + quad.layer * view.radius * 0.012,
    }))
    .sort((a, b) => a.depth - b.depth)
  return sorted.map(({ quad, open }) => facet(quad, hex(shade(quad, eye, open)), view)).join('')
}

/** The geometric normal, on the side of the shading normal. */
function faceNormal(quad: Quad): V3 {
  const [a, b, c, d] = quad.corners
  const n = cross(sub(c, a), sub(d, b))
  return dot(n, quad.normal) < 0 ? times(n, -1) : n
}

const frontNormal = (quad: Quad, eye: V3): V3 =>
  !quad.isSolid && dot(quad.normal, eye) < 0 ? times(quad.normal, -1) : quad.normal

/** A value per facet, averaged over the neighbours in its part: hides the texels of the shadow maps. */
function smoothed(quads: readonly Quad[], measure: (quad: Quad) => number): number[] {
  const key = (part: number, i: number, j: number): number => (part * 1024 + i) * 1024 + j
  const values = new Map(quads.map((quad) => [key(...quad.cell), measure(quad)]))
  return quads.map(({ cell: [part, i, j] }) => {
    let sum = 0
    let count = 0
    for (let di = -REACH; di <= REACH; di++) {
      for (let dj = -REACH; dj <= REACH; dj++) {
        const value = values.get(key(part, i + di, j + dj))
        if (value === undefined) continue
        sum += value
        count++
      }
    }
    return sum / count
  })
}

/** `open` is the share of the light that reaches the facet. */
function shade(quad: Quad, eye: V3, open: number): Rgb {
  const { material, colour } = quad
  const n = frontNormal(quad, eye)
  const light = openLight(n) * open + (material.glow ?? 0)
  const facing = Math.max(0, dot(n, eye))
  const ray = sub(times(n, 2 * dot(n, eye)), eye)
  const edge = (1 - facing) ** 5
  const shine = mirrored(ray, material.rough) * (0.25 + 0.75 * Math.min(1, open))
  const gloss = material.gloss * (0.045 + 0.35 * edge) * shine
  const paint = scale(colour, light * (1 - material.metal))
  const metal = scale(blend(colour, [1, 1, 1], edge * 0.6), material.metal * shine * 0.85)
  return [paint[0] + metal[0] + gloss, paint[1] + metal[1] + gloss, paint[2] + metal[2] + gloss]
}

function facet(quad: Quad, fill: string, view: View): string {
  const points = quad.corners.map((p) => project(p, view))
  const cx = points.reduce((s, p) => s + p[0], 0) / 4
  const cy = points.reduce((s, p) => s + p[1], 0) / 4
  const d = points.map(([x, y]) => {
    const reach = Math.hypot(x - cx, y - cy) || 1
    return `${(x + ((x - cx) / reach) * OVERLAP).toFixed(1)} ${(y + ((y - cy) / reach) * OVERLAP).toFixed(1)}`
  })
  return `<path d="M${d.join('L')}Z" fill="${fill}"/>`
}

/** The soft shadow on the floor or wall, as see-through dark tiles. */
function shadowOn(quads: readonly Quad[], shadows: Shadows, view: View, shot: Shot): string {
  const isWall = shot.on === 'wall'
  const k = isWall ? 2 : 1
  const level = quads.reduce((low, q) => q.corners.reduce((l, p) => Math.min(l, p[k]), low), 1e9)
  const n: V3 = isWall ? [0, 0, 1] : [0, 1, 0]
  const open = openLight(n)
  const step = view.radius / 30
  const tiles: string[] = []
  const contact: string[] = []
  for (let i = -70; i < 70; i++) {
    for (let j = -70; j < 70; j++) {
      const at = (di: number, dj: number): V3 => {
        const a = view.centre[0] + (i + di) * step
        const b = view.centre[isWall ? 1 : 2] + (j + dj) * step
        return isWall ? [a, b, level] : [a, level, b]
      }
      const away = Math.hypot(i, j) / 30
      if (away > 1.75) continue
      // The shadow fades out before the picture's edge, as in a light tent.
      const strength = (shot.shadow ?? 0.75) * (1 - smoothstep(0.7, 1.7, away))
      const dark = (1 - shadows.light(at(0.5, 0.5), n) / open) * strength
      if (dark < 0.012) continue
      const d = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)]
        .map((p) => project(p, view))
        .map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`)
      tiles.push(`<path d="M${d.join('L')}Z" fill-opacity="${dark.toFixed(3)}"/>`)
      if (dark > 0.4) contact.push(`<path d="M${d.join('L')}Z" fill-opacity="${(dark - 0.4).toFixed(3)}"/>`)
    }
  }
  return `<g filter="url(#wide)">${tiles.join('')}</g><g filter="url(#tight)">${contact.join('')}</g>`
}

const blur = (id: string, pixels: number): string =>
  `<filter id="${id}" x="0" y="0" width="${SIDE}" height="${SIDE}" filterUnits="userSpaceOnUse"><feGaussianBlur stdDeviation="${pixels}"/></filter>`

/** Multiplies the product by noise around 1. */
function grainFilter(kind: keyof typeof GRAINS): string {
  const { frequency, depth } = GRAINS[kind]
  const row = `${depth} 0 0 0 ${1 - depth * 0.56}`
  return `<filter id="grain" x="0" y="0" width="${SIDE}" height="${SIDE}" filterUnits="userSpaceOnUse" color-interpolation-filters="sRGB">
<feTurbulence type="fractalNoise" baseFrequency="${frequency}" numOctaves="2" seed="5"/><feColorMatrix values="${row} ${row} ${row} 0 0 0 0 1"/>
<feBlend mode="multiply" in2="SourceGraphic" result="woven"/><feComposite in="woven" in2="SourceAlpha" operator="in"/></filter>`
}

function svg(shot: Shot, view: View, ground: string, product: string): string {
  const backdrop = shot.backdrop ?? STUDIO
  const horizon = Math.round(view.shift[1] - view.scale * view.radius * 0.1)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 ${SIDE} ${SIDE}">
<defs><linearGradient id="sweep" x2="0" y2="1"><stop stop-color="${backdrop.top}"/><stop offset="1" stop-color="${backdrop.bottom}"/></linearGradient>
${blur('wide', 10)}${blur('tight', 3)}${shot.grain ? grainFilter(shot.grain) : ''}</defs>
<rect width="${SIDE}" height="${SIDE}" fill="url(#sweep)"/>${backdrop.decoration?.(horizon) ?? ''}
<g fill="#000">${ground}</g><g${shot.grain ? ' filter="url(#grain)"' : ''}>${product}</g></svg>`
}
