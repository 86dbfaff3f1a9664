import { crc32 } from 'node:zlib'
import type { Random } from './random.ts'

type Mutation = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array

/** A part of a file by its format. */
interface Part {
  start: number
  end: number
}

const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

const flipBits: Mutation = (bytes, random) => {
  const copy = Uint8Array.from(bytes)
  for (let n = 1 + random.below(40); n > 0; n--) {
    const at = random.below(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8))
  }
  return copy
}

const cutOff: Mutation = (bytes, random) => bytes.slice(0, random.below(bytes.length))

/** Replaces two or four bytes, which are likely a length or a count, by an extreme number. */
const setExtreme: Mutation = (bytes, random) => {
  const copy = Uint8Array.from(bytes)
  const extreme = random.pick([
    [0, 0],
    [255, 255],
    [127, 255, 255, 255],
    [255, 255, 255, 255],
    [128, 0, 0, 0],
    [0, 0, 0, 1],
  ])
  copy.set(extreme, random.below(Math.max(1, Math.min(copy.length, 512) - 4)))
  return copy
}

const dropStretch: Mutation = (bytes, random) => {
  const start = random.below(bytes.length)
  return concat(bytes.subarray(0, start), bytes.subarray(start + 1 + random.below(200)))
}

const insertNoise: Mutation = (bytes, random) => {
  const at = random.below(bytes.length)
  return concat(bytes.subarray(0, at), random.bytes(1 + random.below(300)), bytes.subarray(at))
}

const splice: Mutation = (bytes, random, others) => {
  const other = random.pick(others)
  return concat(bytes.subarray(0, random.below(bytes.length)), other.subarray(random.below(other.length)))
}

const swapParts: Mutation = (bytes, random) => {
  const parts = listParts(bytes)
  const [a, b] = [random.below(parts.length), random.below(parts.length)]
  const order = parts.map((part, n) => parts[n === a ? b : n === b ? a : n] ?? part)
  return join(bytes, order)
}

const doublePart: Mutation = (bytes, random) => {
  const parts = listParts(bytes)
  const chosen = random.below(parts.length)
  return join(
    bytes,
    parts.flatMap((part, n) => (n === chosen ? Array(1 + random.below(20)).fill(part) : [part])),
  )
}

const dropPart: Mutation = (bytes, random) => {
  const parts = listParts(bytes)
  const chosen = random.below(parts.length)
  return join(
    bytes,
    parts.filter((_, n) => n !== chosen),
  )
}

/** Changes bytes inside one part. In a PNG it corrects the checksum, so that the decoder reads the part. */
const spoilPart: Mutation = (bytes, random) => {
  const copy = Uint8Array.from(bytes)
  const { start, end } = random.pick(listParts(bytes))
  for (let n = 1 + random.below(6); n > 0; n--) {
    copy[start + random.below(Math.max(1, Math.min(end - start, 64)))] = random.below(256)
  }
  if (isPng(bytes) && end - start >= 12) {
    new DataView(copy.buffer).setUint32(end - 4, crc32(copy.subarray(start + 4, end - 4)))
  }
  return copy
}

const MUTATIONS = {
  flipBits,
  cutOff,
  setExtreme,
  dropStretch,
  insertNoise,
  splice,
  swapParts,
  doublePart,
  dropPart,
  spoilPart,
} satisfies Record<string, Mutation>

const MUTATION_NAMES = Object.keys(MUTATIONS) as (keyof typeof MUTATIONS)[]

/** Adds one to three faults of any kind to a picture. */
export function mutate(
  bytes: Uint8Array,
  random: Random,
  others: readonly Uint8Array[],
): { faults: string; bytes: Uint8Array } {
  const names = Array.from({ length: 1 + random.below(3) }, () => random.pick(MUTATION_NAMES))
  const spoilt = names.reduce(
    (file, name) => (file.length === 0 ? file : MUTATIONS[name](file, random, others)),
    bytes,
  )
  return { faults: names.join(' + '), bytes: spoilt }
}

const join = (bytes: Uint8Array, parts: readonly Part[]): Uint8Array =>
  concat(...parts.map(({ start, end }) => bytes.subarray(start, end)))

const isPng = (bytes: Uint8Array): boolean => bytes[0] === 0x89 && bytes[1] === 0x50

/** Lists chunks, segments or boxes by the lengths in the file; the whole file if the lengths are useless. */
function listParts(bytes: Uint8Array): Part[] {
  const parts: Part[] = []
  let start = 0
  while (start < bytes.length && parts.length < 500) {
    const end = Math.min(bytes.length, start + Math.max(1, lengthAt(bytes, start)))
    parts.push({ start, end })
    start = end
  }
  return parts.length > 0 ? parts : [{ start: 0, end: bytes.length }]
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rest = bytes.length - at
  if (rest < 8) return rest
  if (isPng(bytes)) return at === 0 ? 8 : view.getUint32(at) + 12
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegLength(view, at)
  if (bytes[0] === 0x52) return at === 0 ? 12 : (view.getUint32(at + 4, true) + 9) & ~1
  if (bytes[0] === 0x47) return at === 0 ? 13 : Math.min(rest, 64)
  return view.getUint32(at)
}

/** Reads the length of a segment before the scan; the rest of the file is one part. */
function jpegLength(view: DataView, at: number): number {
  if (view.getUint8(at) !== 0xff) return view.byteLength - at
  const marker = view.getUint8(at + 1)
  if (marker === 0xd8) return 2
  return marker === 0xda ? view.byteLength - at : view.getUint16(at + 2) + 2
}
