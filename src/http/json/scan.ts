import { LIMITS } from '../../core/limits.ts'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './tokens.ts'

/** Deeper than any useful body, and shallow enough for every function that walks one. */
export const JSON_DEPTH_MAX = 64

/** Why a text is too costly to parse. */
export type Excess = 'depth' | 'pieces' | 'structure' | 'escapes'

/** A long string, from its opening quote to just after its closing one, or to the end of the text if it has none. */
export interface LongString {
  start: number
  end: number
  isClosed: boolean
}

/** Longer strings are reported, so that they can be read on their own. */
export const LONG_STRING_BYTES = 16 * 1024

/** Bytes read one by one in a step, about half a millisecond. Skipped bytes cost next to nothing. */
export const STEP_BYTES = 512 * 1024

/** A scan of JSON that can be interrupted. */
export interface JsonScan {
  /** Runs one step. @returns whether the scan is over. */
  step(): boolean
  /** Set once the scan is over, if the text is too costly. */
  readonly excess: Excess | undefined
  /** The long strings that are values, in order, once the scan is over. Long keys are left out. */
  readonly longStrings: readonly LongString[]
}

/**
 * Judges the cost of parsing and walking a text, and finds its long strings, in one pass that skips over strings. A text that
 * is not JSON may pass; the parser refuses it.
 *
 * @param stepBytes bytes read one by one in a step.
 */
export function createScan(
  bytes: Uint8Array,
  stepBytes: number = STEP_BYTES,
  piecesMax: number = LIMITS.jsonPiecesMax,
): JsonScan {
  const { length } = bytes
  const nextBackslash = createFinder(bytes, BACKSLASH)
  const nextQuote = createFinder(bytes, QUOTE)
  const longStrings: LongString[] = []
  let excess: Excess | undefined
  let structure = 0
  let pieces = 0
  let escapes = 0
  let depth = 0
  let at = 0
  /** Bytes that this step may still read one by one. */
  let left = 0
  /** Start of the string in which the last step ended; -1 for none. */
  let open = -1
  /** A long string, which is a value unless a colon follows. */
  let last: LongString | undefined

  function endString(start: number, close: number): void {
    const isClosed = close < length
    const end = isClosed ? close + 1 : length
    last = end - start > LONG_STRING_BYTES ? { start, end, isClosed } : undefined
    pieces++
    at = end
  }

  /**
   * Reads a string byte by byte, from its first escape on.
   *
   * @returns whether the string ended within this step.
   */
  function readEscapes(start: number, from: number): boolean {
    const stop = Math.min(length, from + left)
    let index = from
    for (; index < stop && bytes[index] !== QUOTE; index++) {
      if (bytes[index] !== BACKSLASH) continue
      if (++escapes > LIMITS.jsonEscapesMax) {
        excess = 'escapes'
        return false
      }
      index++
    }
    left -= index - from
    const hasEnded = index >= length || bytes[index] === QUOTE
    open = hasEnded ? -1 : start
    at = index
    if (hasEnded) endString(start, Math.min(index, length))
    return hasEnded
  }

  /** Reads a string, skipping over it if it has no escapes. @returns whether the string ended within this step. */
  function readString(start: number): boolean {
    const close = nextQuote(start + 1)
    const firstEscape = nextBackslash(start + 1)
    if (firstEscape < close) return readEscapes(start, firstEscape)
    endString(start, close)
    return true
  }

  function readSign(byte: number | undefined): void {
    structure++
    at++
    left--
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      pieces++
      if (++depth > JSON_DEPTH_MAX) excess = 'depth'
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
    else if (byte === COMMA || byte === COLON) pieces++
    if (last && !isSpace(byte)) reportLast(byte === COLON)
  }

  function reportLast(isKey: boolean): void {
    if (last && !isKey) longStrings.push(last)
    last = undefined
  }

  function step(): boolean {
    left = stepBytes
    while (at < length && left > 0) {
      const byte = bytes[at]
      if (open >= 0) readEscapes(open, at)
      else if (byte === QUOTE) {
        reportLast(false)
        readString(at)
      } else readSign(byte)
      if (excess) return true
      if (pieces > piecesMax) excess = 'pieces'
      else if (structure > LIMITS.jsonStructureBytesMax) excess = 'structure'
      if (excess) return true
    }
    if (at < length) return false
    reportLast(false)
    return true
  }

  return {
    step,
    get excess() {
      return excess
    },
    longStrings,
  }
}

/** Judges the cost of a text in one go. */
export function findExcess(bytes: Uint8Array): Excess | undefined {
  const scan = createScan(bytes)
  while (!scan.step());
  return scan.excess
}

/** The longest escape: a backslash, `u` and four digits. */
const ESCAPE_BYTES_MAX = 6
const LETTER_U = 0x75

/**
 * Finds a place to cut the inside of a string, at `wanted` or a few bytes before it: between two UTF-8 characters, and
 * never inside an escape.
 *
 * @param from start of the string, or of its last piece; `wanted` lies at least eight bytes after it.
 */
export function findCut(bytes: Uint8Array, from: number, wanted: number): number {
  let at = wanted
  while (((bytes[at] ?? 0) & 0xc0) === 0x80 && at > wanted - 4) at--
  for (let n = at - 1; n > at - ESCAPE_BYTES_MAX && n >= from; n--) {
    if (bytes[n] !== BACKSLASH) continue
    let first = n
    while (first > from && bytes[first - 1] === BACKSLASH) first--
    // In a run of backslashes, every second one is escaped by the one before it.
    const isEscaped = (n - first) % 2 === 1
    const length = isEscaped ? 1 : bytes[n + 1] === LETTER_U ? ESCAPE_BYTES_MAX : 2
    return n + length > at ? n : at
  }
  return at
}

/** Finds a byte at or after an offset. Offsets must not decrease, so that each stretch is searched once. */
function createFinder(bytes: Uint8Array, byte: number): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) {
      const at = bytes.indexOf(byte, from)
      found = at < 0 ? bytes.length : at
    }
    return found
  }
}
