import { type Rgb, rgb } from './colour.ts'
import { glazed, matt } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { ball, type Profile, tube, turned } from './shapes.ts'
import { curve } from './vector.ts'

/** Colour of a glaze at surface coordinates: u round the piece, v along its skin. */
type Glaze = string | ((u: number, v: number) => Rgb)

const skin = (glaze: Glaze): Material => glazed(glaze)

/** `count` level bands of a second colour between two places along the skin. */
export const banded =
  (base: string, second: string, count: number, from: number, to: number) =>
  (_u: number, v: number): Rgb => {
    const t = ((v - from) / (to - from)) * count
    return t > 0 && t < count && t % 1 < 0.5 ? rgb(second) : rgb(base)
  }

/** A mug with an ear at its right. `belly` widens the middle, `taper` narrows the foot. */
export function mug(glaze: Glaze, inside: string, form: { belly?: number; taper?: number; height?: number } = {}): Part[] {
  const { belly = 0, taper = 0.06, height = 2.3 } = form
  const radius = (y: number): number => 1 - taper * (1 - y / height) + belly * Math.sin((Math.PI * y) / height)
  const wall: [number, number][] = [0.12, 0.4, 0.8, 1.15, 1.5, 1.9, 2.15].map((k) => {
    const y = (k / 2.3) * height
    return [radius(y), y]
  })
  const outer: Profile = [[0, 0], [0, 0], [0.7, 0], [radius(0) - 0.12, 0.02], ...wall, [radius(height) - 0.005, height - 0.03], [radius(height) - 0.05, height]]
  const lining: Profile = [[radius(height) - 0.05, height], [radius(height) - 0.1, height - 0.04], [radius(height) - 0.11, height - 0.2], [radius(0) - 0.12, 0.3], [0.6, 0.18], [0, 0.16]]
  const ear = curve([
    [radius(height * 0.8) - 0.06, height * 0.8, 0],
    [radius(height * 0.8) + 0.3, height * 0.86, 0],
    [1.72, height * 0.66, 0],
    [1.68, height * 0.4, 0],
    [radius(height * 0.2) + 0.32, height * 0.2, 0],
    [radius(height * 0.2) - 0.06, height * 0.22, 0],
  ])
  return [
    turned(outer, skin(glaze), { fine: typeof glaze === 'string' ? [0.8, 0.8] : [0.8, 1.6] }),
    turned(lining, glazed(inside, 0.7), { fine: [0.5, 0.5] }),
    tube(ear, () => [0.17, 0.105], skin(typeof glaze === 'string' ? glaze : (u, v) => glaze(u, v)), {}),
  ]
}

/** A vase from its profile; the mouth is open. */
export function vase(profile: Profile, glaze: Glaze, material: (paint: Glaze) => Material = skin): Part[] {
  const [mouth, top] = profile.at(-1) ?? [0.5, 3]
  return [
    turned([[0, 0], [0, 0], ...profile], material(glaze), { fine: typeof glaze === 'string' ? [0.8, 0.8] : [1, 1.3] }),
    turned([[mouth, top], [mouth - 0.05, top + 0.015], [mouth - 0.1, top - 0.05], [mouth - 0.12, top - 0.14], [0, top - 0.2]], matt('#2c2622', 0), { fine: [0.5, 0.5] }),
  ]
}

/** A round teapot with spout, ear and lid. */
export function teapot(glaze: Glaze): Part[] {
  const m = skin(glaze)
  const body: Profile = [[0, 0], [0, 0], [0.75, 0], [0.85, 0.06], [1.2, 0.45], [1.36, 0.95], [1.25, 1.4], [0.95, 1.72], [0.66, 1.82], [0.6, 1.86]]
  const spout = curve([[1.1, 0.6, 0], [1.55, 0.8, 0], [1.8, 1.25, 0], [2.15, 1.72, 0]])
  const ear = curve([[-0.95, 1.55, 0], [-1.55, 1.75, 0], [-2.05, 1.4, 0], [-1.85, 0.85, 0], [-1.2, 0.5, 0]])
  return [
    turned(body, m),
    turned([[0.68, 1.84], [0.68, 1.84], [0.6, 1.95], [0.3, 2.12], [0.09, 2.17], [0.08, 2.24]], m),
    ball([0, 2.36, 0], [0.17, 0.15, 0.17], m),
    tube(spout, (t) => [0.34 - 0.2 * t, 0.36 - 0.21 * t], m),
    tube(ear, () => [0.16, 0.11], m),
  ]
}
