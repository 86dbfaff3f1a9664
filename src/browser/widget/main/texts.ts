import { pickLanguage } from '../loader/labels.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'
import { nl } from './texts/nl.ts'
import { pl } from './texts/pl.ts'
import { pt } from './texts/pt.ts'

/** Every text of the dialog, by the name that `data-texts` uses. `{n}` stands for a number. */
export interface Texts {
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
  crop: string
  frame: string
  whole: string
  region: string
  yourPicture: string
  remove: string
  looksLike: string
  looking: string
  foundOne: string
  found: string
  few: string
  none: string
  popular: string
  best: string
  more: string
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

/** @param own texts of the shop, by name. */
export const pickTexts = (lang: string, own: Readonly<Record<string, string>>): Texts => ({
  ...pickLanguage(LANGUAGES, lang),
  ...own,
})
