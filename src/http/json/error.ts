import { ApiError } from '../../core/errors.ts'
import { BACKSLASH, FIRST_PRINTABLE, QUOTE } from './tokens.ts'

/** Why a text is not JSON, and where. */
export interface JsonFault {
  reason: string
  /** UTF-16 units from the start of the text. */
  offset: number
}

/** Line and column, counted from 1; columns count UTF-16 units, as editors do. */
export interface Place {
  line: number
  column: number
}

export interface PlacedFault extends Place {
  reason: string
}

/** The `invalid_json` error of a text with a fault. */
export class InvalidJson extends ApiError {
  readonly fault: PlacedFault

  constructor(fault: PlacedFault, message = describeFault(fault)) {
    super('invalid_json', message, { details: { line: fault.line, column: fault.column } })
    this.fault = fault
  }
}

const describeFault = ({ reason, line, column }: PlacedFault): string =>
  `The body is not valid JSON: ${reason} at line ${line}, column ${column}`

/** The fault that nothing more is known about. */
export const UNREADABLE: PlacedFault = { reason: 'unreadable text', line: 1, column: 1 }

export const emptyJson = (): InvalidJson => new InvalidJson(UNREADABLE, 'The body is empty')

/** Why a text with an unclosed string is not JSON. */
export const UNCLOSED = 'closing quote expected'

/**
 * Finds the first fault of a text that `JSON.parse` refused, because JavaScriptCore does not say where it stopped.
 *
 * @param text nested no deeper than a few hundred levels.
 */
export function findFault(text: string): JsonFault | undefined {
  try {
    const end = skipSpace(text, value(text, skipSpace(text, 0)))
    return end < text.length ? { offset: end, reason: 'end of text expected' } : undefined
  } catch (error) {
    if (error instanceof FaultError) return { offset: error.offset, reason: error.message }
    throw error
  }
}

class FaultError extends Error {
  readonly offset: number

  constructor(offset: number, reason: string) {
    super(reason)
    this.offset = offset
  }
}

/** Reads one piece of JSON at an offset. @returns the offset after it. */
type Reader = (text: string, at: number) => number

const matcher =
  (pattern: RegExp): Reader =>
  (text, at) => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : at
  }

const skipSpace = matcher(/[ \t\r\n]*/y)
const number = matcher(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
const literal = matcher(/true|false|null/y)
const escaped = matcher(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y)

const value: Reader = (text, at) => {
  const sign = text[at]
  if (sign === '{') return members(text, at + 1, '}', pair)
  if (sign === '[') return members(text, at + 1, ']', value)
  if (sign === '"') return string(text, at)
  const end = Math.max(number(text, at), literal(text, at))
  if (end === at) throw new FaultError(at, 'value expected')
  return end
}

function members(text: string, start: number, close: string, member: Reader): number {
  let at = skipSpace(text, start)
  if (text[at] === close) return at + 1
  for (;;) {
    at = skipSpace(text, member(text, at))
    if (text[at] === close) return at + 1
    if (text[at] !== ',') throw new FaultError(at, `comma or closing ${NAMES[close]} expected`)
    at = skipSpace(text, at + 1)
  }
}

const NAMES: Readonly<Record<string, string>> = { '}': 'brace', ']': 'bracket' }

const pair: Reader = (text, at) => {
  if (text[at] !== '"') throw new FaultError(at, 'property name expected')
  const colon = skipSpace(text, string(text, at))
  if (text[colon] !== ':') throw new FaultError(colon, 'colon expected')
  return value(text, skipSpace(text, colon + 1))
}

const string: Reader = (text, start) => {
  let at = start + 1
  for (;;) {
    at = endOfPlain(text, at)
    const sign = text[at]
    if (sign === '"') return at + 1
    if (sign === undefined) throw new FaultError(start, UNCLOSED)
    const end = sign === '\\' ? escaped(text, at) : at
    if (end === at) throw new FaultError(at, nameStringFault(sign))
    at = end
  }
}

/**
 * Finds the first fault inside a string.
 *
 * @param inside the text between its quotes, or a part of it that ends after a whole escape.
 */
export function findStringFault(inside: string): JsonFault | undefined {
  for (let at = endOfPlain(inside, 0); at < inside.length; at = endOfPlain(inside, at)) {
    const end = inside[at] === '\\' ? escaped(inside, at) : at
    if (end === at) return { offset: at, reason: nameStringFault(inside[at]) }
    at = end
  }
  return undefined
}

const nameStringFault = (sign: string | undefined): string =>
  sign === '\\' ? 'invalid escape in a string' : 'control character in a string'

/** Finds the first character in a string that does not stand for itself. */
function endOfPlain(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH || code < FIRST_PRINTABLE) break
  }
  return at
}
