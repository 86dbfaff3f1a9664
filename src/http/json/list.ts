import { ApiError } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import { validationError } from '../validation.ts'
import { emptyJson, InvalidJson, type Place } from './error.ts'
import { parseJson } from './text.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  ENDS,
  isSpace,
  LINE_FEED,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './tokens.ts'
import { createValueReader } from './value.ts'

/** A part of a JSON object that holds one long list. */
export type ListPart =
  /** The list begins. */
  | { kind: 'list' }
  /** An item of the list: its value, or the reason why it cannot be used. */
  | { kind: 'item'; value: unknown }
  | { kind: 'refused'; error: ApiError }
  /** A field beside the list, or the list's own field if its value is not a list. */
  | { kind: 'field'; name: string; value: unknown }

export interface ListOptions {
  /** The field that holds the list. */
  name: string
  /** A longer item is refused by itself; the others are still read. */
  itemBytesMax: number
}

/** The next piece of the text around the items. */
type Expected =
  | 'object'
  | 'first key'
  | 'key'
  | 'colon'
  | 'value'
  | 'comma'
  | 'first item'
  | 'item'
  | 'item comma'
  | 'end'

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const

/** The signs that may come next, and what comes after each. */
const SIGNS: Readonly<Record<Expected, ReadonlyMap<number, Expected>>> = {
  object: new Map([[OPEN_OBJECT, 'first key']]),
  'first key': new Map([[CLOSE_OBJECT, 'end']]),
  key: new Map(),
  colon: new Map([[COLON, 'value']]),
  value: new Map(),
  comma: new Map([
    [COMMA, 'key'],
    [CLOSE_OBJECT, 'end'],
  ]),
  'first item': new Map([[CLOSE_LIST, 'comma']]),
  item: new Map(),
  'item comma': new Map([
    [COMMA, 'item'],
    [CLOSE_LIST, 'comma'],
  ]),
  end: new Map(),
}

/** The next piece after a value, where a value may stand. */
const AFTER_VALUE: Partial<Record<Expected, Expected>> = {
  'first key': 'colon',
  key: 'colon',
  value: 'comma',
  'first item': 'item comma',
  item: 'item comma',
}

const REASONS: Readonly<Record<Expected, string>> = {
  object: 'value expected',
  'first key': 'property name expected',
  key: 'property name expected',
  colon: 'colon expected',
  value: 'value expected',
  comma: 'comma or closing brace expected',
  'first item': 'value expected',
  item: 'value expected',
  'item comma': 'comma or closing bracket expected',
  end: 'end of text expected',
}

const isKey = (expected: Expected): boolean => expected === 'key' || expected === 'first key'
const isItem = (expected: Expected): boolean => expected === 'item' || expected === 'first item'

/**
 * Reads a JSON object with one long list piece by piece, and never holds more than one item. It checks only the text around
 * the items; each item, key and field is then read like any other body.
 *
 * @param open reads the text from its beginning; it is called again to find the place of a fault.
 * @throws ApiError `invalid_json` with line and column, `validation_error` if the list comes twice.
 */
export async function* readJsonList(
  open: () => AsyncIterable<Uint8Array>,
  { name: listName, itemBytesMax }: ListOptions,
): AsyncGenerator<ListPart> {
  const value = createValueReader()
  let expected: Expected = 'object'
  let key = ''
  let hasList = false
  /** Offset of the piece in the text. */
  let base = 0

  async function finishValue(): Promise<ListPart | undefined> {
    const role = expected
    expected = AFTER_VALUE[role] ?? 'end'
    const after = REASONS[expected]
    if (isItem(role)) return readItem(open, value, after, itemBytesMax)
    if (value.size > LIMITS.jsonBytesMax) throw fieldTooLarge()
    const read = await parseValue(open, value, after)
    if (!isKey(role)) return { kind: 'field', name: key, value: read }
    key = read as string
    return undefined
  }

  for await (const piece of open()) {
    for (let at = base === 0 ? skipMark(piece) : 0; at < piece.length; ) {
      if (value.isOpen) {
        at = value.read(piece, at)
        const part = value.isOpen ? undefined : await finishValue()
        if (part) yield part
        continue
      }
      const byte = piece[at] as number
      const next: Expected | undefined = SIGNS[expected].get(byte)
      if (isSpace(byte)) at++
      else if (next) {
        expected = next
        at++
      } else if (expected === 'value' && key === listName && byte === OPEN_LIST) {
        if (hasList) throw listComesTwice(listName)
        hasList = true
        expected = 'first item'
        at++
        yield { kind: 'list' }
      } else if (expected === 'object') throw notAnObject()
      else {
        const mayBegin =
          expected in AFTER_VALUE && !ENDS.includes(byte) && (!isKey(expected) || byte === QUOTE)
        if (!mayBegin) throw await placedFault(open, base + at, REASONS[expected])
        value.open(base + at, isItem(expected) ? itemBytesMax : LIMITS.jsonBytesMax)
      }
    }
    base += piece.length
  }
  // Parsing a value that is cut off reports where it ends.
  if (value.isOpen) await finishValue()
  if (expected === 'object') throw emptyJson()
  if (expected !== 'end') throw await placedFault(open, base, REASONS[expected])
}

type Value = ReturnType<typeof createValueReader>

/**
 * Parses a complete value. A fault in it is placed in the whole text.
 *
 * @param after the reason to give for a fault right after the value.
 */
async function parseValue(
  open: () => AsyncIterable<Uint8Array>,
  value: Value,
  after: string,
): Promise<unknown> {
  try {
    return await parseJson(value.bytes())
  } catch (error) {
    throw error instanceof InvalidJson ? await placedInside(open, value.offset, after, error) : error
  }
}

async function readItem(
  open: () => AsyncIterable<Uint8Array>,
  value: Value,
  after: string,
  bytesMax: number,
): Promise<ListPart> {
  if (value.size > bytesMax) return { kind: 'refused', error: itemTooLarge(bytesMax) }
  try {
    return { kind: 'item', value: await parseValue(open, value, after) }
  } catch (error) {
    // For example, too many values: the text itself is sound.
    if (error instanceof ApiError && error.code !== 'invalid_json') return { kind: 'refused', error }
    throw error
  }
}

const skipMark = (piece: Uint8Array): number =>
  BYTE_ORDER_MARK.every((byte, n) => piece[n] === byte) ? BYTE_ORDER_MARK.length : 0

const notAnObject = () =>
  validationError([
    { in: 'body', pointer: '', code: 'type', message: 'must be an object', expected: 'object' },
  ])

const listComesTwice = (name: string) =>
  validationError([{ in: 'body', pointer: `/${name}`, code: 'repeated', message: 'must be given only once' }])

const fieldTooLarge = () =>
  validationError([{ in: 'body', pointer: '', code: 'too_large', message: 'has a field that is too large' }])

const itemTooLarge = (max_bytes: number) =>
  new ApiError('payload_too_large', `The item is larger than ${max_bytes} bytes`, { details: { max_bytes } })

async function placedFault(
  open: () => AsyncIterable<Uint8Array>,
  offset: number,
  reason: string,
): Promise<ApiError> {
  return new InvalidJson({ reason, ...(await findPlace(open, offset)) })
}

/** Moves the place of a fault inside a value to where the value lies in the whole text. */
async function placedInside(
  open: () => AsyncIterable<Uint8Array>,
  offset: number,
  after: string,
  { fault: { reason, line, column } }: InvalidJson,
): Promise<ApiError> {
  const start = await findPlace(open, offset)
  return new InvalidJson({
    reason: reason === REASONS.end ? after : reason,
    line: start.line + line - 1,
    column: line === 1 ? start.column + column - 1 : column,
  })
}

async function findPlace(open: () => AsyncIterable<Uint8Array>, offset: number): Promise<Place> {
  let line = 1
  let column = 1
  let base = 0
  for await (const piece of open()) {
    const end = Math.min(piece.length, offset - base)
    for (let at = base === 0 ? skipMark(piece) : 0; at < end; at++) {
      const byte = piece[at] as number
      if (byte === LINE_FEED) {
        line++
        column = 1
        // Bytes that continue a character count nothing; a character of four bytes is two units.
      } else if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1
    }
    base += piece.length
    if (base >= offset) break
  }
  return { line, column }
}
