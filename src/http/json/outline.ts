import { systemIds } from '../../core/ids.ts'
import { turn } from '../../core/turns.ts'
import {
  findFault,
  findStringFault,
  type JsonFault,
  type Place,
  type PlacedFault,
  UNCLOSED,
} from './error.ts'
import { findCut, type LongString, STEP_BYTES } from './scan.ts'

/** JSON in which a name that occurs nowhere else stands for each long string. */
export interface Outline {
  readonly text: string
  /** @throws SyntaxError if the outline or one of the long strings is not JSON. */
  parse(): Promise<unknown>
  /** Finds the first fault of the whole text. */
  findFault(): Promise<PlacedFault | undefined>
}

/** A long string that the outline replaces by a name. */
interface Cut extends LongString {
  name: string
  /** Offset of the name's opening quote in the outline, in UTF-16 units. */
  offset: number
}

/**
 * Replaces the long strings of JSON by names.
 *
 * @param bytes valid UTF-8.
 * @param stepBytes bytes of a string read in one step.
 */
export function createOutline(
  bytes: Uint8Array,
  longStrings: readonly LongString[],
  stepBytes: number = STEP_BYTES,
): Outline {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // A client cannot guess it, so none of its strings is mistaken for a name.
  const mark = longStrings.length > 0 ? systemIds.secret(16) : ''
  const cuts: Cut[] = []
  const decoder = new TextDecoder()
  let text = ''
  let from = 0
  for (const long of longStrings) {
    // Each stretch ends at a quote, so no character is cut in two.
    text += decoder.decode(all.subarray(from, long.start), { stream: true })
    const name = `${mark}${cuts.length}`
    cuts.push({ ...long, name, offset: text.length })
    text += long.isClosed ? `"${name}"` : '"'
    from = long.end
  }
  text += decoder.decode(all.subarray(from))
  const takeTurn = createTurnTaker(stepBytes)

  /** Reads the inside of a string in pieces. */
  async function* readPieces({ start, end, isClosed }: LongString): AsyncGenerator<string> {
    const close = isClosed ? end - 1 : end
    for (let at = start + 1; at < close; ) {
      const next = at + stepBytes < close ? findCut(all, at, at + stepBytes) : close
      await takeTurn(next - at)
      yield all.toString('utf8', at, next)
      at = next
    }
  }

  async function readString(long: LongString): Promise<string> {
    const parts: string[] = []
    for await (const piece of readPieces(long)) parts.push(isPlain(piece) ? piece : JSON.parse(`"${piece}"`))
    if (parts.length === 1) return parts[0] as string
    await turn()
    return parts.join('')
  }

  async function parse(): Promise<unknown> {
    const value: unknown = JSON.parse(text)
    const strings = new Map<string, string>()
    // Also those in fields that a later field of the same name replaces: a fault in them counts.
    for (const cut of cuts) strings.set(cut.name, await readString(cut))
    return strings.size > 0 ? restore(value, strings) : value
  }

  /** Finds the first fault of one string, counted from its opening quote, and its length in UTF-16 units. */
  async function inspect(cut: Cut): Promise<{ fault: JsonFault | undefined; length: number }> {
    let length = 1
    for await (const piece of readPieces(cut)) {
      const fault = findStringFault(piece)
      if (fault) return { fault: { ...fault, offset: length + fault.offset }, length }
      length += piece.length
    }
    return { fault: undefined, length: length + 1 }
  }

  async function findPlacedFault(): Promise<PlacedFault | undefined> {
    const fault = findFault(text)
    const end = fault?.offset ?? text.length
    /** By how many units the line of the fault is longer in the text than in the outline. */
    let longer = 0
    for (const cut of cuts) {
      const isUnclosed = fault?.reason === UNCLOSED && cut.offset === end
      if (cut.offset >= end && !isUnclosed) break
      const inside = await inspect(cut)
      if (inside.fault) {
        const { reason, offset } = inside.fault
        return { reason, ...findPlace(text, cut.offset, longer + offset) }
      }
      // Sound strings hold no line ends, so only strings in the line of the fault move it.
      const isSameLine = text.lastIndexOf('\n', end - 1) < cut.offset
      if (isSameLine && !isUnclosed) longer += inside.length - cut.name.length - 2
    }
    return fault && { reason: fault.reason, ...findPlace(text, end, longer) }
  }

  return { text, parse, findFault: findPlacedFault }
}

/** Whether the inside of a string has neither escapes nor control characters. */
const isPlain = (inside: string): boolean => /^[ -[\]-\uffff]*$/.test(inside)

/** Puts the long strings back in place of their names. The text is nested no deeper than a few hundred levels. */
function restore(value: unknown, strings: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return strings.get(value) ?? value
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) value[n] = restore(value[n], strings)
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const key in fields) {
      const field = fields[key]
      if (typeof field === 'string' || typeof field === 'object') fields[key] = restore(field, strings)
    }
  }
  return value
}

/** Finds the place of an offset. @param longer units that the outline lacks in that line, before the offset. */
function findPlace(text: string, offset: number, longer: number): Place {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line++
    start = end + 1
  }
  return { line, column: offset - start + 1 + longer }
}

/** Takes a turn of the event loop before each step; small steps share one. */
function createTurnTaker(stepBytes: number): (bytes: number) => Promise<void> {
  let left = 0
  return async (bytes) => {
    left -= bytes
    if (left > 0) return
    left = stepBytes
    await turn()
  }
}
