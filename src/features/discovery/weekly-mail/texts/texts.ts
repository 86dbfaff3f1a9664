import type { Advice } from '../facts.ts'
import { texts as de } from './de.ts'
import { texts as en } from './en.ts'
import { texts as es } from './es.ts'
import { texts as fr } from './fr.ts'
import { texts as it } from './it.ts'
import { texts as nl } from './nl.ts'
import { texts as pl } from './pl.ts'
import { texts as pt } from './pt.ts'

/** The words of the mail. Numbers, amounts and dates come ready to be read. */
export interface Texts {
  subject(store: string, searches: string): string
  title(store: string, period: string): string
  searches: string
  clicked: string
  revenue: string
  orders(count: string): string
  before(value: string): string
  missed: string
  photos: string
  unknownPhotos: string
  soldOut: string
  /** Behind an entry of a list. */
  searchedTimes(count: string): string
  clickedTimes(count: string): string
  advice: string
  advices: Readonly<Record<Advice, readonly [text: string, link: string]>>
  why: string
  unsubscribe: string
}

const ALL: Readonly<Record<string, Texts>> = { en, de, fr, es, it, nl, pl, pt }

/** Finds the words for a locale such as `de-AT`; English for one that has none. */
export const textsFor = (locale: string): Texts => ALL[locale.split('-', 1)[0]?.toLowerCase() ?? ''] ?? en
