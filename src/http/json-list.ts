import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { parseJson } from './json-text.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  createValueReader,
  ENDS,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-value.ts'
import { validationError } from './validation.ts'

/** A part of a JSON object that holds one long list. */
export type ListPart =
  /** The list begins. */
  | { kind: 'list' }
  /** An item of the list; a value, or why it is none that can be used. */
  | { kind: 'item'; value: unknown }
  | { kind: 'refused'; error: ApiError }
  /** A field beside the list, or the list's own when its value is no list. */
  | { kind: 'field'; name: string; value: unknown }

export interface ListOptions {
  /** The field that holds the list. */
  name: string
  /** A longer item is refused alone. */
  itemBytesMax: number
}

/** What may come next at the top of the text. */
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

/** What may follow at the top of the text: signs, and what they lead to. */
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

/** What follows a value, where one may stand. */
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
 * Reads a JSON object with one long list piece by piece, and never holds more than one item. Only the text around the items
 * is judged here; each item, key and field is then read like any other body.
 *
 * @param open reads the text from its beginning; called again to find the place of a fault.
 * @throws ApiError `invalid_json` with line and column, `validation_error` when the list comes twice.
 */
export async function* readJsonList(
  open: () => AsyncIterable<Uint8Array>,
  { name: listName, itemBytesMax }: ListOptions,
): AsyncGenerator<ListPart> {
  const value = createValueReader()
  let expected: Expected = 'object'
  let key = ''
  let hasList = false
  /** Offset of the piece. */
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
  // The fault of a value that is cut off says where.
  if (value.isOpen) await finishValue()
  if (expected === 'object') throw emptyText()
  if (expected !== 'end') throw await placedFault(open, base, REASONS[expected])
}

type Value = ReturnType<typeof createValueReader>

/**
 * Reads a value that is complete; a fault in it is placed in the whole text.
 *
 * @param after the reason of a fault right after the value.
 */
async function parseValue(
  open: () => AsyncIterable<Uint8Array>,
  value: Value,
  after: string,
): Promise<unknown> {
  try {
    return await parseJson(value.bytes())
  } catch (error) {
    const isFault = error instanceof ApiError && error.code === 'invalid_json'
    throw isFault ? await placedInside(open, value.offset, after, error) : error
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
    // Too many values, for example; the text itself is sound.
    if (error instanceof ApiError && error.code !== 'invalid_json') return { kind: 'refused', error }
    throw error
  }
}

const emptyText = () => new ApiError('invalid_json', 'The body is empty', { details: { line: 1, column: 1 } })

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

interface Place {
  line: number
  column: number
}

async function placedFault(
  open: () => AsyncIterable<Uint8Array>,
  offset: number,
  reason: string,
): Promise<ApiError> {
  return invalidJson(reason, await findPlace(open, offset))
}

/** Moves the place of a fault inside a value to where the value lies. */
async function placedInside(
  open: () => AsyncIterable<Uint8Array>,
  offset: number,
  after: string,
  error: ApiError,
): Promise<ApiError> {
  const { line, column } = (error.extras.details ?? {}) as Partial<Place>
  if (line === undefined || column === undefined) return error
  const start = await findPlace(open, offset)
  const place = {
    line: start.line + line - 1,
    column: line === 1 ? start.column + column - 1 : column,
  }
  const reason = /: (.+) at line \d+, column \d+$/.exec(error.message)?.[1] ?? 'unreadable text'
  return invalidJson(reason === REASONS.end ? after : reason, place)
}

const invalidJson = (reason: string, place: Place): ApiError =>
  new ApiError(
    'invalid_json',
    `The body is not valid JSON: ${reason} at line ${place.line}, column ${place.column}`,
    { details: { ...place } },
  )

/** Finds line and column of an offset, counted from 1; columns in UTF-16 units, as everywhere. */
async function findPlace(open: () => AsyncIterable<Uint8Array>, offset: number): Promise<Place> {
  let line = 1
  let column = 1
  let base = 0
  for await (const piece of open()) {
    const end = Math.min(piece.length, offset - base)
    for (let at = base === 0 ? skipMark(piece) : 0; at < end; at++) {
      const byte = piece[at] as number
      if (byte === 0x0a) {
        line++
        column = 1
        // Bytes that continue a character count nothing; four of them make two units.
      } else if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1
    }
    base += piece.length
    if (base >= offset) break
  }
  return { line, column }
}
