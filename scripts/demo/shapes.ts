import type { Material, Part } from './mesh.ts'
import { add, clamp, cross, curve, dot, mix, sub, times, unit, type V3 } from './vector.ts'

type Options = Omit<Part, 'at' | 'material'>

/** Radius and height of a turned shape, bottom to top or along its skin. A pair given twice makes an edge. */
export type Profile = readonly (readonly [radius: number, height: number])[]

/** A shape turned on a vertical axis through (x, z). u runs round, v along the profile. */
export function turned(
  profile: Profile,
  material: Material,
  options: Options & { x?: number; z?: number } = {},
): Part {
  const { x = 0, z = 0, ...rest } = options
  const skin = curve(profile.map(([r, y]) => [r, y, 0]))
  return {
    material,
    // Upwards along the profile is outside, downwards inside (a lining).
    isSolid: true,
    isOutward: true,
    ...rest,
    at: (u, v) => {
      const [r, y] = skin(v)
      // Starts at the back, so that a pattern's seam is out of sight.
      const angle = (u - 0.5) * 2 * Math.PI
      return [x + Math.max(0, r) * Math.sin(angle), y, z + Math.max(0, r) * Math.cos(angle)]
    },
  }
}

/** Half width and half height of a tube's section, both in the curve's units. */
export type Section = (t: number) => readonly [number, number]

/** A tube along a curve. u runs along the curve, v round it; `side` fixes the section's first axis. */
export function tube(
  path: (t: number) => V3,
  section: number | Section,
  material: Material,
  options: Options & { side?: V3; isRing?: boolean; power?: number } = {},
): Part {
  const { side = [0, 0, 1], isRing = false, power = 1, ...rest } = options
  const size: Section = typeof section === 'number' ? () => [section, section] : section
  const bend = (x: number): number => Math.sign(x) * Math.abs(x) ** power
  return {
    material,
    isSolid: true,
    ...rest,
    at: (u, v) => {
      // The first and last hundredths close the ends with a rounded cap.
      const cap = isRing ? 1 : Math.sqrt(1 - (1 - clamp(Math.min(u, 1 - u) / 0.02, 0, 1)) ** 2)
      const t = isRing ? u : clamp((u - 0.01) / 0.98, 0, 1)
      const along = unit(sub(path(t + 0.002), path(t - 0.002)))
      const second = unit(cross(side, along))
      const first = unit(sub(side, times(along, dot(side, along))))
      const [a, b] = size(t)
      const angle = v * 2 * Math.PI
      return add(
        path(t),
        add(times(first, a * cap * bend(Math.cos(angle))), times(second, b * cap * bend(Math.sin(angle)))),
      )
    },
  }
}

/** A straight bar between two points. */
export const bar = (
  from: V3,
  to: V3,
  section: number | Section,
  material: Material,
  options: Options & { side?: V3; power?: number } = {},
): Part =>
  tube((t) => [mix(from[0], to[0], t), mix(from[1], to[1], t), mix(from[2], to[2], t)], section, material, {
    side:
      Math.abs(to[2] - from[2]) > Math.abs(to[0] - from[0]) + Math.abs(to[1] - from[1])
        ? [1, 0, 0]
        : [0, 0, 1],
    ...options,
  })

/** A box with rounded edges: six faces, each bent by `bend` afterwards. Sizes are full lengths. */
export function block(
  centre: V3,
  size: V3,
  radius: number,
  material: Material,
  options: Options & { bend?: (p: V3) => V3 } = {},
): Part[] {
  const { bend = (p: V3) => p, ...rest } = options
  const half: V3 = [size[0] / 2, size[1] / 2, size[2] / 2]
  const r = Math.min(radius, ...half)
  const round = (q: V3): V3 => {
    const core: V3 = [
      clamp(q[0], r - half[0], half[0] - r),
      clamp(q[1], r - half[1], half[1] - r),
      clamp(q[2], r - half[2], half[2] - r),
    ]
    return bend(add(centre, add(core, times(unit(sub(q, core)), r))))
  }
  // Half a face's grid lines lie where the edge is round, however small the radius.
  const spread = (t: number, h: number): number => {
    const flat = h - r
    const edge = Math.min(0.3, Math.max(0.1, (r * 1.2) / (2 * flat + 2.4 * r)))
    if (t < edge) return -flat - r * (1 - Math.sin((t / edge) * (Math.PI / 2)) * 1)
    if (t > 1 - edge) return flat + r * (1 - Math.sin(((1 - t) / edge) * (Math.PI / 2)) * 1)
    return mix(-flat, flat, (t - edge) / (1 - 2 * edge))
  }
  const face = (axis: 0 | 1 | 2, sign: number): Part => {
    const [a, b] = axis === 0 ? ([2, 1] as const) : axis === 1 ? ([0, 2] as const) : ([0, 1] as const)
    return {
      material,
      isSolid: true,
      isOutward: true,
      ...rest,
      at: (u, v) => {
        const q: [number, number, number] = [0, 0, 0]
        q[axis] = half[axis] * sign
        // The winding makes the normal point outwards on all six faces.
        q[a] = spread(u, half[a]) * (axis === 2 ? sign : axis === 0 ? -sign : -sign)
        q[b] = spread(v, half[b])
        return round(q)
      },
    }
  }
  return [face(0, 1), face(0, -1), face(1, 1), face(1, -1), face(2, 1), face(2, -1)]
}

/** An ellipsoid with half axes `size`; `power` below 1 makes it boxier. */
export function ball(
  centre: V3,
  size: V3,
  material: Material,
  options: Options & { power?: number } = {},
): Part {
  const { power = 1, ...rest } = options
  const bend = (x: number): number => Math.sign(x) * Math.abs(x) ** power
  return {
    material,
    isSolid: true,
    ...rest,
    at: (u, v) => {
      const angle = (u - 0.5) * 2 * Math.PI
      const rise = (v - 0.5) * Math.PI
      const r = bend(Math.cos(rise))
      return add(centre, [
        size[0] * r * bend(Math.sin(angle)),
        size[1] * bend(Math.sin(rise)),
        size[2] * r * bend(Math.cos(angle)),
      ])
    },
  }
}

/** A flat or domed disc facing +z, its edge given by `edge` (angle 0 at the right, anticlockwise). v is the radius. */
export function disc(
  centre: V3,
  edge: (angle: number) => readonly [number, number],
  rise: (radius: number, angle: number) => number,
  material: Material,
  options: Options = {},
): Part {
  return {
    material,
    ...options,
    at: (u, v) => {
      const angle = u * 2 * Math.PI
      const [x, y] = edge(angle)
      return [centre[0] + x * v, centre[1] + y * v, centre[2] + rise(v, angle)]
    },
  }
}

/** The same parts moved or turned. */
export const placed = (parts: readonly Part[], move: (p: V3) => V3): Part[] =>
  parts.map((part) => ({ ...part, at: (u: number, v: number) => move(part.at(u, v)) }))
