/** Readers of single cells. Each returns undefined for an empty cell, and `undefined` too for one that says nothing. */

/**
 * The most characters of a cell that is taken apart. A longer one that should be an address or a name is handed on as it
 * is, so that the check of the product tells its limit, and one that should be a number says nothing.
 */
const CELL_CHARS_MAX = 16 * 1024

const isLong = (cell: string): boolean => cell.length > CELL_CHARS_MAX

export interface Price {
  amount: number
  /** ISO 4217, in capitals. */
  currency: string | undefined
}

const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR', zł: 'PLN' }

/** Reads `12.00 EUR`, `€ 1.234,56`, `1,234.56` and `12,5`. A sign that several currencies share, as `$`, names none. */
export function readPrice(cell: string): Price | undefined {
  if (isLong(cell)) return undefined
  const number = /[-+]?\d[\d.,'’\s]*/.exec(cell)?.[0]
  if (number === undefined) return undefined
  const amount = readNumber(number)
  if (amount === undefined) return undefined
  const rest = cell.replace(number, ' ')
  const sign = Object.keys(SIGNS).find((each) => rest.includes(each))
  return { amount, currency: /\b[A-Z]{3}\b/.exec(rest)?.[0] ?? (sign && SIGNS[sign]) }
}

/**
 * Reads a number with or without separators of thousands. A single separator before exactly three digits separates
 * thousands if it is a comma, and decimals if it is a point, as programs write it.
 */
export function readNumber(text: string): number | undefined {
  if (isLong(text)) return undefined
  const bare = text.replace(/['’\s]/g, '')
  if (bare === '') return undefined
  const point = bare.lastIndexOf('.')
  const comma = bare.lastIndexOf(',')
  const decimals = point < 0 && comma >= 0 ? (isThousands(bare) ? '' : ',') : comma > point ? ',' : '.'
  // Several points and no comma are thousands: 1.234.567
  const plain =
    comma < 0 && bare.indexOf('.') !== point
      ? bare.replaceAll('.', '')
      : bare.replaceAll(decimals === ',' ? '.' : ',', '').replace(',', '.')
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

const isThousands = (text: string): boolean => /^[-+]?\d{1,3}(,\d{3})+$/.test(text)

const YES = new Set([
  '1',
  'true',
  'yes',
  'y',
  'instock',
  'in stock',
  'in_stock',
  'available',
  'ja',
  'oui',
  'si',
  'sí',
])
const NO = new Set([
  ...[
    '0',
    'false',
    'no',
    'n',
    'outofstock',
    'out of stock',
    'out_of_stock',
    'sold out',
    'unavailable',
    'discontinued',
  ],
  ...['backorder', 'onbackorder', 'preorder', 'nein', 'non'],
])

/** Reads whether a product is in stock: a word, or a number of pieces. What can only be ordered ahead is not. */
export function readStock(cell: string): boolean | undefined {
  if (isLong(cell)) return undefined
  const word = cell.trim().toLowerCase()
  if (YES.has(word)) return true
  if (NO.has(word)) return false
  const pieces = word === '' ? Number.NaN : Number(word)
  return Number.isNaN(pieces) ? undefined : pieces > 0
}

/** Splits a list with commas. A comma that is escaped with a backslash belongs to the name. */
export const splitList = (cell: string): string[] =>
  isLong(cell)
    ? [cell]
    : cell
        .split(/(?<!\\),/)
        .map((part) => part.replaceAll('\\,', ',').trim())
        .filter((part) => part !== '')

/**
 * Splits a list of addresses: a comma is a part of an address unless another address follows it. A run of separators is
 * looked at from its beginning alone, or a long one would cost its square. Of a long list the beginning counts, because
 * a product has few pictures.
 */
export function splitAddresses(cell: string): string[] {
  // A picture within the cell is as long as it is.
  if (/^\s*data:/i.test(cell)) return trimAddresses(cell.split(/[|\r\n]/))
  const parts = cell.slice(0, CELL_CHARS_MAX).split(/(?<![,|\s])[,|\s]+(?=[a-z][a-z0-9+.-]*:\/\/)|[|\r\n]/i)
  if (!isLong(cell)) return trimAddresses(parts)
  // The last one is cut off. A single one stays whole, for the check of the product to tell its limit.
  return parts.length > 1 ? trimAddresses(parts.slice(0, -1)) : [cell.trim()]
}

const trimAddresses = (parts: readonly string[]): string[] =>
  parts.map((part) => part.trim().replace(/(?<!,),+$/, '')).filter((part) => part !== '')
