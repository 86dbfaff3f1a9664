import {
  convertRgbToLab65,
  differenceEuclidean,
  formatHex,
  type Lab65,
  modeLab65,
  type Rgb,
  useMode,
} from 'culori/fn'

/** An 8-bit RGB picture in row order. */
export interface Pixels {
  width: number
  height: number
  data: Uint8Array
}

const GRID = 32
const FREQUENCIES = 8
/** Rows of the DCT-II basis: `cos((2x + 1) * u * pi / 64)`. */
const BASIS = Float64Array.from({ length: FREQUENCIES * GRID }, (_, i) =>
  Math.cos(((2 * (i % GRID) + 1) * Math.floor(i / GRID) * Math.PI) / (2 * GRID)),
)

/**
 * Computes the 64-bit DCT hash of a picture: luma on a grid of 32 x 32, its 8 x 8 lowest frequencies, and one bit for
 * each that lies above their median.
 *
 * @returns 16 hex digits. Copies with another size or compression differ in few bits.
 */
export function perceptualHash(pixels: Pixels): string {
  const luma = lumaGrid(pixels)
  const rows = new Float64Array(FREQUENCIES * GRID)
  for (let u = 0; u < FREQUENCIES; u++) {
    for (let y = 0; y < GRID; y++) {
      let sum = 0
      for (let x = 0; x < GRID; x++) sum += (luma[y * GRID + x] ?? 0) * (BASIS[u * GRID + x] ?? 0)
      rows[u * GRID + y] = sum
    }
  }
  const spectrum = new Float64Array(FREQUENCIES * FREQUENCIES)
  for (let v = 0; v < FREQUENCIES; v++) {
    for (let u = 0; u < FREQUENCIES; u++) {
      let sum = 0
      for (let y = 0; y < GRID; y++) sum += (rows[u * GRID + y] ?? 0) * (BASIS[v * GRID + y] ?? 0)
      // Rounding keeps the noise of a flat picture from setting bits.
      spectrum[v * FREQUENCIES + u] = Math.round(sum * 16) / 16
    }
  }
  // The first coefficient is the mean brightness, which does not describe the picture and would shift the median.
  const sorted = spectrum.slice(1).sort()
  const median = sorted[sorted.length >> 1] ?? 0
  let bits = 0n
  for (const coefficient of spectrum) bits = (bits << 1n) | (coefficient > median ? 1n : 0n)
  return bits.toString(16).padStart(16, '0')
}

/** Averages the luma of each cell. In cells of 7 x 7, every second pixel of a row suffices and halves the time. */
function lumaGrid({ width, height, data }: Pixels): Float64Array {
  const sums = new Int32Array(GRID * GRID)
  const counts = new Int32Array(GRID * GRID)
  const columns = new Uint8Array(width)
  for (let x = 0; x < width; x++) columns[x] = Math.floor((x * GRID) / width)
  const stride = width >= 4 * GRID ? 2 : 1
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * GRID) / height) * GRID
    for (let x = 0, at = y * width * 3; x < width; x += stride, at += 3 * stride) {
      const cell = row + (columns[x] ?? 0)
      const luma = 77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0)
      sums[cell] = (sums[cell] ?? 0) + luma
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  }
  const grid = new Float64Array(GRID * GRID)
  for (let cell = 0; cell < grid.length; cell++) {
    grid[cell] = (sums[cell] ?? 0) / 256 / Math.max(1, counts[cell] ?? 1)
  }
  return grid
}

const COLOURS_MAX = 5
/** Colours closer than this (CIE76) count as one; it is about the distance between two neighbouring colour names. */
const SAME_COLOUR = 20
useMode(modeLab65)
const distance = differenceEuclidean('lab65')
/** A colour with a smaller share is noise, such as the soft edge of a cut-out. */
const SHARE_MIN = 0.02
/** Number of the fullest bins that are clustered; in photographs they hold nine tenths of the pixels. */
const BINS_MAX = 96
/** Share of white pixels in the border from which a picture has a white background. */
const WHITE_BORDER_MIN = 0.6
/** On a white background, a smaller share of other colours means that the product itself is white. */
const COLOURED_MIN = 0.05

/**
 * Finds up to five main colours. The white background of a product picture does not count.
 *
 * @returns largest share first. Shares are of the counted pixels, so they sum to at most 1.
 */
export function palette(pixels: Pixels): { hex: string; share: number }[] {
  const bins = colourBins(pixels)
  const clusters: Cluster[] = []
  for (const bin of bins.slice(0, BINS_MAX)) {
    const lab = convertRgbToLab65(computeMean(bin))
    const near = clusters.find((cluster) => distance(cluster.lab, lab) < SAME_COLOUR)
    if (near) {
      near.red += bin.red
      near.green += bin.green
      near.blue += bin.blue
      near.count += bin.count
    } else if (clusters.length < 16) {
      clusters.push({ ...bin, lab })
    }
  }
  const total = bins.reduce((sum, bin) => sum + bin.count, 0)
  return clusters
    .sort((a, b) => b.count - a.count)
    .map((cluster) => ({
      hex: formatHex(computeMean(cluster)),
      share: Math.round((cluster.count / total) * 1000) / 1000,
    }))
    .filter((colour) => colour.share >= SHARE_MIN)
    .slice(0, COLOURS_MAX)
}

interface Bin {
  red: number
  green: number
  blue: number
  count: number
}
interface Cluster extends Bin {
  lab: Lab65
}

/** Sorts every second pixel of every second row into bins of 4 bits per channel, fullest first. */
function colourBins(pixels: Pixels): Bin[] {
  const { width, height, data } = pixels
  const sums = new Uint32Array(4096 * 4)
  let whites = 0
  let seen = 0
  const isGroundWhite = hasWhiteBorder(pixels)
  const white = { red: 0, green: 0, blue: 0, count: 0 }
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const at = (y * width + x) * 3
      const red = data[at] ?? 0
      const green = data[at + 1] ?? 0
      const blue = data[at + 2] ?? 0
      seen++
      if (isGroundWhite && isNearWhite(red, green, blue)) {
        whites++
        white.red += red
        white.green += green
        white.blue += blue
        continue
      }
      const bin = (((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4)) * 4
      sums[bin] = (sums[bin] ?? 0) + red
      sums[bin + 1] = (sums[bin + 1] ?? 0) + green
      sums[bin + 2] = (sums[bin + 2] ?? 0) + blue
      sums[bin + 3] = (sums[bin + 3] ?? 0) + 1
    }
  }
  const bins: Bin[] = []
  for (let at = 0; at < sums.length; at += 4) {
    const count = sums[at + 3] ?? 0
    if (count > 0) bins.push({ red: sums[at] ?? 0, green: sums[at + 1] ?? 0, blue: sums[at + 2] ?? 0, count })
  }
  if (whites > 0 && seen - whites < seen * COLOURED_MIN) bins.push({ ...white, count: whites })
  return bins.sort((a, b) => b.count - a.count)
}

const isNearWhite = (red: number, green: number, blue: number): boolean =>
  red >= 238 && green >= 238 && blue >= 238

function hasWhiteBorder({ width, height, data }: Pixels): boolean {
  let whites = 0
  const look = (x: number, y: number) => {
    const at = (y * width + x) * 3
    if (isNearWhite(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0)) whites++
  }
  for (let x = 0; x < width; x++) {
    look(x, 0)
    look(x, height - 1)
  }
  for (let y = 0; y < height; y++) {
    look(0, y)
    look(width - 1, y)
  }
  return whites >= 2 * (width + height) * WHITE_BORDER_MIN
}

/** The mean colour of a bin, rounded to 8 bits a channel. */
const computeMean = ({ red, green, blue, count }: Bin): Rgb => ({
  mode: 'rgb',
  r: Math.round(red / count) / 255,
  g: Math.round(green / count) / 255,
  b: Math.round(blue / count) / 255,
})
