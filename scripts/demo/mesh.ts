import type { Rgb } from './colour.ts'
import { add, cross, dot, length, sub, times, unit, type V3 } from './vector.ts'

/** How a surface reflects light. */
export interface Material {
  /** Colour in linear light at surface coordinates 0 to 1 and a place in the product's own space. */
  colour(u: number, v: number, p: V3): Rgb
  /** Share of mirror reflection, 0 to 1. */
  readonly gloss: number
  /** 0 sharp reflections, 1 a wide glow. */
  readonly rough: number
  /** 0 paint or cloth, 1 bare metal: reflections take the surface's colour. */
  readonly metal: number
  /** Added to the unit normal before shading: leather grain, quilting, creases. */
  bump?(u: number, v: number, p: V3): V3
  /** Light of its own (a lamp shade), as a share of its colour. */
  readonly glow?: number
}

/** One curved surface of a product: a function of two coordinates from 0 to 1. */
export interface Part {
  at(u: number, v: number): V3
  readonly material: Material
  /** Closed surfaces hide their far side. */
  readonly isSolid?: boolean
  /** The winding of the facets is already right: one face of a box, which encloses nothing by itself. */
  readonly isOutward?: boolean
  /** Facets left out: the mouth of a shoe. */
  isCut?(p: V3, u: number): boolean
  /** A higher layer is painted over lower ones at any distance: print, stitches. */
  readonly layer?: number
  /** Multiplies the number of facets along u and v: fine grain, crisp stripes. */
  readonly fine?: readonly [number, number]
  /** Casts no shadow: print and thin decoration. */
  readonly isLight?: boolean
}

/** A facet, ready to be shaded. Corners run round its edge. */
export interface Quad {
  readonly corners: readonly [V3, V3, V3, V3]
  readonly centre: V3
  readonly normal: V3
  readonly colour: Rgb
  readonly material: Material
  readonly isSolid: boolean
  readonly layer: number
  readonly isLight: boolean
  /** Number of the part, column and row of the facet in it. */
  readonly cell: readonly [part: number, column: number, row: number]
}

/** Cuts the parts into facets about `size` long, after placing each point with `place`. */
export function facets(parts: readonly Part[], size: number, place: (p: V3) => V3): Quad[] {
  return parts.flatMap((part, index) => cut(part, index, size, place))
}

function cut(part: Part, index: number, size: number, place: (p: V3) => V3): Quad[] {
  const [fineU, fineV] = part.fine ?? [1, 1]
  const nu = Math.min(700, Math.max(3, Math.ceil((reach(part, true) / size) * fineU)))
  const nv = Math.min(700, Math.max(3, Math.ceil((reach(part, false) / size) * fineV)))
  const grid: V3[] = []
  for (let j = 0; j <= nv; j++) for (let i = 0; i <= nu; i++) grid.push(place(part.at(i / nu, j / nv)))
  const at = (i: number, j: number): V3 => grid[j * (nu + 1) + i] ?? [0, 0, 0]
  const raw: { corners: [V3, V3, V3, V3]; centre: V3; normal: V3; i: number; j: number }[] = []
  let volume = 0
  for (let j = 0; j < nv; j++) {
    for (let i = 0; i < nu; i++) {
      const corners: [V3, V3, V3, V3] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
      const across = cross(sub(corners[2], corners[0]), sub(corners[3], corners[1]))
      if (length(across) < 1e-12) continue
      const centre = times(add(add(corners[0], corners[1]), add(corners[2], corners[3])), 0.25)
      volume += dot(across, centre)
      raw.push({ corners, centre, normal: unit(across), i, j })
    }
  }
  // A closed surface encloses a positive volume when its normals point outwards (divergence theorem).
  const sign = part.isSolid && !part.isOutward && volume < 0 ? -1 : 1
  return raw.flatMap(({ corners, centre, normal, i, j }) => {
    const [u, v] = [(i + 0.5) / nu, (j + 0.5) / nv]
    const own = part.at(u, v)
    if (part.isCut?.(own, u)) return []
    const outward = times(normal, sign)
    const bump = part.material.bump?.(u, v, own)
    return {
      corners,
      centre,
      normal: bump ? unit(add(outward, bump)) : outward,
      colour: part.material.colour(u, v, own),
      material: part.material,
      isSolid: part.isSolid ?? false,
      layer: part.layer ?? 0,
      isLight: part.isLight ?? false,
      cell: [index, i, j] as const,
    }
  })
}

/** Longest of five lines along u (or v), in the part's units. */
function reach(part: Part, isAlongU: boolean): number {
  let longest = 0
  for (const k of [0.02, 0.25, 0.5, 0.75, 0.98]) {
    let sum = 0
    let before = isAlongU ? part.at(0, k) : part.at(k, 0)
    for (let i = 1; i <= 24; i++) {
      const next = isAlongU ? part.at(i / 24, k) : part.at(k, i / 24)
      sum += length(sub(next, before))
      before = next
    }
    longest = Math.max(longest, sum)
  }
  return longest
}
