import type { Box } from '../shapes.ts'

/** Arithmetic of the frame around a part of the picture. */

/** All of the picture. */
export const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 }

/** Which edges a handle moves: -1 for the left or upper one, 1 for the other, 0 for none in that direction. */
export type Edges = readonly [horizontal: number, vertical: number]

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

export const isWhole = ({ width, height }: Box): boolean => width > 0.995 && height > 0.995

/**
 * Moves a frame inside the picture, by shares of it.
 *
 * @param edges move alone; without them all of the frame does. @param least the smallest size.
 */
export function moveBox(
  from: Box,
  edges: Edges | undefined,
  [dx, dy]: readonly [number, number],
  least: Pick<Box, 'width' | 'height'>,
): Box {
  if (!edges) {
    return { ...from, x: clamp(from.x + dx, 0, 1 - from.width), y: clamp(from.y + dy, 0, 1 - from.height) }
  }
  const [horizontal, vertical] = edges
  let [left, top, right, bottom] = [from.x, from.y, from.x + from.width, from.y + from.height]
  if (horizontal < 0) left = clamp(left + dx, 0, right - least.width)
  if (horizontal > 0) right = clamp(right + dx, left + least.width, 1)
  if (vertical < 0) top = clamp(top + dy, 0, bottom - least.height)
  if (vertical > 0) bottom = clamp(bottom + dy, top + least.height, 1)
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Describes the shade as a CSS polygon: around the picture, then around the frame in the other direction. */
export function shadeAround({ x, y, width, height }: Box): string {
  const [right, bottom] = [x + width, y + height]
  const corners = [
    [0, 0],
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
    [x, y],
    [right, y],
    [right, bottom],
    [x, bottom],
    [x, y],
  ]
  return `polygon(${corners.map(([across = 0, down = 0]) => `${across * 100}% ${down * 100}%`).join()})`
}
