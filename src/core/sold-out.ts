import { fold } from './text.ts'

/** The keys of the metadata that say how much of a product is left. */
const KEYS = ['in_stock', 'availability', 'stock'] as const

/** What feeds and shops write into these keys, without case, accents and anything but letters. */
const GONE = new Set([
  ...['outofstock', 'notinstock', 'soldout', 'unavailable', 'notavailable', 'discontinued', 'oos'],
  ...['false', 'no', 'none'],
  ...['ausverkauft', 'vergriffen', 'nichtverfugbar', 'nichtvorratig', 'nichtauflager', 'nichtlieferbar'],
  ...['epuise', 'enrupture', 'rupturedestock', 'horsstock', 'indisponible'],
  ...['agotado', 'sinexistencias', 'sinstock', 'nodisponible'],
  ...['esaurito', 'nondisponibile'],
  ...['uitverkocht', 'nietopvoorraad', 'nietleverbaar'],
  ...['wyprzedany', 'wyprzedane', 'niedostepny', 'brak', 'brakwmagazynie'],
  ...['esgotado', 'indisponivel', 'semestoque'],
])

const WORD_CHARS_MAX = 100

/**
 * Whether a product is sold out: one of the keys says so. What can be ordered ahead is not. Where the metadata says nothing, a
 * product is sold out when all its variants are.
 */
export function isSoldOut(metadata: Readonly<Record<string, unknown>>): boolean {
  const said = saysSoldOut(metadata)
  if (said !== undefined) return said
  const { variants } = metadata
  return Array.isArray(variants) && variants.length > 0 && variants.every(isVariantSoldOut)
}

const isVariantSoldOut = (variant: unknown): boolean =>
  typeof variant === 'object' && variant !== null && saysSoldOut(variant as Record<string, unknown>) === true

/** Undefined where no key says anything. */
function saysSoldOut(fields: Readonly<Record<string, unknown>>): boolean | undefined {
  const said = KEYS.map((key) => readStock(fields[key])).filter((one) => one !== undefined)
  return said.length === 0 ? undefined : said.includes(true)
}

/** Whether a value says that nothing is left; undefined for one that says nothing. */
function readStock(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value <= 0
  if (typeof value !== 'string' || value.length > WORD_CHARS_MAX || value.trim() === '') return undefined
  const pieces = Number(value)
  if (!Number.isNaN(pieces)) return pieces <= 0
  // Of https://schema.org/OutOfStock the end counts.
  const word = fold(value.slice(value.lastIndexOf('/') + 1)).replace(/\P{L}/gu, '')
  return GONE.has(word)
}
