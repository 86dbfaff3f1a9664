import type { Box, Region } from '../embedder.ts'
import type { Pixels } from './picture-facts.ts'
import { findThreshold, measureSalience } from './salience.ts'

/** A small copy of a picture: at most {@link SIDE} cells a side, three bytes each. */
export interface Grid {
  columns: number
  rows: number
  /** Red, green and blue of each cell, in row order. */
  data: Uint8Array
}

/** The plain background of a picture, and what stands on it. */
export interface Background {
  red: number
  green: number
  blue: number
  /** For each cell of the grid: 1 where the subject is, 0 where the background reaches in from the border. */
  subject: Uint8Array
  /** Cells of the subject. */
  subjectCells: number
  /** Cells of the box around the subject, specks left out; at least `subjectCells`. */
  boxCells: number
  /** The first and last column and row of that box; undefined without a subject. */
  span: Span | undefined
}

interface Span {
  left: number
  top: number
  right: number
  bottom: number
}

/** Every second pixel of what most models see. */
const SIDE = 112
/** Share of the border that must have the background's colour. */
const PLAIN_MIN = 0.75
/** Levels of 256 by which each channel may differ from the background's: the noise of a JPEG, the fall of light on paper. */
const TOLERANCE = 14
/** A shadow or a gradient: the most that a channel changes from cell to cell, differs from the others, and changes in all. */
const FADE_STEP = 6
const FADE_TINT = 10
const FADE_MAX = 96
/** Cells of a row or column that must differ for an object to reach there: a single one is noise. */
const CELLS_MIN = 2
/** Added to an object on each side, as a share of its box. */
const MARGIN = 0.05
/** A smaller object is a speck, and a larger one is the picture itself. */
const OBJECT_MIN = 0.01
const OBJECT_MAX = 0.85

/** Takes every so many pixels, so that a picture of the usual 224 pixels gives every second one. */
export function sampleGrid({ width, height, data }: Pixels): Grid {
  const columns = Math.min(SIDE, width)
  const rows = Math.min(SIDE, height)
  const grid = new Uint8Array(columns * rows * 3)
  const offsets = new Uint32Array(columns)
  for (let x = 0; x < columns; x++) offsets[x] = Math.floor((x * width) / columns) * 3
  for (let y = 0, to = 0; y < rows; y++) {
    const from = Math.floor((y * height) / rows) * width * 3
    for (let x = 0; x < columns; x++, to += 3) {
      const at = from + (offsets[x] ?? 0)
      grid[to] = data[at] ?? 0
      grid[to + 1] = data[at + 1] ?? 0
      grid[to + 2] = data[at + 2] ?? 0
    }
  }
  return { columns, rows, data: grid }
}

/**
 * Finds the background: the colour that three quarters of the border share, and what of it hangs together with the border, the
 * shadow of the subject included. What the subject encloses belongs to the subject, whatever its colour.
 *
 * @returns undefined where the border has no common colour.
 */
export function findBackground(grid: Grid): Background | undefined {
  const { columns, rows, data } = grid
  const border = listBorder(columns, rows)
  const red = findMedian(data, border)
  const green = findMedian(data, border, 1)
  const blue = findMedian(data, border, 2)
  const colour = Int16Array.of(red, green, blue)
  const subject = new Uint8Array(columns * rows).fill(1)
  const reached = new Uint32Array(columns * rows)
  let count = 0
  for (const cell of border) {
    if (!isPlain(data, cell * 3, colour)) continue
    subject[cell] = 0
    reached[count++] = cell
  }
  if (count < border.length * PLAIN_MIN) return undefined

  for (let n = 0; n < count; n++) {
    const cell = reached[n] ?? 0
    const column = cell % columns
    for (let side = 0; side < 4; side++) {
      if (side === 0 ? column === 0 : side === 1 && column === columns - 1) continue
      const next = cell + (side === 0 ? -1 : side === 1 ? 1 : side === 2 ? -columns : columns)
      // Beyond the first and last row nothing is 1.
      if (subject[next] !== 1) continue
      if (!isPlain(data, next * 3, colour) && !isFading(data, next * 3, cell * 3, colour)) continue
      subject[next] = 0
      reached[count++] = next
    }
  }
  const subjectCells = columns * rows - count
  const span = findSpan(grid, subject)
  const area = span ? (span.right + 1 - span.left) * (span.bottom + 1 - span.top) : 0
  return { red, green, blue, subject, subjectCells, boxCells: Math.max(area, subjectCells), span }
}

function isPlain(data: Uint8Array, at: number, colour: Int16Array): boolean {
  for (let channel = 0; channel < 3; channel++) {
    if (Math.abs((data[at + channel] ?? 0) - (colour[channel] ?? 0)) > TOLERANCE) return false
  }
  return true
}

/** Whether the light falls off from one cell of the background to the next: gently, and in all channels alike. */
function isFading(data: Uint8Array, at: number, from: number, colour: Int16Array): boolean {
  let least = 255
  let most = -255
  for (let channel = 0; channel < 3; channel++) {
    const value = data[at + channel] ?? 0
    if (Math.abs(value - (data[from + channel] ?? 0)) > FADE_STEP) return false
    const shift = value - (colour[channel] ?? 0)
    least = Math.min(least, shift)
    most = Math.max(most, shift)
  }
  return most - least <= FADE_TINT && Math.max(most, -least) <= FADE_MAX
}

function findSpan({ columns, rows }: Grid, subject: Uint8Array): Span | undefined {
  const inColumn = new Uint32Array(columns)
  const inRow = new Uint32Array(rows)
  for (let y = 0, cell = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++, cell++) {
      if (subject[cell] !== 1) continue
      inColumn[x] = (inColumn[x] ?? 0) + 1
      inRow[y] = (inRow[y] ?? 0) + 1
    }
  }
  const isFull = (count: number) => count >= CELLS_MIN
  const left = inColumn.findIndex(isFull)
  const top = inRow.findIndex(isFull)
  if (left < 0 || top < 0) return undefined
  return { left, top, right: inColumn.findLastIndex(isFull), bottom: inRow.findLastIndex(isFull) }
}

/** The outermost cells, each once. */
function listBorder(columns: number, rows: number): Uint32Array {
  const cells: number[] = []
  for (let x = 0; x < columns; x++) cells.push(x, (rows - 1) * columns + x)
  for (let y = 1; y < rows - 1; y++) cells.push(y * columns, y * columns + columns - 1)
  return Uint32Array.from(cells)
}

function findMedian(data: Uint8Array, cells: Uint32Array, channel = 0): number {
  const counts = new Uint32Array(256)
  for (const cell of cells) {
    const value = data[cell * 3 + channel] ?? 0
    counts[value] = (counts[value] ?? 0) + 1
  }
  let value = 0
  for (let seen = counts[0] ?? 0; seen * 2 < cells.length && value < 255; seen += counts[value] ?? 0) value++
  return value
}

/** @returns the box of everything on the background, with a margin; null where it is tiny or nearly the whole picture. */
export function findObject(grid: Grid, background: Background | undefined): Box | null {
  if (!background?.span) return null
  const box = toBox(background.span, grid)
  const area = box.width * box.height
  return area >= OBJECT_MIN && area <= OBJECT_MAX ? box : null
}

/** Parts closer than this, in cells, are one object: the legs of a table, the letters of a print. */
const GAP = 4
const REGIONS_MAX = 5
/** Bounds the work of merging: a picture of grains has thousands of parts. */
const PARTS_MAX = 64
/** A smaller part, as a share of the picture, is a speck. */
const REGION_MIN = 0.005

interface Part extends Span {
  cells: number
}

/**
 * Finds the separate objects on a plain background, or the main object in front of any other.
 *
 * @returns at most five, the largest first, each with its share of all that stands out.
 */
export function findRegions(grid: Grid, background: Background | undefined): Region[] {
  const separate = background ? findSeparate(grid, background) : []
  return separate.length > 0 ? separate : (findMainObject(grid) ?? [])
}

function findSeparate(grid: Grid, background: Background): Region[] {
  const { columns, rows } = grid
  return mergeNear(listParts(grid, background.subject))
    .filter(({ cells }) => cells >= columns * rows * REGION_MIN)
    .sort((a, b) => b.cells - a.cells)
    .slice(0, REGIONS_MAX)
    .map((part) => ({
      box: toBox(part, grid),
      score: roundShare(part.cells / background.subjectCells),
    }))
}

/** A main object fills at least so much of the picture, and its box at most so much. */
const MAIN_MIN = 0.03
const MAIN_BOX_MAX = 0.92
/** How much higher its barriers are than those of the other cells: noise has 30 to 34, all but one of 85 photographs of clothes 37 and more. */
const MAIN_GAP = 36

function findMean(values: Float32Array, seen: Uint8Array, which: 0 | 1): number {
  let [count, sum] = [0, 0]
  for (let cell = 0; cell < values.length; cell++) {
    if (seen[cell] !== which) continue
    count++
    sum += values[cell] ?? 0
  }
  return count === 0 ? 0 : sum / count
}

/**
 * Finds the main object of a picture without a plain background, by what stands out from the border.
 *
 * @returns one region; undefined where nothing stands out as one thing.
 */
function findMainObject(grid: Grid): [Region] | undefined {
  const { columns, rows, barriers, values } = measureSalience(grid)
  const threshold = findThreshold(values)
  const seen = Uint8Array.from(values, (value) => (value >= threshold ? 1 : 0))
  const cells = seen.reduce((sum, cell) => sum + cell, 0)
  const [main] = listParts({ columns, rows }, seen)
  if (!main || main.cells < columns * rows * MAIN_MIN) return undefined
  const gap = findMean(barriers, seen, 1) - findMean(barriers, seen, 0)
  if (gap < MAIN_GAP) return undefined
  const box = toBox(main, { columns, rows })
  return box.width * box.height <= MAIN_BOX_MAX ? [{ box, score: roundShare(main.cells / cells) }] : undefined
}

/** Parts that hang together, also over corners. Specks of one cell do not count. */
function listParts({ columns, rows }: Pick<Grid, 'columns' | 'rows'>, subject: Uint8Array): Part[] {
  const left = subject.slice()
  const reached = new Uint32Array(columns * rows)
  const parts: Part[] = []
  for (let start = 0; start < left.length; start++) {
    if (left[start] !== 1) continue
    const part = { left: columns, top: rows, right: 0, bottom: 0, cells: 0 }
    let waiting = 0
    left[start] = 0
    reached[waiting++] = start
    while (waiting > 0) {
      const cell = reached[--waiting] ?? 0
      const x = cell % columns
      const y = (cell - x) / columns
      part.cells++
      part.left = Math.min(part.left, x)
      part.right = Math.max(part.right, x)
      part.top = Math.min(part.top, y)
      part.bottom = Math.max(part.bottom, y)
      for (let toY = Math.max(0, y - 1); toY <= Math.min(rows - 1, y + 1); toY++) {
        for (let toX = Math.max(0, x - 1); toX <= Math.min(columns - 1, x + 1); toX++) {
          const next = toY * columns + toX
          if (left[next] !== 1) continue
          left[next] = 0
          reached[waiting++] = next
        }
      }
    }
    if (part.cells > 1) parts.push(part)
  }
  return parts.sort((a, b) => b.cells - a.cells).slice(0, PARTS_MAX)
}

/** Joins parts whose boxes are near until none are left that are. */
function mergeNear(parts: readonly Part[]): Part[] {
  const merged: Part[] = []
  for (let part of parts) {
    for (let n = 0; n < merged.length; ) {
      const other = merged[n] as Part
      if (!isWithin(part, other, GAP)) {
        n++
        continue
      }
      merged.splice(n, 1)
      part = join(part, other)
      // The larger box may be near to those that were looked at before.
      n = 0
    }
    merged.push(part)
  }
  return merged
}

const isWithin = (a: Part, b: Part, gap: number): boolean =>
  a.left - gap <= b.right && b.left - gap <= a.right && a.top - gap <= b.bottom && b.top - gap <= a.bottom

const join = (a: Part, b: Part): Part => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
  cells: a.cells + b.cells,
})

/** A box of cells with its margin, relative to the picture and within it. */
function toBox({ left, top, right, bottom }: Span, { columns, rows }: Pick<Grid, 'columns' | 'rows'>): Box {
  const [x, width] = toShares(left, right, columns)
  const [y, height] = toShares(top, bottom, rows)
  return { x, y, width, height }
}

function toShares(first: number, last: number, cells: number): [start: number, length: number] {
  const margin = (last + 1 - first) * MARGIN
  const start = round(Math.max(0, (first - margin) / cells))
  const end = round(Math.min(1, (last + 1 + margin) / cells))
  return [start, round(end - start)]
}

const roundShare = (share: number): number => Math.round(share * 1_000) / 1_000

/** A ten-thousandth is less than a pixel of the cells' size. */
const round = (share: number): number => Math.round(share * 10_000) / 10_000
