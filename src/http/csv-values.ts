import { guardFormulas, unguardFormulas } from './csv.ts'

/** The type that values of a column have, where one is known. */
export type CellType = 'text' | 'any'

/**
 * A longer cell is a text: no value of metadata, of at most 16 KiB as JSON, takes more with all its quotes escaped, and
 * reading it takes one step.
 */
const VALUE_CHARS_MAX = 128 * 1024

const JSON_START = /^[-\d[{tfn]/

/** A text that is surely read as it is: nothing in it is a formula, an apostrophe, or the beginning of JSON. */
const PLAIN = /^(?!["=+\-@\d[{tfn\s])[^'\r\n;\t]*$/

/**
 * Reads a cell that {@link writeValue} has written, with or without the `'` before formulas. Undefined for an empty one. A
 * text in double quotes is a JSON string; in a column of type `any` a number, true, false, null, a list and an object of
 * JSON are what they are in JSON; everything else is a text.
 */
export function readValue(cell: string, type: CellType): unknown {
  const text = unguardFormulas(cell)
  if (text.trim() === '') return undefined
  const isString = text.startsWith('"')
  if (text.length > VALUE_CHARS_MAX || !(isString || (type === 'any' && JSON_START.test(text)))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Writes any value of JSON as a cell of which {@link readValue} gets the same value: a text as it is if it comes back as it
 * is, anything else as JSON. Undefined for a value that no cell of this type can hold.
 */
export function writeValue(value: unknown, type: CellType): string | undefined {
  if (typeof value === 'string' && value !== '' && PLAIN.test(value) && value.isWellFormed()) return value
  const json = JSON.stringify(value)
  const forms = [...(typeof value === 'string' ? [value] : []), json, json.replaceAll("'", '\\u0027')]
  return forms.find((form) => isKept(form) && JSON.stringify(readValue(guardFormulas(form), type)) === json)
}

/** Whether a text comes back from a file as it is: a reader unifies line ends, and UTF-8 has no lone surrogates. */
const isKept = (text: string): boolean => !text.includes('\r') && text.isWellFormed()
