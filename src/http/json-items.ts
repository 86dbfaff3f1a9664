import { ApiError } from '../core/errors.ts'
import { sizeInWords } from '../core/text.ts'
import { createFinder, isSpace } from './json-scan.ts'

export interface ItemLimits {
  /** Most bytes of one element. */
  itemBytesMax: number
  /** Most bytes of everything around the elements. */
  restBytesMax: number
}

/** What stands around the elements of a list. */
export interface Rest {
  /** The text with the list left empty. */
  bytes: Uint8Array
  /** How often the list came: 0 for a text without it, more than 1 for a repeated field, of which the last one counts. */
  lists: number
}

/** Reads the elements of one list in a JSON object while the text arrives. */
export interface ItemReader {
  /**
   * Reads on, for about a millisecond for each megabyte.
   *
   * @returns the elements that end in this chunk, in order; views of it where they also begin in it.
   * @throws ApiError `payload_too_large` for an element or a rest beyond the limits.
   */
  push(chunk: Uint8Array): Uint8Array[]
  /** Ends the text. An element that is cut off is part of what is left, so that no parser takes it. */
  end(): Rest
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Strings are read byte by byte up to here, and then searched. */
const SHORT_BYTES = 64

/**
 * Splits a JSON object into the elements of one of its lists and the rest, without parsing either.
 *
 * The text is JSON exactly if the rest and every element are. An element may be blank, as in `[1,]`; no parser takes it.
 *
 * @param name the name of the field with the list, in the outermost object.
 */
export function createItemReader(name: string, { itemBytesMax, restBytesMax }: ItemLimits): ItemReader {
  const rest = createPiece(restBytesMax, 'Apart from its list, the body')
  const item = createPiece(itemBytesMax, 'An element of the list')
  /** Within the list, or around it. */
  let place: 'rest' | 'list' = 'rest'
  /** Open brackets, from the outermost object or from the list. */
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** The string at the first level that began last, with its quotes; undefined outside of it. */
  let key: ReturnType<typeof createPiece> | undefined
  let isKeyNext = false
  /** Whether the value that comes next is that of the field. */
  let isListNext = false
  let items = 0
  let lists = 0
  /** Whether the element, or the place for one, holds more than blanks. */
  let isBlank = true

  /** Reads a string that is open at `at`. @returns the offset behind it, or behind the chunk. */
  function readString(chunk: Uint8Array, from: number, nextSpecial: (from: number) => number): number {
    const { length } = chunk
    let at = from
    if (isEscaped) {
      isEscaped = false
      at++
    }
    let searched = at + SHORT_BYTES
    for (; at < length; at++) {
      if (at === searched) {
        at = nextSpecial(at)
        searched = at + SHORT_BYTES
        if (at === length) break
      }
      const byte = chunk[at]
      if (byte === BACKSLASH) {
        at++
        // The escape goes on in the next chunk.
        if (at === length) isEscaped = true
        if (at === searched) searched++
      } else if (byte === QUOTE) {
        isInString = false
        return at + 1
      }
    }
    return length
  }

  /** Ends the key that was read, and knows whose value comes. */
  function endKey(): void {
    isListNext = key !== undefined && readKey(key.take()) === name
    key = undefined
  }

  /** Reads one sign around the list. @returns whether the list begins behind it. */
  function readAround(byte: number | undefined): boolean {
    const wasListNext = isListNext
    if (byte === COLON) return false
    if (byte === COMMA) {
      isKeyNext = depth === 1
      isListNext = false
      return false
    }
    isListNext = false
    isKeyNext = false
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth++
      if (byte === OPEN_LIST && wasListNext && depth === 2) return true
      isKeyNext = byte === OPEN_OBJECT && depth === 1
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
    return false
  }

  function endItem(found: Uint8Array[]): void {
    const bytes = item.take()
    // A list of blanks has no elements.
    if (!isBlank || items > 0) found.push(bytes)
    isBlank = true
  }

  function push(chunk: Uint8Array): Uint8Array[] {
    const found: Uint8Array[] = []
    const { length } = chunk
    const nextSpecial = createSpecialFinder(chunk)
    /** Where the stretch begins that belongs to the rest or to the element. */
    let from = 0
    let at = 0
    const keep = (to: number): void => {
      if (place === 'list') item.add(chunk.subarray(from, to))
      else rest.add(chunk.subarray(from, to))
      from = to
    }
    while (at < length) {
      if (isInString) {
        const end = readString(chunk, at, nextSpecial)
        key?.add(chunk.subarray(at, end))
        at = end
        if (!isInString && key) endKey()
        continue
      }
      const byte = chunk[at]
      if (byte === QUOTE) {
        isInString = true
        isBlank = false
        if (place === 'rest') {
          isListNext = false
          if (isKeyNext) key = createKey(name)
          isKeyNext = false
          key?.add(chunk.subarray(at, at + 1))
        }
        at++
        continue
      }
      if (isSpace(byte)) {
        at++
        continue
      }
      if (place === 'rest') {
        at++
        if (!readAround(byte)) continue
        keep(at)
        place = 'list'
        depth = 0
        items = 0
        lists++
        isBlank = true
      } else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT)) {
        keep(at)
        if (byte === COMMA) {
          items++
          // So that a blank in front of a comma is an element, too.
          endItem(found)
          at++
          from = at
        } else {
          endItem(found)
          // The bracket belongs to the rest again, where a wrong one is found.
          place = 'rest'
          depth = 1
          at++
        }
      } else {
        isBlank = false
        if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
        else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
        at++
      }
    }
    keep(length)
    return found
  }

  return {
    push,
    end() {
      if (place === 'list') rest.add(item.take())
      return { bytes: rest.take(), lists }
    },
  }
}

/** Gathers the parts of a stretch of text that lie in several chunks. */
function createPiece(bytesMax: number, what: string) {
  let parts: Uint8Array[] = []
  let length = 0
  return {
    add(part: Uint8Array): void {
      if (part.length === 0) return
      length += part.length
      if (length > bytesMax) throw tooLarge(what, bytesMax)
      parts.push(part)
    },
    take(): Uint8Array {
      const [first = new Uint8Array(), ...others] = parts
      const whole = others.length === 0 ? first : Buffer.concat(parts, length)
      parts = []
      length = 0
      return whole
    },
  }
}

/** A piece for a key, which keeps no more of it than the name could take with every letter escaped. */
function createKey(name: string): ReturnType<typeof createPiece> {
  const most = name.length * 6 + 2
  const piece = createPiece(Number.POSITIVE_INFINITY, '')
  let length = 0
  return {
    ...piece,
    add(part) {
      if (length <= most) piece.add(part.subarray(0, most + 1 - length))
      length += part.length
    },
  }
}

/** @returns undefined for a key that is no JSON string, or is cut. */
function readKey(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** Finds the next quote or backslash; the length without one. Offsets must not decrease. */
function createSpecialFinder(bytes: Uint8Array): (from: number) => number {
  const nextQuote = createFinder(bytes, QUOTE)
  const nextBackslash = createFinder(bytes, BACKSLASH)
  return (from) => Math.min(nextQuote(from), nextBackslash(from))
}

const tooLarge = (what: string, bytesMax: number): ApiError =>
  new ApiError('payload_too_large', `${what} is larger than ${sizeInWords(bytesMax)}`, {
    details: { max_bytes: bytesMax },
  })
