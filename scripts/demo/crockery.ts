import { type Rgb, rgb } from './colour.ts'
import { glazed, matt } from './materials.ts'
import type { Material, Part } from './mesh.ts'
import { type Profile, tube, turned } from './shapes.ts'
import { curve } from './vector.ts'

/** Colour of a glaze at surface coordinates: u round the piece, v along its skin. */
type Glaze = string | ((u: number, v: number) => Rgb)

const skin = (glaze: Glaze): Material => glazed(glaze)

/** `count` upright stripes of a second colour round the piece. */
export const upright =
  (base: string, second: string, count: number) =>
  (u: number): Rgb =>
    (u * count) % 1 < 0.5 ? rgb(second) : rgb(base)

/** A mug with an ear at its right. `belly` widens the middle, `taper` narrows the foot. */
export function mug(
  glaze: Glaze,
  inside: string,
  form: { belly?: number; taper?: number; height?: number; sheen?: number } = {},
): Part[] {
  const { belly = 0, taper = 0.06, height = 2.3, sheen = 1 } = form
  const coat = glazed(glaze, sheen)
  const radius = (y: number): number =>
    1 - taper * (1 - y / height) + belly * Math.sin((Math.PI * y) / height)
  const wall: [number, number][] = [0.12, 0.4, 0.8, 1.15, 1.5, 1.9, 2.15].map((k) => {
    const y = (k / 2.3) * height
    return [radius(y), y]
  })
  const outer: Profile = [
    [0, 0],
    [0, 0],
    [0.7, 0],
    [radius(0) - 0.12, 0.02],
    ...wall,
    [radius(height) - 0.005, height - 0.03],
    [radius(height) - 0.05, height],
  ]
  const lining: Profile = [
    [radius(height) - 0.05, height],
    [radius(height) - 0.1, height - 0.04],
    [radius(height) - 0.11, height - 0.2],
    [radius(0) - 0.12, 0.3],
    [0.6, 0.18],
    [0, 0.16],
  ]
  const ear = curve([
    [radius(height * 0.8) - 0.06, height * 0.8, 0],
    [radius(height * 0.8) + 0.3, height * 0.86, 0],
    [1.72, height * 0.66, 0],
    [1.68, height * 0.4, 0],
    [radius(height * 0.2) + 0.32, height * 0.2, 0],
    [radius(height * 0.2) - 0.06, height * 0.22, 0],
  ])
  return [
    turned(outer, coat, { fine: typeof glaze === 'string' ? [0.8, 0.8] : [1.6, 0.6] }),
    turned(lining, glazed(inside, 0.7), { fine: [0.5, 0.5] }),
    tube(ear, () => [0.17, 0.105], typeof glaze === 'string' ? coat : glazed((u) => glaze(0, 0.2 + 0.7 * u))),
  ]
}

/** A vase from its profile; the mouth is open. */
export function vase(profile: Profile, glaze: Glaze, material: (paint: Glaze) => Material = skin): Part[] {
  const [mouth, top] = profile.at(-1) ?? [0.5, 3]
  return [
    turned([[0, 0], [0, 0], ...profile], material(glaze), {
      fine: typeof glaze === 'string' ? [0.8, 0.8] : [1, 1.3],
    }),
    turned(
      [
        [mouth, top],
        [mouth - 0.05, top + 0.015],
        [mouth - 0.1, top - 0.05],
        [mouth - 0.12, top - 0.14],
        [0, top - 0.2],
      ],
      matt('#2c2622', 0),
      { fine: [0.5, 0.5] },
    ),
  ]
}
