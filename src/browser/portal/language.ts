import { LANGUAGES, type Language } from './languages.ts'
import { readView } from './look-settings.ts'

const isLanguage = (tag: string): tag is Language => (LANGUAGES as readonly string[]).includes(tag)

/** The language that was chosen, or the first one of the browser that we have. */
export const language: Language =
  [readView().language ?? '', ...navigator.languages]
    .map((tag) => tag.slice(0, 2).toLowerCase())
    .find(isLanguage) ?? 'en'

/** Numbers, dates and money follow the browser's country, in the language of the pages. */
const locale = navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === language) ?? language

export type Translations<Texts> = Readonly<Record<Language, () => Promise<{ texts: Texts }>>>

/** Loads the texts of one page in the language of the browser. */
export const loadTexts = async <Texts>(translations: Translations<Texts>): Promise<Texts> =>
  (await translations[language]()).texts

const NUMBER = new Intl.NumberFormat(locale)
const PERCENT = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
const SCORE = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const SIGNED = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, signDisplay: 'always' })
const POSITION = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' })
const AGO = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' })

export const formatNumber = (value: number): string => NUMBER.format(value)
export const formatShare = (value: number): string => PERCENT.format(value)
export const formatScore = (value: number): string => SCORE.format(value)
/** A change, with its sign. */
export const formatSigned = (value: number): string => SIGNED.format(value)
export const formatPosition = (value: number): string => POSITION.format(value)
export const formatMoment = (iso: string): string => MOMENT.format(new Date(iso))
/** @param date `2026-11-26`, a day of the store's zone. */
export const formatDay = (date: string): string => DAY.format(new Date(`${date}T12:00:00`))

/** Formats an amount; a currency that the browser does not know stays beside the number. */
export function formatMoney(amount: number, currency: string | undefined): string {
  if (!currency) return SCORE.format(amount)
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount)
  } catch {
    return `${SCORE.format(amount)} ${currency}`
  }
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago a moment was, in words; less than a minute is now. */
export function formatAgo(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return AGO.format(Math.round(seconds / length), unit)
  return AGO.format(0, 'second')
}
