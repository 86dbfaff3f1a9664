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
