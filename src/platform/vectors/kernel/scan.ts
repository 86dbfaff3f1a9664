// AssemblyScript, not TypeScript: compiled by scripts/generate/kernel.ts to dist/generated/scan.wasm.
//
// A block holds 64 vectors, padded to `width` dimensions (a multiple of 16):
//   64 x f32       scale of each vector; negative: the slot is free
//   64 x width x i8  high bytes: all that a scan reads
//   64 x width x i8  low bytes: read by rescoring only
// A component is scale * (256 * high + low). The high plane interleaves four vectors in pieces of 16 bytes, so that one
// pass over consecutive cache lines scores four vectors with one load of the query. That measured 1.2 x faster than one
// vector after another. The low plane stores one vector after another. A place is the address of a block, a multiple of
// 64, plus the number of a vector in it.
//
// The kernel uses only widening multiplications, which give the same integers on x86-64 and arm64. relaxed_dot was 1.1
// x faster on x86-64, but handles only seven bits.

const SLOTS: usize = 64
const SCALES: usize = SLOTS * 4
/** Bytes of the pieces of a group of four vectors: 16 dimensions each. */
const LANES: usize = 64
/** Integer value of the largest component. Its low byte is 0, so that rounding treats both signs alike. */
const PEAK: f32 = 32512
const FREE: f32 = -Infinity

@inline
function scaleAt(place: usize): usize {
  return (place & ~(SLOTS - 1)) + (place & (SLOTS - 1)) * 4
}

@inline
function highAt(place: usize, width: usize): usize {
  const slot = place & (SLOTS - 1)
  return (place & ~(SLOTS - 1)) + SCALES + (slot >> 2) * 4 * width + (slot & 3) * 16
}

@inline
function lowAt(place: usize, width: usize): usize {
  const slot = place & (SLOTS - 1)
  return (place & ~(SLOTS - 1)) + SCALES + (SLOTS + slot) * width
}

/**
 * Returns the largest magnitude in a float vector; NaN or infinite if a component is not finite.
 *
 * Without their sign, floats have the same order as the integers of the same bits, which are faster to compare.
 */
export function peak(vector: usize, width: usize): f32 {
  let top = i32x4.splat(0)
  for (const end = vector + width * 4; vector < end; vector += 16) {
    top = i32x4.max_s(top, v128.and(v128.load(vector), i32x4.splat(0x7fffffff)))
  }
  top = i32x4.max_s(top, v128.shuffle<i32>(top, top, 2, 3, 0, 1))
  return reinterpret<f32>(max<i32>(i32x4.extract_lane(top, 0), i32x4.extract_lane(top, 1)))
}

/** Multiplies eight floats by `steps` and rounds. Adding 1.5 * 2^23 leaves the nearest integer in the low bits. */
@inline
function roundEight(floats: usize, steps: v128): v128 {
  const shift = f32x4.splat(12582912)
  return i16x8.narrow_i32x4_s(
    i32x4.sub(f32x4.add(f32x4.mul(v128.load(floats), steps), shift), shift),
    i32x4.sub(f32x4.add(f32x4.mul(v128.load(floats, 16), steps), shift), shift),
  )
}

/** Writes a float vector, whose `peak` is `top`, to a place and thereby marks the place as taken. */
export function encode(vector: usize, top: f32, place: usize, width: usize): void {
  const steps = f32x4.splat(top > 0 ? PEAK / top : 0)
  const half = i16x8.splat(128)
  store<f32>(scaleAt(place), top / PEAK)
  let high = highAt(place, width)
  let low = lowAt(place, width)
  for (const end = vector + width * 4; vector < end; vector += 64) {
    const left = roundEight(vector, steps)
    const right = roundEight(vector + 32, steps)
    const leftHigh = i16x8.shr_s(i16x8.add(left, half), 8)
    const rightHigh = i16x8.shr_s(i16x8.add(right, half), 8)
    const leftLow = i16x8.sub(left, i16x8.shl(leftHigh, 8))
    const rightLow = i16x8.sub(right, i16x8.shl(rightHigh, 8))
    v128.store(high, i8x16.narrow_i16x8_s(leftHigh, rightHigh))
    v128.store(low, i8x16.narrow_i16x8_s(leftLow, rightLow))
    high += LANES
    low += 16
  }
}

/** Writes the float vector of a place to `vector`. */
export function decode(place: usize, width: usize, vector: usize): void {
  const scale = load<f32>(scaleAt(place))
  const high = highAt(place, width)
  const low = lowAt(place, width)
  for (let i: usize = 0; i < width; i++) {
    const upper = <i32>load<i8>(high + (i >> 4) * LANES + (i & 15))
    store<f32>(vector + i * 4, <f32>((upper << 8) + <i32>load<i8>(low + i)) * scale)
  }
}

/** Marks a place as free. */
export function release(place: usize): void {
  store<f32>(scaleAt(place), -1)
}

/**
 * Converts a float query to 16-bit integers and returns the value of one unit of `integer query x high byte`. The
 * second bound keeps every partial sum of a dot product within 32 bits (Cauchy-Schwarz with |high| <= 127).
 */
export function prepare(query: usize, width: usize, integers: usize): f32 {
  let square: f32 = 0
  for (let i: usize = 0; i < width; i++) {
    const x = load<f32>(query + i * 4)
    square += x * x
  }
  if (!(square > 0)) {
    memory.fill(integers, 0, width * 2)
    return 0
  }
  const steps = min<f32>(32767 / peak(query, width), 16000000 / sqrt<f32>(square * <f32>width))
  for (let i: usize = 0; i < width; i++) {
    store<i16>(integers + i * 2, <i16>nearest<f32>(load<f32>(query + i * 4) * steps))
  }
  return 256 / steps
}

@inline
function accumulate(sum: v128, high: usize, left: v128, right: v128): v128 {
  return i32x4.add(
    sum,
    i32x4.add(
      i32x4.dot_i16x8_s(v128.load_ext<i8>(high), left),
      i32x4.dot_i16x8_s(v128.load_ext<i8>(high, 8), right),
    ),
  )
}

/** Sums the four lanes of each of four vectors; the sums are the lanes of the result. */
@inline
function sumLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3))
}

/** Stores the scores of four vectors from their sums and scales; a negative scale means a free slot. */
@inline
function storeScores(scores: usize, scale: usize, sums: v128, unit: f32): void {
  const scales = v128.load(scale)
  const products = f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(scales, f32x4.splat(unit)))
  v128.store(scores, v128.bitselect(products, f32x4.splat(FREE), f32x4.ge(scales, f32x4.splat(0))))
}

/** Scores two blocks at once, which streams twice as many cache lines: 1.25 x faster than one by one. */
function scanPair(integers: usize, unit: f32, left: usize, right: usize, width: usize, scores: usize, further: usize): void {
  let high = left + SCALES
  let other = right + SCALES
  for (const last = high; left < last; left += 16) {
    let a = i32x4.splat(0)
    let b = a
    let c = a
    let d = a
    let e = a
    let f = a
    let g = a
    let h = a
    let query = integers
    for (const after = high + 4 * width; high < after; high += LANES) {
      const even = v128.load(query)
      const odd = v128.load(query, 16)
      a = accumulate(a, high, even, odd)
      b = accumulate(b, high + 16, even, odd)
      c = accumulate(c, high + 32, even, odd)
      d = accumulate(d, high + 48, even, odd)
      e = accumulate(e, other, even, odd)
      f = accumulate(f, other + 16, even, odd)
      g = accumulate(g, other + 32, even, odd)
      h = accumulate(h, other + 48, even, odd)
      other += LANES
      query += 32
    }
    storeScores(scores, left, sumLanes(a, b, c, d), unit)
    storeScores(further, right, sumLanes(e, f, g, h), unit)
    right += 16
    scores += 16
    further += 16
  }
}

/** Approximate scores of all slots of `count` blocks, whose addresses are at `blocks`; a free slot scores -Infinity. */
export function scanBlocks(
  integers: usize, unit: f32, blocks: usize, count: usize, width: usize, scores: usize,
): void {
  for (let i: usize = 0; i < count; i += 2) {
    // An odd last block is scored twice, with the same result.
    const j = min<usize>(i + 1, count - 1)
    const left = load<u32>(blocks + i * 4) as usize
    const right = load<u32>(blocks + j * 4) as usize
    scanPair(integers, unit, left, right, width, scores + i * SLOTS * 4, scores + j * SLOTS * 4)
  }
}

/** Computes the same scores as `scanBlocks` for single places. */
export function scanPlaces(
  integers: usize, unit: f32, places: usize, count: usize, width: usize, scores: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const place = load<u32>(places + i * 4) as usize
    const scale = load<f32>(scaleAt(place))
    let sum = i32x4.splat(0)
    let query = integers
    let high = highAt(place, width)
    for (const after = high + 4 * width; high < after; high += LANES) {
      sum = accumulate(sum, high, v128.load(query), v128.load(query, 16))
      query += 32
    }
    const total = f32x4.extract_lane(f32x4.convert_i32x4_s(sumLanes(sum, sum, sum, sum)), 0)
    store<f32>(scores + i * 4, scale >= 0 ? total * (scale * unit) : FREE)
  }
}

@inline
function refine(sum: v128, high: usize, low: usize, query: usize): v128 {
  const values = i16x8.add(i16x8.shl(v128.load_ext<i8>(high), 8), v128.load_ext<i8>(low))
  const left = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(values))
  const right = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(values))
  return f32x4.add(sum, f32x4.add(f32x4.mul(left, v128.load(query)), f32x4.mul(right, v128.load(query, 16))))
}

/** Computes precise scores of single places from both planes, with a float query and float sums. */
export function rescorePlaces(query: usize, places: usize, count: usize, width: usize, scores: usize): void {
  for (let i: usize = 0; i < count; i++) {
    const place = load<u32>(places + i * 4) as usize
    const scale = load<f32>(scaleAt(place))
    let a = f32x4.splat(0)
    let b = a
    let floats = query
    let high = highAt(place, width)
    let low = lowAt(place, width)
    for (const after = low + width; low < after; low += 16) {
      a = refine(a, high, low, floats)
      b = refine(b, high + 8, low + 8, floats + 32)
      high += LANES
      floats += 64
    }
    const sum = f32x4.add(a, b)
    const total =
      f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)
    store<f32>(scores + i * 4, scale >= 0 ? total * scale : FREE)
  }
}
