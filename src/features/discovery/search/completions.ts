import { readSpellings } from '../../../core/spelling.ts'
import { fold } from '../../../core/text.ts'
import type { CompletionQueries } from './completion-queries.ts'
import type { FilterReader } from './filters.ts'
import type { SearchedStore } from './searched-store.ts'
import type { Searcher } from './searcher.ts'
import type { ShopperQueries } from './shopper-queries.ts'

/** What somebody who types may be looking for. */
export interface Suggestion {
  query: string
  /** How often shoppers searched for it; 0 for what comes from products. */
  count: number
  results_count: number
  source: 'history' | 'catalog'
  /** A product that it finds. */
  image_url?: string
}

/** The texts of a product that everybody who may find it sees. */
export interface ShownTexts {
  names: readonly ('name' | 'category' | 'brand' | 'color_name')[]
  /** Whether all fields whose words are compared may be seen: then queries of other shoppers tell nothing new. */
  isAll: boolean
}

export interface CompletionsDeps {
  completionQueries: Pick<CompletionQueries, 'listTexts'>
  filters: Pick<FilterReader, 'parse' | 'resolve'>
  shopperQueries: Pick<ShopperQueries, 'list'>
  findStore(storeId: string): SearchedStore | undefined
  toPublicUrl(url: string): string
}

/** Products that are read for each word. */
const EACH = 3

/**
 * Completes what somebody types: queries of many shoppers first, then words, categories and names of products that the searcher may
 * find. It reads a bounded number of products, however many the store has.
 *
 * A word is taken from a product that the searcher may find, and only where a text that may be seen has it. Queries of shoppers are
 * for searchers who may find every product, and have only words of products: nobody else's name, number or insult is proposed.
 */
export async function complete(
  { completionQueries: queries, filters, shopperQueries, findStore, toPublicUrl }: CompletionsDeps,
  searcher: Searcher,
  text: string,
  { names, isAll }: ShownTexts,
  limit: number,
): Promise<Suggestion[]> {
  const { storeId } = searcher
  const { condition } = await filters.resolve(storeId, filters.parse(searcher, {}))
  const store = findStore(storeId)
  const typed = text.trim().replace(/\s+/g, ' ')
  if (!store || typed === '') return []
  const { rows } = condition
  const found = new Map<string, Suggestion>()
  const add = (suggestion: Suggestion) => {
    const key = fold(suggestion.query)
    const known = found.get(key)
    if (known) found.set(key, { ...suggestion, ...known })
    else found.set(key, suggestion)
  }
  if (isAll && !rows)
    for (const said of shopperQueries.list(storeId, typed, limit))
      if (isHeld(store, said.query)) add({ ...said, source: 'history' })

  const completions = store.words.complete(typed, {
    max: limit,
    each: EACH,
    accepts: (product) => !rows || rows.has(product),
  })
  const texts = queries.listTexts(
    storeId,
    completions.flatMap(({ products }) => products),
  )
  const before = typed.replace(/[\p{L}\p{M}\p{N}]+[^\p{L}\p{M}\p{N}]*$/u, '')
  const longer: Suggestion[] = []
  for (const { word, documents, products } of completions) {
    for (const product of products) {
      const shown = texts.get(product)
      if (!shown) continue
      const seen = names.flatMap((name) => shown[name] ?? [])
      const spelt = readSpellings(seen).get(word)
      if (spelt === undefined) continue
      const image_url = toPublicUrl(shown.imageUrl)
      const results_count = rows || before !== '' ? products.length : documents
      add({ query: before + spelt.toLowerCase(), count: 0, results_count, source: 'catalog', image_url })
      for (const whole of seen.filter((one) => one.length <= CHARS_MAX && isAbout(one, word, before)))
        longer.push({ query: whole, count: 0, results_count: 1, source: 'catalog', image_url })
    }
  }
  for (const suggestion of longer) add(suggestion)
  return [...found.values()].slice(0, limit)
}

/** A longer text is no query that anybody would choose. */
const CHARS_MAX = 60

/** Whether a text of a product says what was typed. */
function isAbout(text: string, word: string, before: string): boolean {
  const words = readSpellings([text])
  return words.has(word) && [...readSpellings([before]).keys()].every((one) => words.has(one))
}

const isHeld = ({ words, hasAllWords }: SearchedStore, query: string): boolean =>
  hasAllWords && words.listUnheld(query, query.split(/\s+/)).length === 0
