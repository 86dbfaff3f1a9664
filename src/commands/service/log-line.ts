import { makeVisible } from '../cli/table.ts'

/** Pino's levels: name and colour (SGR) by number. */
const LEVELS: Readonly<Record<number, readonly [name: string, colour: number]>> = {
  10: ['TRACE', 90],
  20: ['DEBUG', 90],
  30: ['INFO', 32],
  40: ['WARN', 33],
  50: ['ERROR', 31],
  60: ['FATAL', 31],
}

const FAINT = 2

/** A value that needs no quotes beside others. */
const PLAIN = /^[^\s"=]+$/

interface Entry {
  level: number
  time: number
  msg?: string
  err?: { message?: string; stack?: string }
  [field: string]: unknown
}

/**
 * Formats a JSON line of the log for people: time of day, level, message, fields, and the stack of an error below.
 *
 * @param isColoured whether the terminal should show colours.
 */
export function formatLogLine(line: string, isColoured: boolean): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as Entry
  const paint = (text: string, code: number) => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  const [name, colour] = LEVELS[level] ?? [String(level), FAINT]
  const head = [paint(formatTime(time), FAINT), paint(name.padEnd(5), colour), makeVisible(msg)].join(' ')
  const rest = Object.entries(fields).map(([field, value]) => `${field}=${formatValue(value)}`)
  const shown = rest.length === 0 ? head : `${head}  ${paint(rest.join(' '), FAINT)}`
  return `${shown}${err ? formatError(err) : ''}\n`
}

const formatTime = (time: number): string => new Date(time).toTimeString().slice(0, 8)

function formatValue(value: unknown): string {
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(5)))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return makeVisible(PLAIN.test(text) || typeof value !== 'string' ? text : JSON.stringify(text))
}

const formatError = ({ stack, message = '' }: NonNullable<Entry['err']>): string =>
  (stack ?? message)
    .split('\n')
    .map((line) => `\n  ${makeVisible(line)}`)
    .join('')
