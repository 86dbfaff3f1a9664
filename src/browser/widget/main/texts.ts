import { pickLanguage } from '../loader/labels.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'
import { nl } from './texts/nl.ts'
import { pl } from './texts/pl.ts'
import { pt } from './texts/pt.ts'

/** Texts with a number have a form for each plural of their language; the name alone is the form for all others. */
type Plurals = { [Name in `found${'Zero' | 'Two' | 'Few' | 'Many'}`]?: string }

/** Every text of the dialog, by the name that `data-texts` uses. `{n}` stands for a number, `{query}` for words. */
export interface Texts extends Plurals {
  title: string
  field: string
  refine: string
  search: string
  photo: string
  choose: string
  paste: string
  dropHint: string
  privacy: string
  privacyMore: string
  privacyAnswer: string
  newPhoto: string
  openCrop: string
  crop: string
  frame: string
  whole: string
  region: string
  yourPicture: string
  remove: string
  looksLike: string
  didYouMean: string
  looking: string
  foundOne: string
  found: string
  few: string
  none: string
  popular: string
  showMore: string
  soldOut: string
  before: string
  busy: string
  offline: string
  slow: string
  again: string
  unreadable: string
  heic: string
  small: string
  cropSmall: string
  big: string
  notLoaded: string
  failed: string
  unavailable: string
  close: string
  sort: string
  best: string
  newest: string
  cheap: string
  dear: string
  filters: string
  category: string
  brand: string
  color_name: string
  similarRow: string
  together: string
}

/** The languages of the widget; every one has every text. */
export const LANGUAGES: Readonly<Record<'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt', Texts>> = {
  en,
  de,
  fr,
  es,
  it,
  nl,
  pl,
  pt,
}

/** @param own texts of the shop, by name. A number of the shop's comes in the forms that the shop gives. */
export function pickTexts(lang: string, own: Readonly<Record<string, string>>): Texts {
  const ours = Object.entries(pickLanguage(LANGUAGES, lang)).filter(
    ([name]) => !Object.hasOwn(own, name.replace(/(Few|Many)$/, '')),
  )
  return { ...(Object.fromEntries(ours) as unknown as Texts), ...own }
}

/** Says a number of products in the plural that the language asks for. */
export function sayCount(texts: Texts, name: 'found', count: number, lang: string): string {
  const form = new Intl.PluralRules(lang).select(count).replace(/^./, (first) => first.toUpperCase())
  const text = texts[`${name}${form}` as 'found'] ?? texts[name]
  return text.replace('{n}', String(count))
}

/** The language that the dialog speaks, and its direction. */
export interface Speech {
  lang: string
  dir: 'ltr' | 'rtl'
}

/** Scripts that are read from right to left. */
const RIGHT_TO_LEFT = /^(Arab|Hebr|Thaa|Syrc|Nkoo|Adlm|Rohg)$/

/**
 * Finds the language that the dialog speaks, and its direction. The page's may be others: where we lack its language and the shop
 * gives no texts in it, the dialog is English.
 */
export function findSpeech(lang: string, own: Readonly<Record<string, string>>): Speech {
  const { language } = new Intl.Locale(lang)
  const isSpoken = Object.hasOwn(LANGUAGES, language) || Object.keys(own).some((name) => name in en)
  const spoken = isSpoken ? lang : 'en'
  const { script = '' } = new Intl.Locale(spoken).maximize()
  return { lang: spoken, dir: RIGHT_TO_LEFT.test(script) ? 'rtl' : 'ltr' }
}
