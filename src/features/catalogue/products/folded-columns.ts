import { foldLevels } from '../../../core/category-path.ts'
import { nextTurn, paidAt, readPrices } from '../../../core/sale.ts'
import { isSoldOut } from '../../../core/sold-out.ts'
import { fold } from '../../../core/text.ts'
import type { Metadata } from './schema.ts'

/** Copies of the metadata that filters and lists look up, without case and accents. @param now for the price that is paid. */
export function foldColumns(metadata: Metadata, now: number) {
  const foldText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? fold(value) : null)
  const category = foldText(metadata['category'])
  const prices = readPrices(metadata)
  const turnsAt = nextTurn(prices, now)
  return {
    category,
    levels: foldLevels(metadata['category'], metadata['category_path']),
    brand: foldText(metadata['brand']),
    color: foldText(metadata['color_name']),
    name: foldText(metadata['name']),
    price: paidAt(prices, now),
    regularPrice: prices.sale === null ? null : prices.price,
    sale: prices.sale,
    saleFrom: toInteger(prices.from),
    saleUntil: toInteger(prices.until),
    priceTurnsAt: toInteger(turnsAt),
    soldOut: isSoldOut(metadata) ? 1 : 0,
  }
}

/** A number is bound as REAL, which a STRICT table takes for a whole number. */
const toInteger = (ms: number | null): number | null => (ms === null ? null : Math.trunc(ms))
