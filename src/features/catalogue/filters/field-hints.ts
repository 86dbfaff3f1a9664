import { BoundedMap } from '../../../core/bounded-map.ts'
import type { HintQueries } from './hint-queries.ts'
import { CANDIDATE_CHARS_MAX, findNearestWord, quote } from './nearest-word.ts'
import type { Stretch } from './stretch-queries.ts'
import type { Walks } from './walk.ts'

/** Products whose keys are proposed. */
const SAMPLE = 200
/** Keys of one store that are proposed, and fields that are known to occur. */
const KEYS_MAX = 1_000
const DEPTH_MAX = 5

export interface FieldHintDeps {
  queries: Pick<HintQueries, 'preparePresence' | 'listNewest'>
  walks: Walks
}

export interface AbsentKey {
  key: string
  /** A key that products have instead. */
  meant: string | undefined
}

/** Finds the metadata fields that no product of a store has, and those that may have been meant. */
export function createFieldHints({ queries, walks }: FieldHintDeps) {
  /** Fields that a product of the store had: one that has lost its last product is only not reported. */
  const seen = new Map<string, BoundedMap<string, true>>()

  function remember(storeId: string, field: string): void {
    const fields = seen.get(storeId) ?? new BoundedMap<string, true>(KEYS_MAX)
    seen.set(storeId, fields)
    fields.set(field, true)
  }

  /** Those of some metadata fields that no product of the store has. Only these cost a scan of every product. */
  async function listAbsent(storeId: string, fields: readonly string[]): Promise<string[]> {
    let missing = fields.filter((field) => !seen.get(storeId)?.has(field))
    const prepare = (): ReturnType<typeof queries.preparePresence> => queries.preparePresence(missing)
    if (missing.length === 0) return []
    let read = prepare()
    const visit = (stretch: Stretch): boolean => {
      const found = read(storeId, stretch)
      const left = missing.filter((_, n) => found[n] !== 1)
      if (left.length === missing.length) return true
      for (const field of missing) if (!left.includes(field)) remember(storeId, field)
      missing = left
      if (missing.length === 0) return false
      read = prepare()
      return true
    }
    await walks.alongStore(storeId, { of: 'store' }, visit, missing.length)
    return missing
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

  /** Warnings about fields that no product has. */
  async function describeAbsent(storeId: string, fields: readonly string[]): Promise<string[]> {
    if (fields.length === 0) return []
    const keys = await listKeys(storeId)
    const described: string[] = []
    for (const field of fields) {
      const name = `field ${quote(field)} occurs in 0 products`
      const near = await findNearestWord(walks, field, keys)
      described.push(near === undefined ? name : `${name}; did you mean ${quote(near)}?`)
    }
    return described
  }

  return {
    listAbsent,
    describeAbsent,

    /** Those of some metadata keys that no product of a store has, with what may have been meant. None of an empty store. */
    async findAbsentKeys(storeId: string, keys: readonly string[]): Promise<AbsentKey[]> {
      if (keys.length === 0 || queries.listNewest(storeId, 1).length === 0) return []
      const absent = await listAbsent(storeId, keys)
      const known = await listKeys(storeId)
      const found: AbsentKey[] = []
      for (const key of absent) found.push({ key, meant: await findNearestWord(walks, key, known) })
      return found
    },

    forgetStore: (storeId: string): void => void seen.delete(storeId),
  }
}

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
