import { fold } from '../../../core/text.ts'
import type { Scalars } from './filter.ts'
import type { HintQueries } from './hint-queries.ts'
import { CANDIDATE_CHARS_MAX, findNearestWord, quote } from './nearest-word.ts'
import type { Walks } from './walk.ts'

/** Different values of a field that are compared. */
const VALUES_MAX = 1_000
/** Values of one condition that are compared with those of the store. */
const VAIN_MAX = 3

export interface ValueHintDeps {
  queries: Pick<HintQueries, 'prepareDistinct' | 'nextValue' | 'nextLevel' | 'hasValue'>
  walks: Walks
}

/** Finds the values that no product of a store has in a field, and those that may have been meant. */
export function createValueHints({ queries, walks }: ValueHintDeps) {
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

  async function describeValue(field: string, given: unknown, values: readonly unknown[]): Promise<string> {
    const name = `${field} ${quote(String(given))} occurs in 0 products`
    const text = String(given)
    const twin = values.find((value) => typeof value !== typeof given && fold(String(value)) === fold(text))
    if (twin !== undefined) return `${name}; did you mean the ${typeof twin} ${JSON.stringify(twin)}?`
    if (typeof given !== 'string') return name
    const near = await findNearestWord(walks, text, values)
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

  /**
   * Warnings about values that no product has, of the conditions on one field.
   *
   * @param isEmpty whether the filter found nothing.
   */
  async function describeVain(
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
    // Without an index this costs a scan of every product, and is worth it where nothing was found.
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

  return { describeVain }
}

/** Fields whose values are found by an index. */
export const isIndexed = (field: string): field is 'category' | 'brand' =>
  field === 'category' || field === 'brand'

const keyOf = (value: unknown): string => (typeof value === 'string' ? `"${fold(value)}` : String(value))

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
