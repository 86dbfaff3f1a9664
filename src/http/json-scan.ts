import { LIMITS } from '../core/limits.ts'

/** Deeper than any useful body, and shallow enough for every function that walks one. */
export const JSON_DEPTH_MAX = 64

/** Why a text is too costly to be parsed as JSON. */
export type Excess = 'depth' | 'pieces' | 'structure' | 'escapes'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Finds what would make JSON slow to parse or to walk, in one pass that allocates nothing and skips over strings. A text
 * that is not JSON may pass; the parser refuses it.
 */
export function findExcess(bytes: Uint8Array): Excess | undefined {
  const { length } = bytes
  const nextBackslash = createFinder(bytes, BACKSLASH)
  const nextQuote = createFinder(bytes, QUOTE)
  let structure = 0
  let pieces = 0
  let escapes = 0
  let depth = 0
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      const close = nextQuote(at + 1)
      let from = nextBackslash(at + 1)
      at = close
      // A string with escapes is read byte by byte from the first escape on.
      if (from < close) {
        for (; from < length && bytes[from] !== QUOTE; from++) {
          if (bytes[from] !== BACKSLASH) continue
          if (++escapes > LIMITS.jsonEscapesMax) return 'escapes'
          from++
        }
        at = from
      }
      pieces++
    } else {
      structure++
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        pieces++
        if (++depth > JSON_DEPTH_MAX) return 'depth'
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
      else if (byte === COMMA || byte === COLON) pieces++
    }
    if (pieces > LIMITS.jsonPiecesMax) return 'pieces'
    if (structure > LIMITS.jsonStructureBytesMax) return 'structure'
  }
  return undefined
}

/** Finds a byte from an offset on; offsets must not decrease, so that each stretch is searched once. */
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
