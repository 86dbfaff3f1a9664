import { readExclusions } from './exclusions.ts'
import { readPrices } from './prices.ts'
import { cutOut, readTokens } from './tokens.ts'

/** What a text of a shopper says besides what it names. */
export interface Meaning {
  /** The text without the prices and what it wants to be without; empty where it says nothing else. */
  rest: string
  priceMin?: number | undefined
  priceMax?: number | undefined
  /** As written, in small letters. */
  without: readonly string[]
}

export interface MeaningOptions {
  /** The code of the store's currency; null for none. */
  currency: string | null
  /** Whether prices are left as they are. */
  keepsPrices?: boolean | undefined
}

/** Takes prices and exclusions out of a text. Nothing in a text makes it fail, and its time grows with the length alone. */
export function readMeaning(text: string, { currency, keepsPrices = false }: MeaningOptions): Meaning {
  const tokens = readTokens(text)
  const prices = keepsPrices ? { stretches: [] } : readPrices(tokens, currency)
  const isTaken = (at: number) => prices.stretches.some(({ from, to }) => at >= from && at < to)
  const unwanted = readExclusions(text, tokens, isTaken)
  const all = cutOut(text, tokens, [...prices.stretches, ...unwanted.stretches])
  // A query that says only what is unwanted still names a thing: "ohne Bügel".
  const isNaming = all === '' && unwanted.things.length > 0
  const { things, stretches } = isNaming ? { things: [], stretches: [] } : unwanted
  const taken = [...prices.stretches, ...stretches]
  return {
    rest: taken.length === 0 ? text : isNaming ? cutOut(text, tokens, taken) : all,
    ...('min' in prices && { priceMin: prices.min }),
    ...('max' in prices && { priceMax: prices.max }),
    without: things,
  }
}
