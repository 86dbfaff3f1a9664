import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  ENDS,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './tokens.ts'

/** Collects the bytes of one value from pieces of a text. It finds the value's end, and checks nothing else. */
export function createValueReader() {
  let parts: Uint8Array[] = []
  let size = 0
  let bytesMax = 0
  let depth = 0
  let isString = false
  let isEscaped = false
  let isOpen = false
  let offset = 0

  function keep(piece: Uint8Array, from: number, to: number): void {
    size += to - from
    // The source may reuse a piece's memory.
    if (size <= bytesMax) parts.push(piece.slice(from, to))
    else parts = []
  }

  /** @returns the offset after the string's closing quote, or the end of the piece. */
  function skipString(piece: Uint8Array, from: number): number {
    let at = from
    if (isEscaped) {
      isEscaped = false
      at++
    }
    while (at < piece.length) {
      const quote = piece.indexOf(QUOTE, at)
      const end = quote < 0 ? piece.length : quote
      const backslash = piece.subarray(at, end).indexOf(BACKSLASH)
      if (backslash >= 0) {
        at += backslash + 2
        if (at > piece.length) isEscaped = true
        continue
      }
      if (quote < 0) return piece.length
      isString = false
      return quote + 1
    }
    return piece.length
  }

  return {
    get isOpen() {
      return isOpen
    },
    get size() {
      return size
    },
    get offset() {
      return offset
    },
    bytes: (): Uint8Array => (parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)),

    open(at: number, max: number): void {
      parts = []
      size = 0
      depth = 0
      isString = false
      isOpen = true
      offset = at
      bytesMax = max
    },

    /** @returns the offset after the bytes of the piece that belong to the value. */
    read(piece: Uint8Array, from: number): number {
      let at = from
      while (at < piece.length && isOpen) {
        if (isString) {
          at = skipString(piece, at)
          if (!isString && depth === 0) isOpen = false
          continue
        }
        const byte = piece[at] as number
        if (depth === 0 && (isSpace(byte) || ENDS.includes(byte))) {
          isOpen = false
          break
        }
        at++
        if (byte === QUOTE) {
          // A string right after a number or a word is no part of it.
          if (depth === 0 && size + at - 1 - from > 0) {
            at--
            isOpen = false
            break
          }
          isString = true
        } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
        else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) isOpen = --depth > 0
      }
      keep(piece, from, at)
      return at
    },
  }
}
