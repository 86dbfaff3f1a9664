import { clamp, mix } from './vector.ts'

/** The slope of one of twelve directions at a lattice point, times the offset from it (Perlin, 2002). */
function pull(ix: number, iy: number, iz: number, x: number, y: number, z: number): number {
  let h = Math.imul(ix, 374761393) + Math.imul(iy, 668265263) + Math.imul(iz, 1440662683)
  h = Math.imul(h ^ (h >>> 13), 1274126177)
  const k = (h ^ (h >>> 16)) & 15
  const a = k < 8 ? x : y
  const b = k < 4 ? y : k === 12 || k === 14 ? x : z
  return (k & 1 ? -a : a) + (k & 2 ? -b : b)
}

const ease = (t: number): number => t * t * t * (t * (t * 6 - 15) + 10)

/** Smooth gradient noise, 0 to 1, one feature per unit of length. */
export function noise(x: number, y: number, z = 0): number {
  const [ix, iy, iz] = [Math.floor(x), Math.floor(y), Math.floor(z)]
  const [fx, fy, fz] = [x - ix, y - iy, z - iz]
  const [ex, ey] = [ease(fx), ease(fy)]
  const row = (dy: number, dz: number): number =>
    mix(
      pull(ix, iy + dy, iz + dz, fx, fy - dy, fz - dz),
      pull(ix + 1, iy + dy, iz + dz, fx - 1, fy - dy, fz - dz),
      ex,
    )
  return clamp(0.5 + 0.6 * mix(mix(row(0, 0), row(1, 0), ey), mix(row(0, 1), row(1, 1), ey), ease(fz)), 0, 1)
}

/** Three octaves of {@link noise}, 0 to 1. */
export const cloud = (x: number, y: number, z = 0): number =>
  (noise(x, y, z) * 4 + noise(x * 2.1, y * 2.1, z * 2.1) * 2 + noise(x * 4.3, y * 4.3, z * 4.3)) / 7
