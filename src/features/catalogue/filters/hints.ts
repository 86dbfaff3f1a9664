import { fold } from '../../../core/text.ts'
import { type Filter, listConditions, type Scalars } from './filter.ts'
import { findNearestWord } from './nearest-word.ts'
import type { FilterQueries } from './queries.ts'
import type { Walks } from './walk.ts'

/** Products in which fields are looked for before a whole store is, and whose keys are proposed. */
const SAMPLE = 200
/** Fields of one filter whose values are looked for in a whole store. */
const FIELDS_MAX = 3
/** Different values of a field that are looked at, and characters of all of them together. */
const VALUES_MAX = 1_000
const VALUE_CHARS_MAX = 100
/** Keys of one store that are proposed, and fields that are known to occur. */
const KEYS_MAX = 1_000
const WARNINGS_MAX = 10
/** Values of one condition that are compared with those of the store. */
const VAIN_MAX = 3
/** Characters of a name or a value that a warning repeats. */
const QUOTE_CHARS_MAX = 100
const DEPTH_MAX = 5

export interface HintDeps {
  queries: Pick<
    FilterQueries,
    'preparePresence' | 'prepareDistinct' | 'listNewest' | 'nextValue' | 'hasValue'
  >
  walks: Walks
}

export interface AbsentKey {
  key: string
  /** A key that products have instead. */
  meant: string | undefined
}

export type Hints = ReturnType<typeof createHints>

/** Finds what a filter asks for in vain, and what may have been meant. */
export function createHints({ queries, walks }: HintDeps) {
  /** Fields that a product of the store had: one that has lost its last product is only not reported. */
  const seen = new Map<string, Set<string>>()

  function note(storeId: string, field: string): void {
    const fields = seen.get(storeId) ?? new Set()
    seen.set(storeId, fields)
    if (fields.size >= KEYS_MAX) fields.clear()
    fields.add(field)
  }

  /** Those of some metadata fields that no product of the store has. Only these cost a look at every product. */
  async function listAbsent(storeId: string, fields: readonly string[]): Promise<string[]> {
    let missing = fields.filter((field) => !seen.get(storeId)?.has(field))
    const look = (): ReturnType<typeof queries.preparePresence> => queries.preparePresence(missing)
    if (missing.length === 0) return []
    let read = look()
    await walks.alongStore(storeId, { of: 'store' }, (stretch) => {
      const found = read(storeId, stretch)
      const left = missing.filter((_, n) => found[n] !== 1)
      if (left.length === missing.length) return true
      for (const field of missing) if (!left.includes(field)) note(storeId, field)
      missing = left
      if (missing.length === 0) return false
      read = look()
      return true
    })
    return missing
  }

  function* listColumn(storeId: string, field: 'category' | 'brand'): Generator<string, void> {
    let after = ''
    for (let n = 0; n < VALUES_MAX; n++) {
      const next = queries.nextValue(storeId, field, after)
      if (!next) return
      yield next.spelled
      after = next.folded
    }
  }

  /** The different scalars of a field, also those in lists. */
  async function listValues(storeId: string, field: string): Promise<(string | number | boolean)[]> {
    const values = new Map<string, string | number | boolean>()
    const read = queries.prepareDistinct(field)
    await walks.alongStore(storeId, { of: 'store' }, (stretch) => {
      for (const json of read(storeId, stretch)) {
        if (values.size >= VALUES_MAX) return false
        if (json === null || json.length > 8 * VALUE_CHARS_MAX) continue
        for (const value of [JSON.parse(json)].flat()) {
          if (typeof value !== 'object' && String(value).length <= VALUE_CHARS_MAX)
            values.set(JSON.stringify(value), value)
        }
      }
      return true
    })
    return [...values.values()]
  }

  function describeValue(field: string, given: unknown, values: readonly unknown[]): string {
    const name = `${field} ${quote(String(given))} occurs in 0 products`
    const text = String(given)
    const twin = values.find((value) => typeof value !== typeof given && fold(String(value)) === fold(text))
    if (twin !== undefined) return `${name}; did you mean the ${typeof twin} ${JSON.stringify(twin)}?`
    if (typeof given !== 'string') return name
    const near = findNearestWord(
      text,
      values.filter((value) => typeof value === 'string'),
    )
    return near === undefined ? name : `${name}; did you mean ${quote(near)}?`
  }

  /** Values that no product has, of the conditions on one field. */
  async function listVain(
    storeId: string,
    field: string,
    { given }: Scalars,
    isEmpty: boolean,
  ): Promise<string[]> {
    if (isIndexed(field)) {
      const vain = given.filter(
        (value) => typeof value !== 'string' || !queries.hasValue(storeId, field, fold(value)),
      )
      if (vain.length === 0) return []
      const values = [...listColumn(storeId, field)]
      return vain.slice(0, VAIN_MAX).map((value) => describeValue(field, value, values))
    }
    // Without an index this costs a look at every product, and is worth it where nothing was found.
    if (!isEmpty) return []
    const values = await listValues(storeId, field)
    if (values.length >= VALUES_MAX) return []
    const known = new Set(values.map((value) => keyOf(value)))
    const vain = given.filter((value) => !known.has(keyOf(value)))
    return vain.slice(0, VAIN_MAX).map((value) => describeValue(field, value, values))
  }

  const findMeant = (storeId: string, field: string): string | undefined =>
    findNearestWord(field, listKeys(queries.listNewest(storeId, SAMPLE)))

  function describeField(storeId: string, field: string): string {
    const name = `field ${quote(field)} occurs in 0 products`
    const near = findMeant(storeId, field)
    return near === undefined ? name : `${name}; did you mean ${quote(near)}?`
  }

  return {
    /** Warnings about a filter. @param matched the number of products that pass. */
    async list(storeId: string, filter: Filter, matched: number): Promise<string[]> {
      const fields = new Set<string>()
      const compared = new Map<string, Scalars>()
      for (const condition of listConditions(filter.root)) {
        if ('near' in condition || condition.field.kind === 'own') continue
        const { field, test } = condition
        fields.add(field.name)
        if (test.op === 'equals' && !compared.has(field.name)) compared.set(field.name, test)
      }
      const absent = await listAbsent(storeId, [...fields])
      const warnings = absent.slice(0, WARNINGS_MAX).map((field) => describeField(storeId, field))
      let walked = 0
      for (const [field, scalars] of compared) {
        if (warnings.length >= WARNINGS_MAX) break
        if (absent.includes(field)) continue
        const isEmpty = matched === 0 && walked < FIELDS_MAX
        if (!isIndexed(field)) walked++
        warnings.push(...(await listVain(storeId, field, scalars, isEmpty)))
      }
      return warnings.slice(0, WARNINGS_MAX)
    },

    /** Those of some metadata keys that no product of a store has, with what may have been meant. None of an empty store. */
    async findAbsentKeys(storeId: string, keys: readonly string[]): Promise<AbsentKey[]> {
      if (keys.length === 0 || queries.listNewest(storeId, 1).length === 0) return []
      const absent = await listAbsent(storeId, keys)
      return absent.map((key) => ({ key, meant: findMeant(storeId, key) }))
    },

    forgetStore: (storeId: string): void => void seen.delete(storeId),
  }
}

const isIndexed = (field: string): field is 'category' | 'brand' => field === 'category' || field === 'brand'

const keyOf = (value: unknown): string => (typeof value === 'string' ? `"${fold(value)}` : String(value))

const quote = (text: string): string =>
  `'${text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX).toWellFormed()}…` : text}'`

/** The names of all fields of some products, nested ones with dots. */
function listKeys(products: readonly Record<string, unknown>[]): Set<string> {
  const keys = new Set<string>()
  const add = (object: Record<string, unknown>, before: string, depth: number): void => {
    for (const key in object) {
      if (keys.size >= KEYS_MAX) return
      const name = before + key
      if (name.length > QUOTE_CHARS_MAX) continue
      keys.add(name)
      const value = object[key]
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      if (isObject && depth < DEPTH_MAX) add(value as Record<string, unknown>, `${name}.`, depth + 1)
    }
  }
  for (const product of products) add(product, '', 1)
  return keys
}
