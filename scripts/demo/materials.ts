import { blend, type Rgb, rgb, scale } from './colour.ts'
import type { Material } from './mesh.ts'
import { cloud, noise } from './noise.ts'
import { smoothstep, type V3 } from './vector.ts'

type Paint = string | ((u: number, v: number, p: V3) => Rgb)

const toPainter = (paint: Paint): ((u: number, v: number, p: V3) => Rgb) => {
  if (typeof paint !== 'string') return paint
  const colour = rgb(paint)
  return () => colour
}

/** Glazed ceramic, lacquer, glossy plastic. */
export const glazed = (paint: Paint, gloss = 1): Material => ({
  colour: toPainter(paint),
  gloss,
  rough: 0.08,
  metal: 0,
})

/** Matt paint, paper, unglazed clay. */
export const matt = (paint: Paint, gloss = 0.25): Material => ({
  colour: toPainter(paint),
  gloss,
  rough: 0.8,
  metal: 0,
})

/** Rubber and satin plastic. */
export const satin = (paint: Paint): Material => ({
  colour: toPainter(paint),
  gloss: 0.7,
  rough: 0.4,
  metal: 0,
})

/** Bare metal; `rough` 0.1 polished, 0.5 brushed. */
export const metal = (colour: string, rough = 0.15): Material => ({
  colour: toPainter(colour),
  gloss: 0.4,
  rough,
  metal: 0.9,
})

const bumpy =
  (size: number, depth: number) =>
  (_u: number, _v: number, p: V3): V3 => {
    const at = (k: number): number =>
      (noise(p[0] * size + k * 17, p[1] * size + k * 31, p[2] * size) - 0.5) * depth
    return [at(1), at(2), at(3)]
  }

/** Woven cloth, slightly uneven: `size` dents per unit of length. */
export const cloth = (paint: Paint, size = 2.2, depth = 0.1): Material => {
  const base = toPainter(paint)
  return {
    colour: base,
    gloss: 0.12,
    rough: 1,
    metal: 0,
    bump: bumpy(size, depth),
  }
}

/** Leather; `size` dents per unit of length. */
export const leather = (paint: Paint, size = 2, depth = 0.06): Material => {
  const base = toPainter(paint)
  return {
    colour: (u, v, p) => scale(base(u, v, p), 0.88 + 0.24 * cloud(p[0] * 0.9, p[1] * 0.9, p[2] * 0.9)),
    gloss: 0.75,
    rough: 0.42,
    metal: 0,
    bump: bumpy(size, depth),
  }
}

/** Oiled wood with its grain along `axis`; `size` rings per unit of length across it. */
export const wood = (pale: string, dark: string, axis: 0 | 1 | 2, size = 3, gloss = 0.5): Material => {
  const [light, deep] = [rgb(pale), rgb(dark)]
  return {
    colour: (_u, _v, p) => {
      const q = [p[0] * size, p[1] * size, p[2] * size] as [number, number, number]
      q[axis] *= 0.07
      const warp = cloud(q[0] * 0.4, q[1] * 0.4, q[2] * 0.4) * 5
      const ring = 0.5 + 0.5 * Math.sin((q[0] + q[1] + q[2]) * 2.4 + warp * 3)
      const pores = noise(q[0] * 6, q[1] * 6, q[2] * 6)
      return blend(light, deep, 0.6 * smoothstep(0.25, 1, ring) + 0.4 * smoothstep(0.55, 0.95, pores))
    },
    gloss,
    rough: 0.45,
    metal: 0,
  }
}
