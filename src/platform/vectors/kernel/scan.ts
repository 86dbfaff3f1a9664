// AssemblyScript, not TypeScript: compiled by scripts/generate/kernel.ts to dist/generated/scan.wasm.
//
// A block holds 64 vectors, padded to `width` dimensions (a multiple of 64):
//   64 x f32       scale of each vector; negative: the slot is free
//   64 x width x i8  high bytes: all that a scan reads
//   64 x width x i8  low bytes: read by rescoring only
//   64 x f32       sketch: product with the mean of the store's vectors
//   64 x f32       sketch: length of one bit
//   64 x width bits  sketch: signs of the vector without the mean
// A component is scale * (256 * high + low). The high plane interleaves four vectors in cache lines, pieces of 64
// dimensions, so that one pass over consecutive cache lines scores four vectors with one load of the query. That measured
// 1.2 x faster than one vector after another, and a single vector still takes no more cache lines than it fills. The low
// plane stores one vector after another. A place is the address of a block, a multiple of 64, plus the number of a vector
// in it.
//
// The kernel uses only widening multiplications, which give the same integers on x86-64 and arm64. relaxed_dot was 1.1
// x faster on x86-64, but handles only seven bits.

const SLOTS: usize = 64
const SCALES: usize = SLOTS * 4
/** Bytes of a piece of the high plane: 64 dimensions of one vector. */
const PIECE: usize = 64
/** Bytes from one piece of a vector to its next, past those of the three other vectors. */
const STRIDE: usize = 4 * PIECE
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
  return (place & ~(SLOTS - 1)) + SCALES + (slot >> 2) * 4 * width + (slot & 3) * PIECE
}

@inline
function lowAt(place: usize, width: usize): usize {
  const slot = place & (SLOTS - 1)
  return (place & ~(SLOTS - 1)) + SCALES + (SLOTS + slot) * width
}

@inline
function sketchAt(block: usize, width: usize): usize {
  return block + SCALES + 2 * SLOTS * width
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

/** The next 16 dimensions of a vector in the high plane. A piece starts at a multiple of 64. */
@inline
function nextHigh(high: usize): usize {
  high += 16
  return (high & (PIECE - 1)) == 0 ? high + STRIDE - PIECE : high
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
    low += 16
    high = nextHigh(high)
  }
}

/** Writes the float vector of a place to `vector`. */
export function decode(place: usize, width: usize, vector: usize): void {
  const scale = load<f32>(scaleAt(place))
  const high = highAt(place, width)
  const low = lowAt(place, width)
  for (let i: usize = 0; i < width; i++) {
    const upper = <i32>load<i8>(high + (i >> 6) * STRIDE + (i & 63))
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
    for (const after = high + 4 * width; high < after; high += STRIDE - PIECE) {
      for (const piece = high + PIECE; high < piece; high += 16) {
        const even = v128.load(query)
        const odd = v128.load(query, 16)
        a = accumulate(a, high, even, odd)
        b = accumulate(b, high + PIECE, even, odd)
        c = accumulate(c, high + 2 * PIECE, even, odd)
        d = accumulate(d, high + 3 * PIECE, even, odd)
        e = accumulate(e, other, even, odd)
        f = accumulate(f, other + PIECE, even, odd)
        g = accumulate(g, other + 2 * PIECE, even, odd)
        h = accumulate(h, other + 3 * PIECE, even, odd)
        other += 16
        query += 32
      }
      other += STRIDE - PIECE
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

/**
 * The same for several queries, whose integers lie one after another, as do their units and their scores. Each pair of
 * queries shares the loads of a block, and all pairs read it before the next one, so that it comes from memory once. An odd
 * last query is scored twice, with the same result.
 *
 * @param step bytes from the scores of a query to those of the next.
 */
export function scanBlocksEach(
  integers: usize, units: usize, queries: usize, blocks: usize, count: usize, width: usize, scores: usize, step: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const block = load<u32>(blocks + i * 4) as usize
    for (let q: usize = 0; q < queries; q += 2) {
      const other = min<usize>(q + 1, queries - 1)
      const into = scores + i * SLOTS * 4
      scanForTwo(
        integers + q * 2 * width, integers + other * 2 * width,
        load<f32>(units + q * 4), load<f32>(units + other * 4),
        block, width, into + q * step, into + other * step,
      )
    }
  }
}

/** Scores one block for two queries. */
function scanForTwo(
  left: usize, right: usize, unit: f32, otherUnit: f32, block: usize, width: usize, scores: usize, further: usize,
): void {
  let high = block + SCALES
  for (const last = high; block < last; block += 16) {
    let a = i32x4.splat(0)
    let b = a
    let c = a
    let d = a
    let e = a
    let f = a
    let g = a
    let h = a
    let query = left
    let other = right
    for (const after = high + 4 * width; high < after; high += STRIDE - PIECE) {
      for (const piece = high + PIECE; high < piece; high += 8) {
        const one = v128.load(query)
        const two = v128.load(other)
        const first = v128.load_ext<i8>(high)
        a = i32x4.add(a, i32x4.dot_i16x8_s(first, one))
        e = i32x4.add(e, i32x4.dot_i16x8_s(first, two))
        const second = v128.load_ext<i8>(high, PIECE)
        b = i32x4.add(b, i32x4.dot_i16x8_s(second, one))
        f = i32x4.add(f, i32x4.dot_i16x8_s(second, two))
        const third = v128.load_ext<i8>(high, 2 * PIECE)
        c = i32x4.add(c, i32x4.dot_i16x8_s(third, one))
        g = i32x4.add(g, i32x4.dot_i16x8_s(third, two))
        const fourth = v128.load_ext<i8>(high, 3 * PIECE)
        d = i32x4.add(d, i32x4.dot_i16x8_s(fourth, one))
        h = i32x4.add(h, i32x4.dot_i16x8_s(fourth, two))
        query += 16
        other += 16
      }
    }
    storeScores(scores, block, sumLanes(a, b, c, d), unit)
    storeScores(further, block, sumLanes(e, f, g, h), otherUnit)
    scores += 16
    further += 16
  }
}

/**
 * Computes the same scores as `scanBlocks` for single places. Four at once, because each of their cache lines is far from
 * the others, and the processor then waits for those of four vectors together.
 */
export function scanPlaces(
  integers: usize, unit: f32, places: usize, count: usize, width: usize, scores: usize,
): void {
  const last = count - 1
  for (let i: usize = 0; i < count; i += 4) {
    // The last place may be scored up to four times, with the same result.
    const j = min<usize>(i + 1, last)
    const k = min<usize>(i + 2, last)
    const l = min<usize>(i + 3, last)
    const first = load<u32>(places + i * 4) as usize
    const second = load<u32>(places + j * 4) as usize
    const third = load<u32>(places + k * 4) as usize
    const fourth = load<u32>(places + l * 4) as usize
    let a = i32x4.splat(0)
    let b = a
    let c = a
    let d = a
    let highA = highAt(first, width)
    let highB = highAt(second, width)
    let highC = highAt(third, width)
    let highD = highAt(fourth, width)
    let query = integers
    for (const end = integers + 2 * width; query < end; ) {
      for (const piece = query + 2 * PIECE; query < piece; query += 32) {
        const even = v128.load(query)
        const odd = v128.load(query, 16)
        a = accumulate(a, highA, even, odd)
        b = accumulate(b, highB, even, odd)
        c = accumulate(c, highC, even, odd)
        d = accumulate(d, highD, even, odd)
        highA += 16
        highB += 16
        highC += 16
        highD += 16
      }
      highA += STRIDE - PIECE
      highB += STRIDE - PIECE
      highC += STRIDE - PIECE
      highD += STRIDE - PIECE
    }
    const sums = sumLanes(a, b, c, d)
    storeScore(scores + i * 4, first, i32x4.extract_lane(sums, 0), unit)
    storeScore(scores + j * 4, second, i32x4.extract_lane(sums, 1), unit)
    storeScore(scores + k * 4, third, i32x4.extract_lane(sums, 2), unit)
    storeScore(scores + l * 4, fourth, i32x4.extract_lane(sums, 3), unit)
  }
}

@inline
function storeScore(score: usize, place: usize, sum: i32, unit: f32): void {
  const scale = load<f32>(scaleAt(place))
  store<f32>(score, scale >= 0 ? <f32>sum * (scale * unit) : FREE)
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
    for (const after = low + width; low < after; high += STRIDE - PIECE) {
      for (const piece = low + PIECE; low < piece; low += 16) {
        a = refine(a, high, low, floats)
        b = refine(b, high + 8, low + 8, floats + 32)
        high += 16
        floats += 64
      }
    }
    const sum = f32x4.add(a, b)
    const total =
      f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)
    store<f32>(scores + i * 4, scale >= 0 ? total * scale : FREE)
  }
}

/** Writes the highest of each 64 scores to `tops`. */
export function findTops(scores: usize, count: usize, tops: usize): void {
  for (const end = scores + count * SLOTS * 4; scores < end; tops += 4) {
    let a = v128.load(scores)
    let b = v128.load(scores, 16)
    scores += 32
    for (const after = scores + SLOTS * 4 - 32; scores < after; scores += 32) {
      a = f32x4.max(a, v128.load(scores))
      b = f32x4.max(b, v128.load(scores, 16))
    }
    a = f32x4.max(a, b)
    a = f32x4.max(a, v128.shuffle<i32>(a, a, 2, 3, 0, 1))
    store<f32>(tops, max<f32>(f32x4.extract_lane(a, 0), f32x4.extract_lane(a, 1)))
  }
}

// The sketch of a vector v holds one bit for each dimension, the signs s of r = v - mean. For a query q
//   q . v = mean . v + (q - mean) . mean + (q - mean) . r
// where only the last term is estimated, as (q - mean) . s times |r|^2 / sum |r|. The query takes the four levels -3,
// -1, 1 and 3, whose product with signs is a count of bits.

@inline
function sumFloats(sum: v128): f32 {
  return f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)
}

/** Writes the sketch of a place from its float vector at `vector`. */
export function sketch(vector: usize, mean: usize, place: usize, width: usize): void {
  const slot = place & (SLOTS - 1)
  const base = sketchAt(place & ~(SLOTS - 1), width)
  let bits = base + 2 * SCALES + (slot * width) / 8
  let product = f32x4.splat(0)
  let square = f32x4.splat(0)
  let length = f32x4.splat(0)
  for (const end = vector + width * 4; vector < end; bits++) {
    let signs: i32 = 0
    for (let half = 0; half < 8; half += 4) {
      const v = v128.load(vector)
      const m = v128.load(mean)
      const r = f32x4.sub(v, m)
      product = f32x4.add(product, f32x4.mul(v, m))
      square = f32x4.add(square, f32x4.mul(r, r))
      length = f32x4.add(length, f32x4.abs(r))
      signs |= i32x4.bitmask(f32x4.ge(r, f32x4.splat(0))) << half
      vector += 16
      mean += 16
    }
    store<u8>(bits, <u8>signs)
  }
  const lengths = sumFloats(length)
  store<f32>(base + slot * 4, sumFloats(product))
  store<f32>(base + SCALES + slot * 4, lengths > 0 ? sumFloats(square) / lengths : 0)
}

/**
 * Converts a float query without its mean to four levels: at `levels` a bit for each sign, then a bit for each 3.
 *
 * @param mean dimensions past the last one count for nothing where query and mean are 0.
 * @returns the length of one level; the sum of all levels is at `levels` + width / 4.
 */
export function prepareSketch(query: usize, mean: usize, width: usize, levels: usize): f32 {
  let square: f32 = 0
  let used: f32 = 0
  for (let i: usize = 0; i < width; i++) {
    const x = load<f32>(query + i * 4) - load<f32>(mean + i * 4)
    square += x * x
    used += x != 0 ? 1 : 0
  }
  // The best step for four levels of normal numbers.
  const edge: f32 = used > 0 ? 0.9957 * sqrt<f32>(square / used) : 0
  memory.fill(levels, 0, width / 4)
  let product: f32 = 0
  let sum: i32 = 0
  for (let i: usize = 0; i < width; i++) {
    const x = load<f32>(query + i * 4) - load<f32>(mean + i * 4)
    const sign = levels + (i >> 3)
    const bit = 1 << (<i32>i & 7)
    if (x >= 0) store<u8>(sign, <u8>(load<u8>(sign) | bit))
    if (x == 0) continue
    const far = abs<f32>(x) > edge
    if (far) store<u8>(sign + width / 8, <u8>(load<u8>(sign + width / 8) | bit))
    const level: f32 = far ? 3 : 1
    product += abs<f32>(x) * level
    sum += <i32>level
  }
  store<i32>(levels + width / 4, sum)
  // So that a vector along the query is estimated without bias; the best fit of the levels would come out too low.
  return product > 0 ? square / product : 0
}

@inline
function storeEstimate(score: usize, scale: usize, sketch: usize, product: f32, constant: f32): void {
  const estimate = load<f32>(sketch) + load<f32>(sketch, SCALES) * product + constant
  store<f32>(score, load<f32>(scale) >= 0 ? estimate : FREE)
}

/** Estimated scores of all slots of `count` blocks, whose addresses are at `blocks`; a free slot scores -Infinity. */
export function scanSketches(
  levels: usize, unit: f32, constant: f32, blocks: usize, count: usize, width: usize, scores: usize,
): void {
  const sum = load<i32>(levels + width / 4)
  const threes = levels + width / 8
  for (let i: usize = 0; i < count; i++) {
    const block = load<u32>(blocks + i * 4) as usize
    const sketches = sketchAt(block, width)
    let bits = sketches + 2 * SCALES
    for (let slot: usize = 0; slot < SCALES; slot += 8) {
      // Signs that differ count against the sum: a level of 1 twice, one of 3 six times. Two vectors share the query.
      let near: u64 = 0
      let far: u64 = 0
      let otherNear: u64 = 0
      let otherFar: u64 = 0
      for (let level = levels; level < threes; level += 8) {
        const signs = load<u64>(level)
        const large = load<u64>(level + width / 8)
        const differing = load<u64>(bits) ^ signs
        near += popcnt<u64>(differing)
        far += popcnt<u64>(differing & large)
        const otherDiffering = load<u64>(bits + width / 8) ^ signs
        otherNear += popcnt<u64>(otherDiffering)
        otherFar += popcnt<u64>(otherDiffering & large)
        bits += 8
      }
      bits += width / 8
      storeEstimate(scores + slot, block + slot, sketches + slot, <f32>(sum - <i32>(2 * near + 4 * far)) * unit, constant)
      const other = <f32>(sum - <i32>(2 * otherNear + 4 * otherFar)) * unit
      storeEstimate(scores + slot + 4, block + slot + 4, sketches + slot + 4, other, constant)
    }
    scores += SCALES
  }
}
