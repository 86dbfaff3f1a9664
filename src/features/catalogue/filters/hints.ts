import { BoundedMap } from '../../../core/bounded-map.ts'
import { fold } from '../../../core/text.ts'
import { type Filter, listConditions, type Scalars } from './filter.ts'
import { CANDIDATE_CHARS_MAX, createNearestWord } from './nearest-word.ts'
import type { FilterQueries, Stretch } from './queries.ts'
import type { Walks } from './walk.ts'

/** Products in which fields are looked for before a whole store is, and whose keys are proposed. */
const SAMPLE = 200
/** Fields of one filter whose values are looked for in a whole store. */
const FIELDS_MAX = 3
/** Different values of a field that are looked at. */
const VALUES_MAX = 1_000
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
    'preparePresence' | 'prepareDistinct' | 'listNewest' | 'nextValue' | 'nextLevel' | 'hasValue'
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
  const seen = new Map<string, BoundedMap<string, true>>()

  function note(storeId: string, field: string): void {
    const fields = seen.get(storeId) ?? new BoundedMap<string, true>(KEYS_MAX)
    seen.set(storeId, fields)
    fields.set(field, true)
  }

  /** Those of some metadata fields that no product of the store has. Only these cost a look at every product. */
  async function listAbsent(storeId: string, fields: readonly string[]): Promise<string[]> {
    let missing = fields.filter((field) => !seen.get(storeId)?.has(field))
    const look = (): ReturnType<typeof queries.preparePresence> => queries.preparePresence(missing)
    if (missing.length === 0) return []
    let read = look()
    const visit = (stretch: Stretch): boolean => {
      const found = read(storeId, stretch)
      const left = missing.filter((_, n) => found[n] !== 1)
      if (left.length === missing.length) return true
      for (const field of missing) if (!left.includes(field)) note(storeId, field)
      missing = left
      if (missing.length === 0) return false
      read = look()
      return true
    }
    await walks.alongStore(storeId, { of: 'store' }, visit, missing.length)
    return missing
  }

  function* walkColumn(storeId: string, field: 'category' | 'brand'): Generator<string, void> {
    yield* walkValues((after) => queries.nextValue(storeId, field, after))
    if (field === 'category') yield* walkValues((after) => queries.nextLevel(storeId, after))
  }

  /** The different values of an indexed field; of categories also the levels above them. */
  async function listColumn(storeId: string, field: 'category' | 'brand'): Promise<string[]> {
    const values: string[] = []
    await walks.alongItems(walkColumn(storeId, field), (value) => {
      if (value.length <= CANDIDATE_CHARS_MAX) values.push(value)
    })
    return values
  }

  /** The different scalars of a field, also those in lists. */
  async function listValues(storeId: string, field: string): Promise<(string | number | boolean)[]> {
    const values = new Map<string, string | number | boolean>()
    const read = queries.prepareDistinct(field)
    await walks.alongStore(storeId, { of: 'store' }, (stretch) => {
      for (const json of read(storeId, stretch)) {
        if (values.size >= VALUES_MAX) return false
        if (json === null || json.length > 8 * CANDIDATE_CHARS_MAX) continue
        for (const value of [JSON.parse(json)].flat()) {
          if (typeof value !== 'object' && String(value).length <= CANDIDATE_CHARS_MAX)
            values.set(JSON.stringify(value), value)
        }
      }
      return true
    })
    return [...values.values()]
  }

  async function findNearest(word: string, candidates: Iterable<unknown>): Promise<string | undefined> {
    if (word.length > CANDIDATE_CHARS_MAX) return undefined
    const nearest = createNearestWord(word)
    await walks.alongItems(candidates, (candidate) => {
      if (typeof candidate === 'string') nearest.look(candidate)
    })
    return nearest.get()
  }

  async function describeValue(field: string, given: unknown, values: readonly unknown[]): Promise<string> {
    const name = `${field} ${quote(String(given))} occurs in 0 products`
    const text = String(given)
    const twin = values.find((value) => typeof value !== typeof given && fold(String(value)) === fold(text))
    if (twin !== undefined) return `${name}; did you mean the ${typeof twin} ${JSON.stringify(twin)}?`
    if (typeof given !== 'string') return name
    const near = await findNearest(text, values)
    return near === undefined ? name : `${name}; did you mean ${quote(near)}?`
  }

  async function describeAll(
    field: string,
    vain: readonly unknown[],
    values: readonly unknown[],
  ): Promise<string[]> {
    const described: string[] = []
    for (const value of vain.slice(0, VAIN_MAX)) described.push(await describeValue(field, value, values))
    return described
  }

  /** Values that no product has, of the conditions on one field. */
  async function listVain(
    storeId: string,
    field: string,
    { given }: Scalars,
    isEmpty: boolean,
  ): Promise<string[]> {
    if (isIndexed(field)) {
      const vain: (string | number | boolean)[] = []
      await walks.alongItems(given, (value) => {
        if (typeof value !== 'string' || !queries.hasValue(storeId, field, fold(value))) vain.push(value)
      })
      return vain.length === 0 ? [] : describeAll(field, vain, await listColumn(storeId, field))
    }
    // Without an index this costs a look at every product, and is worth it where nothing was found.
    if (!isEmpty) return []
    const values = await listValues(storeId, field)
    if (values.length >= VALUES_MAX) return []
    const known = new Set<string>()
    await walks.alongItems(values, (value) => void known.add(keyOf(value)))
    const vain: (string | number | boolean)[] = []
    await walks.alongItems(given, (value) => {
      if (!known.has(keyOf(value))) vain.push(value)
    })
    return describeAll(field, vain, values)
  }

  /** The names of all fields of the newest products, nested ones with dots. */
  async function listKeys(storeId: string): Promise<Set<string>> {
    const keys = new Set<string>()
    function* read(): Generator<string> {
      yield* queries.listNewest(storeId, SAMPLE)
    }
    await walks.alongItems(read(), (json) => addKeys(keys, JSON.parse(json), '', 1))
    return keys
  }

  async function describeFields(storeId: string, fields: readonly string[]): Promise<string[]> {
    if (fields.length === 0) return []
    const keys = await listKeys(storeId)
    const described: string[] = []
    for (const field of fields) {
      const name = `field ${quote(field)} occurs in 0 products`
      const near = await findNearest(field, keys)
      described.push(near === undefined ? name : `${name}; did you mean ${quote(near)}?`)
    }
    return described
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
      const warnings = await describeFields(storeId, absent.slice(0, WARNINGS_MAX))
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
      const known = await listKeys(storeId)
      const found: AbsentKey[] = []
      for (const key of absent) found.push({ key, meant: await findNearest(key, known) })
      return found
    },

    forgetStore: (storeId: string): void => void seen.delete(storeId),
  }
}

const isIndexed = (field: string): field is 'category' | 'brand' => field === 'category' || field === 'brand'

const keyOf = (value: unknown): string => (typeof value === 'string' ? `"${fold(value)}` : String(value))

const quote = (text: string): string =>
  `'${text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX).toWellFormed()}…` : text}'`

/** Adds the names of all fields of an object, nested ones with dots. */
function addKeys(keys: Set<string>, object: Record<string, unknown>, before: string, depth: number): void {
  for (const key in object) {
    if (keys.size >= KEYS_MAX) return
    const name = before + key
    if (name.length > CANDIDATE_CHARS_MAX) continue
    keys.add(name)
    const value = object[key]
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isObject && depth < DEPTH_MAX) addKeys(keys, value as Record<string, unknown>, `${name}.`, depth + 1)
  }
}

/** @param next gives the value that follows another one. */
function* walkValues(
  next: (after: string) => { folded: string; spelled: string } | undefined,
): Generator<string, void> {
  let after = ''
  for (let n = 0; n < VALUES_MAX; n++) {
    const value = next(after)
    if (!value) return
    yield value.spelled
    after = value.folded
  }
}
