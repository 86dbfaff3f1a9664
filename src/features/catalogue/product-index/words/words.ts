import { listNames, listOtherNames, type QueryText, readQuery, type WordQuery } from './asked.ts'
import { type Completion, type CompletionOptions, complete } from './completions.ts'
import { createContents } from './contents.ts'
import { printWords } from './fields.ts'
import { createColumn, createHashTable } from './growing.ts'
import { listHoldersOfAll } from './holders.ts'
import { createMatcher } from './matches.ts'
import { correct } from './meant.ts'
import { createNames } from './names.ts'
import { createPostings, DOCUMENTS_MAX, WEIGHT_MAX } from './postings.ts'
import type { Scratch } from './scratch.ts'
import { listWords, splitInto } from './tokens.ts'
import { type AskedWord, findAllVariants, QUERY_WORDS_MAX, readVariant, type Variants } from './variants.ts'
import { createVocabulary } from './vocabulary.ts'

/** The texts of a product that words are looked for in. */
export interface ProductWords {
  productId: string
  name?: string | undefined
  brand?: string | undefined
  category?: string | undefined
  color?: string | undefined
  tags?: readonly string[] | undefined
  sku?: string | undefined
  gtin?: string | undefined
  /** Plain text of a bounded length. */
  description?: string | undefined
}

/** One word of a query. */
export interface QueryWord {
  word: string
  /** Products that have it, or the words that it was taken for; one with two of these may count twice. 0 for an unknown word. */
  documents: number
  /** Whether only words within one edit were found. */
  isTypo: boolean
  /** Whether only longer words were found that begin or end with it. */
  isPart: boolean
}

export interface WordScores {
  /** By document number, 0 where no word matches. Valid for one tick, like `documents`. */
  scores: Float32Array
  /** The documents with a score above 0, in no order. */
  documents: Uint32Array
  /** The greatest score; 0 without any. */
  max: number
  /** Documents whose product_id, sku, gtin or whole name is the query, in this order of kinds; at most 100. */
  exact: Uint32Array
  /** The different words of the query, in its order. */
  words: QueryWord[]
}

/** Standard values of BM25. */
const [K1, B] = [1.2, 0.75]

/**
 * How often a word counts in each field, in halves. A name says what a product is, a category what kind, a brand stands in
 * many products of all kinds, a colour is also a fruit or a flower, and tags are often a bag of anything. A SKU is rare, which is weight enough.
 * A description names whatever goes well with a product: each of its words counts once, if no other field has it.
 */
export const FIELD_WEIGHTS = {
  name: 6,
  category: 4,
  brand: 3,
  color: 2,
  tags: 2,
  sku: 2,
  description: 1,
} as const
const HALVES = 2

/** Different words of one product that are indexed; the name's come first. */
const DOCUMENT_WORDS_MAX = 256
/** Postings that one query reads, some 15 ms of work; beyond it the words that most products have are left out. */
const POSTINGS_READ_MAX = 4_000_000

/** How words match that no product has in any form. */
const MISSING: ReadonlySet<AskedWord['kind']> = new Set(['typo', 'none'])

const NO_WORDS: ReadonlySet<string> = new Set()

export type WordIndex = ReturnType<typeof createWordIndex>

/**
 * The words of one store's products in memory: BM25 over name, category, brand, colour, tags and SKU, where a word also finds its other
 * forms, longer words that begin or end with it, and, if there are none, words within one edit.
 *
 * Each product is a document, whose number is given to another product after it has left. All state is typed arrays.
 */
export function createWordIndex(scratch: Scratch) {
  const vocabulary = createVocabulary()
  const postings = createPostings()
  const names = createNames()
  /** By document. */
  const products = createColumn(Float64Array)
  const lengths = createColumn(Uint16Array)
  const holders = createColumn(Uint8Array)
  const prints = createColumn(Uint32Array)
  const checks = createColumn(Uint32Array)
  const contents = createContents()
  const columns = [products, lengths, holders, prints, checks]
  const table = createHashTable((document) => hashRow(products.items[document] as number))
  const free: number[] = []
  let last = 0
  let lengthSum = 0
  let size = 0

  // The words of the product that is being put.
  const own = new Uint32Array(DOCUMENT_WORDS_MAX)
  const ownWeights = new Uint8Array(DOCUMENT_WORDS_MAX)
  let ownCount = 0
  let fieldWeight = 0
  /** Forgotten when a word is added or leaves. */
  let lastAsked: (Pick<QueryText, 'text' | 'standIns'> & { words: readonly AskedWord[] }) | undefined

  function find(product: number): number {
    for (let place = table.start(hashRow(product)); ; place = table.next(place)) {
      const document = table.at(place)
      if (document === 0 || products.items[document] === product) return document
    }
  }

  function addDocument(product: number): number {
    if (free.length === 0 && last === DOCUMENTS_MAX) return 0
    const document = free.pop() ?? ++last
    for (const column of columns) column.reach(document)
    contents.reach(document)
    products.items[document] = product
    holders.items[document] = 0
    table.add(document)
    size++
    return document
  }

  function dropWords(document: number): void {
    lastAsked = undefined
    lengthSum -= lengths.items[document] as number
    lengths.items[document] = 0
    const words = contents.take(document)
    for (const word of words) if (postings.remove(word, document)) vocabulary.remove(word)
  }

  function takeWord(units: Uint16Array, start: number, end: number): void {
    if (ownCount === DOCUMENT_WORDS_MAX) return
    const word = vocabulary.intern(units, start, end)
    let n = 0
    while (n < ownCount && own[n] !== word) n++
    if (n === ownCount) ownWeights[ownCount++] = 0
    own[n] = word
    ownWeights[n] = Math.min(WEIGHT_MAX, (ownWeights[n] as number) + fieldWeight)
  }

  function takeNewWord(units: Uint16Array, start: number, end: number): void {
    if (ownCount === DOCUMENT_WORDS_MAX) return
    const word = vocabulary.intern(units, start, end)
    for (let n = 0; n < ownCount; n++) if (own[n] === word) return
    own[ownCount] = word
    ownWeights[ownCount++] = fieldWeight
  }

  function read(text: string | undefined, weight: number): void {
    fieldWeight = weight
    if (text) splitInto(text, takeWord)
  }

  function setWords(document: number, words: ProductWords): void {
    lastAsked = undefined
    ownCount = 0
    read(words.name, FIELD_WEIGHTS.name)
    read(words.category, FIELD_WEIGHTS.category)
    read(words.brand, FIELD_WEIGHTS.brand)
    read(words.color, FIELD_WEIGHTS.color)
    read(words.sku, FIELD_WEIGHTS.sku)
    if (words.tags) for (const tag of words.tags) read(tag, FIELD_WEIGHTS.tags)
    // Its length says nothing of the other fields, so it makes no word of theirs count less.
    let length = 0
    for (let n = 0; n < ownCount; n++) length += ownWeights[n] as number
    fieldWeight = FIELD_WEIGHTS.description
    if (words.description) splitInto(words.description, takeNewWord)
    const count = ownCount
    for (let n = 0; n < count; n++) postings.add(own[n] as number, document, ownWeights[n] as number)
    contents.put(document, own.subarray(0, count), (n) => (ownWeights[n] as number) > FIELD_WEIGHTS.tags)
    lengths.items[document] = length
    lengthSum += length
    names.set(document, words)
  }

  /** One search asks for the same query several times. */
  function ask(query: WordQuery): readonly AskedWord[] {
    const { text, standIns } = readQuery(query)
    if (lastAsked?.text !== text || lastAsked.standIns !== standIns)
      lastAsked = { text, standIns, words: findAllVariants(vocabulary, postings, { text, standIns }) }
    return lastAsked.words
  }

  const findNamed = (query: WordQuery): number[] => names.find(listNames(query), listOtherNames(query))

  /** @param silent words of the query that count for nothing, unless they are all of it. */
  function score(query: WordQuery, silent: ReadonlySet<string> = NO_WORDS): WordScores {
    const asked = ask(query)
    const counted = asked.filter(({ word }) => !silent.has(word))
    return {
      ...addUp(counted.length > 0 ? counted : asked),
      exact: Uint32Array.from(findNamed(query)),
      words: asked.map(({ word, kind, documents }) => ({
        word,
        documents: Math.min(documents, size),
        isTypo: kind === 'typo',
        isPart: kind === 'part',
      })),
    }
  }

  /** Adds up the scores of the words; of the variants of one word the best counts. */
  function addUp(asked: readonly Variants[]): Pick<WordScores, 'scores' | 'documents' | 'max'> {
    const { scores, best, found, touched } = scratch.open(last + 1)
    const lengthOf = lengths.items
    const base = HALVES * K1 * (1 - B)
    const slope = lengthSum > 0 ? (HALVES * K1 * B * size) / lengthSum : 0
    let foundCount = 0
    let cost = 0
    for (const { variants, cost: ownCost } of asked.toSorted((a, b) => a.cost - b.cost)) {
      if (cost > 0 && cost + ownCost > POSTINGS_READ_MAX) break
      cost += ownCost
      let touchedCount = 0
      for (const variant of variants) {
        const { factor, documents } = variant
        const weight = factor * rarity(documents) * (K1 + 1)
        const { items, start, end } = readVariant(postings, variant)
        for (let n = start; n < end; n++) {
          const posting = items[n] as number
          const frequency = posting & WEIGHT_MAX
          const document = posting >>> 8
          const points = (weight * frequency) / (frequency + base + slope * (lengthOf[document] as number))
          const known = best[document] as number
          if (points <= known) continue
          if (known === 0) touched[touchedCount++] = document
          best[document] = points
        }
      }
      for (let n = 0; n < touchedCount; n++) {
        const document = touched[n] as number
        if (scores[document] === 0) found[foundCount++] = document
        scores[document] = (scores[document] as number) + (best[document] as number)
        best[document] = 0
      }
    }
    scratch.close(foundCount)
    let max = 0
    for (let n = 0; n < foundCount; n++) max = Math.max(max, scores[found[n] as number] as number)
    return { scores, documents: found.subarray(0, foundCount), max }
  }

  /** The inverse document frequency, which is never negative in this form. */
  const rarity = (documents: number): number => {
    const having = Math.min(documents, size)
    return Math.log(1 + (size - having + 0.5) / (having + 0.5))
  }

  const productOf = (document: number): number => products.items[document] ?? 0

  function remove(product: number): void {
    const document = find(product)
    if (document === 0) return
    dropWords(document)
    names.clear(document)
    table.remove(document)
    products.items[document] = 0
    free.push(document)
    size--
  }

  return {
    /**
     * Adds a product or changes its words. Words that did not change take no work.
     *
     * @param product the row of the product.
     * @returns its document number, from 1; 0 where the store has more products than this index counts.
     */
    put(product: number, words: ProductWords): number {
      const known = find(product)
      const document = known > 0 ? known : addDocument(product)
      if (document === 0) return 0
      const { hash: print, check } = printWords(words)
      if (known > 0 && prints.items[document] === print && checks.items[document] === check) return document
      dropWords(document)
      setWords(document, words)
      prints.items[document] = print
      checks.items[document] = check
      return document
    },

    /** Counts one more picture that shows a document. */
    retain(document: number): void {
      if (document > 0) holders.items[document] = (holders.items[document] as number) + 1
    },
    /** Counts one picture less; with the last one the product leaves. */
    release(document: number): void {
      if (document === 0) return
      const left = (holders.items[document] as number) - 1
      holders.items[document] = left
      if (left === 0) remove(products.items[document] as number)
    },

    remove,
    find,
    score,

    /** Whether {@link score} would find any product. It reads no postings. */
    hasAny: (query: WordQuery): boolean =>
      ask(query).some(({ variants }) => variants.length > 0) || findNamed(query).length > 0,

    /** Creates what finds the words of a query in a product. Valid for one tick. */
    matcher: (query: WordQuery) => createMatcher(listNames(query), ask(query), vocabulary.find),

    /** Those of some words of a query that no product has, in any form that a search would find. */
    listUnheld(query: WordQuery, words: readonly string[]): string[] {
      const held = new Set(ask(query).flatMap(({ word, documents }) => (documents > 0 ? [word] : [])))
      const isHeld = (word: string) => {
        const parts = listWords(word, QUERY_WORDS_MAX)
        return parts.length > 0 && parts.every((part) => held.has(part))
      }
      return words.filter((word) => !isHeld(word))
    },

    /** A query without the typos among some of its words; undefined where the store has all of these, or none that is near. */
    correct(query: WordQuery, words: readonly string[]): string | undefined {
      const doubtful = new Set(words.flatMap((word) => listWords(word, QUERY_WORDS_MAX)))
      const missing = ask(query).filter(({ word, kind }) => MISSING.has(kind) && doubtful.has(word))
      return correct(vocabulary, postings, readQuery(query).typed, missing)
    },

    /** Completes the last word of a text; see {@link complete}. */
    complete: (text: string, options: CompletionOptions): Completion[] =>
      complete({ vocabulary, postings, productOf, weightAbove: FIELD_WEIGHTS.description }, text, options),

    /** The words of a name, a category or a brand, and those that stand twice in other fields: they say what a document is. */
    listTelling: contents.listFirst,
    /** Adds up the numbers of those words of a document. */
    sumTelling: contents.sumFirst,
    /** Visits the documents that have a word in their name, category or brand. */
    visitTelling(word: number, visit: (document: number) => void): void {
      const { items, start, end } = postings.read(word)
      for (let n = start; n < end; n++) {
        const posting = items[n] as number
        if ((posting & WEIGHT_MAX) > FIELD_WEIGHTS.tags) visit(posting >>> 8)
      }
    },
    /** Documents whose product_id, sku, gtin or whole name is the query; see {@link WordScores.exact}. */
    findExact: (query: WordQuery): Iterable<number> => findNamed(query),
    /** Makes a test of documents: whether one has a word, spelt so, in any field but the description. Valid for one tick. */
    holderTest(text: string): (document: number) => boolean {
      const own: number[] = []
      splitInto(text, (units, start, end) => {
        const word = vocabulary.find(units.slice(start, end))
        if (word !== 0) own.push(word)
      })
      return (document) => {
        for (let n = 0; n < own.length; n++)
          if (postings.weightOf(own[n] as number, document) > FIELD_WEIGHTS.description) return true
        return false
      }
    },
    /** See {@link listHoldersOfAll}. */
    listHoldersOfAll: (query: WordQuery, max: number): Set<number> =>
      listHoldersOfAll(postings, ask(query), max, FIELD_WEIGHTS.description),
    /** Counts the documents that have a word. */
    countHolders: postings.count,
    /** A word, folded as it is compared. */
    spell: vocabulary.spell,
    /** The weighted words of each document, without those of descriptions; 0 for one that has none. Valid for one tick. */
    lengths: (): Uint16Array => lengths.items,
    /** No document has a higher number. */
    lastDocument: (): number => last,

    /** The row of a document's product. */
    productOf,
    countDocuments: (): number => size,

    /** Bytes of memory, as far as they grow with the store. */
    bytes: (): number =>
      vocabulary.bytes() +
      postings.bytes() +
      names.bytes() +
      table.bytes() +
      contents.bytes() +
      columns.reduce((sum, { items }) => sum + items.byteLength, 0),
  }
}

const hashRow = (product: number): number => Math.imul(product, 0x9e3779b1) >>> 0
