/** A point or direction: x to the right, y up, z towards the camera. */
export type V3 = readonly [number, number, number]

export const add = (a: V3, b: V3): V3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
export const sub = (a: V3, b: V3): V3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
export const times = (a: V3, k: number): V3 => [a[0] * k, a[1] * k, a[2] * k]
export const dot = (a: V3, b: V3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const cross = (a: V3, b: V3): V3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
export const length = (a: V3): number => Math.hypot(a[0], a[1], a[2])
export const unit = (a: V3): V3 => times(a, 1 / (length(a) || 1))
export const mix = (a: number, b: number, t: number): number => a + (b - a) * t
export const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x))

/** 0 below `from`, 1 above `to`, smooth between. */
export function smoothstep(from: number, to: number, x: number): number {
  const t = clamp((x - from) / (to - from), 0, 1)
  return t * t * (3 - 2 * t)
}

/** Turns about the vertical axis; a positive angle (radians) turns the front towards +x. */
export const yaw = (p: V3, angle: number): V3 => {
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  return [p[0] * c + p[2] * s, p[1], p[2] * c - p[0] * s]
}

/** Turns about the x axis; a positive angle (radians) tips the top towards the camera. */
export const pitch = (p: V3, angle: number): V3 => {
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  return [p[0], p[1] * c - p[2] * s, p[2] * c + p[1] * s]
}

/** Turns about the z axis; a positive angle (radians) turns anticlockwise. */
export const roll = (p: V3, angle: number): V3 => {
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  return [p[0] * c - p[1] * s, p[1] * c + p[0] * s, p[2]]
}

/** A Catmull-Rom curve through the points, for t from 0 to 1. A point given twice makes a corner. */
export function curve(points: readonly V3[], isClosed = false): (t: number) => V3 {
  const count = points.length
  const spans = isClosed ? count : count - 1
  const at = (i: number): V3 =>
    (isClosed ? points[((i % count) + count) % count] : points[clamp(i, 0, count - 1)]) ?? [0, 0, 0]
  return (t) => {
    const s = isClosed ? (((t % 1) + 1) % 1) * spans : clamp(t, 0, 1) * spans
    const i = Math.min(Math.floor(s), spans - 1)
    const f = s - i
    const [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)]
    const axis = (k: 0 | 1 | 2): number =>
      0.5 *
      (2 * b[k] +
        (c[k] - a[k]) * f +
        (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * f * f +
        (3 * b[k] - a[k] - 3 * c[k] + d[k]) * f * f * f)
    return [axis(0), axis(1), axis(2)]
  }
}
