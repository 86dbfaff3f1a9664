import { language } from '../../language.ts'

/** Where people pay in euros. */
const EURO = 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' ')

const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ AU: 'AUD', BR: 'BRL', CA: 'CAD', CH: 'CHF', CZ: 'CZK', DK: 'DKK', GB: 'GBP', HU: 'HUF', IN: 'INR' },
  ...{ JP: 'JPY', MX: 'MXN', NO: 'NOK', NZ: 'NZD', PL: 'PLN', RO: 'RON', SE: 'SEK', TR: 'TRY', US: 'USD' },
}

/** Guesses the currency from the country that a browser's language names. @returns '' where it names none. */
export function guessCurrency(tag: string): string {
  // Of `de` alone the likely country is Germany.
  const region = new Intl.Locale(tag).maximize().region ?? ''
  return EURO.includes(region) ? 'EUR' : (CURRENCIES[region] ?? '')
}

type Choices = readonly (readonly [value: string, label: string])[]

/** All currencies with their names in the reader's language. */
export function listCurrencies(): Choices {
  const names = new Intl.DisplayNames(language, { type: 'currency' })
  return Intl.supportedValuesOf('currency').map((code) => [code, `${code} · ${names.of(code) ?? code}`])
}

/** The languages that searches by words understand, and the present one. */
export function listLanguages(present: string): Choices {
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const tags = new Set([present, 'en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'])
  return [...tags].map((tag) => [tag, names.of(tag) ?? tag])
}
