import { LIMITS } from '../../../core/limits.ts'
import type { Box, PictureCrop } from '../embedder.ts'
import type { Pixels } from './picture-facts.ts'
import { RefusedPicture } from './refusal.ts'
import type { Size } from './treatment.ts'

/** A rectangle of whole pixels. */
export interface Rectangle extends Size {
  left: number
  top: number
}

const PADDING_MAX = 0.5

/**
 * Pads a crop and cuts off what reaches beyond the picture.
 *
 * @param picture its size after EXIF rotation.
 * @throws RefusedPicture `crop_too_small` when less than 32 pixels are left of a side.
 */
export function applyCrop(crop: PictureCrop, picture: Size): Rectangle {
  const isRelative = crop.unit === 'relative'
  const padding = Math.min(PADDING_MAX, Math.max(0, crop.padding ?? 0))
  const span = (start: number, length: number, side: number): [start: number, length: number] => {
    const scale = isRelative ? side : 1
    const first = (start - length * padding) * scale
    const end = (start + length + length * padding) * scale
    const from = Math.min(side, Math.max(0, Math.round(first)))
    return [from, Math.min(side, Math.max(0, Math.round(end))) - from]
  }
  const [left, width] = span(crop.x, crop.width, picture.width)
  const [top, height] = span(crop.y, crop.height, picture.height)
  const min = LIMITS.pictureSideMin
  // Written so that NaN, the difference of two endless numbers, is refused too.
  if (!(width >= min && height >= min && crop.width > 0 && crop.height > 0)) {
    throw new RefusedPicture(
      'crop_too_small',
      `The crop leaves less than ${min} pixels of the picture's ${picture.width} x ${picture.height} on a side`,
      { width: picture.width, height: picture.height, min_side: min },
    )
  }
  return { left, top, width, height }
}

/** The rectangle as shares of the picture, to four decimals. */
export function toBox({ left, top, width, height }: Rectangle, picture: Size): Box {
  const round = (share: number) => Math.round(share * 10_000) / 10_000
  return {
    x: round(left / picture.width),
    y: round(top / picture.height),
    width: round(width / picture.width),
    height: round(height / picture.height),
  }
}

/** How a stored picture differs from the upright one: rows and columns swapped, then columns and rows from the other end. */
interface Turn {
  isSwapped: boolean
  flipsColumns: boolean
  flipsRows: boolean
}

/** For the orientations 1 to 8 of EXIF. */
const TURNS = ['', 'c', 'cr', 'r', 's', 'sr', 'scr', 'sc'].map(
  (flips): Turn => ({
    isSwapped: flips.includes('s'),
    flipsColumns: flips.includes('c'),
    flipsRows: flips.includes('r'),
  }),
)
const UPRIGHT: Turn = { isSwapped: false, flipsColumns: false, flipsRows: false }
const turnOf = (orientation: number): Turn => TURNS[orientation - 1] ?? UPRIGHT

/** The size of an upright rectangle in the stored picture. */
export const toStoredSize = ({ width, height }: Size, orientation: number): Size =>
  turnOf(orientation).isSwapped ? { width: height, height: width } : { width, height }

/**
 * Finds a rectangle of the upright picture in the stored one, so that only the cut-out needs turning: a decoder would hold all of
 * a turned picture in memory.
 *
 * @param picture its size after EXIF rotation.
 */
export function toStored(rectangle: Rectangle, picture: Size, orientation: number): Rectangle {
  const { isSwapped, flipsColumns, flipsRows } = turnOf(orientation)
  const { width, height } = toStoredSize(rectangle, orientation)
  const stored = toStoredSize(picture, orientation)
  const [left, top] = isSwapped ? [rectangle.top, rectangle.left] : [rectangle.left, rectangle.top]
  return {
    left: flipsColumns ? stored.width - left - width : left,
    top: flipsRows ? stored.height - top - height : top,
    ...{ width, height },
  }
}

/** Turns stored pixels upright. */
export function turnUpright(stored: Pixels, orientation: number): Pixels {
  const { isSwapped, flipsColumns, flipsRows } = turnOf(orientation)
  if (!isSwapped && !flipsColumns && !flipsRows) return stored
  const { width, height } = toStoredSize(stored, orientation)
  const data = new Uint8Array(width * height * 3)
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 3) {
      const [column, row] = isSwapped ? [y, x] : [x, y]
      const fromX = flipsColumns ? stored.width - 1 - column : column
      const fromY = flipsRows ? stored.height - 1 - row : row
      const from = (fromY * stored.width + fromX) * 3
      data[to] = stored.data[from] ?? 0
      data[to + 1] = stored.data[from + 1] ?? 0
      data[to + 2] = stored.data[from + 2] ?? 0
    }
  }
  return { width, height, data }
}
