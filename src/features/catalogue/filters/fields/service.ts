import { BoundedMap } from '../../../../core/bounded-map.ts'
import { type Clock, isoTime } from '../../../../core/clock.ts'
import { createKeyedLock } from '../../../../core/keyed-lock.ts'
import type { HintQueries } from '../hint-queries.ts'
import type { StoreState } from '../kept.ts'
import type { Walks } from '../walk.ts'
import { createFieldCounter, describeField } from './counter.ts'
import type { StoreField, StoreFields } from './schema.ts'

export interface FieldsDeps {
  queries: Pick<HintQueries, 'prepareMetadata'>
  walks: Pick<Walks, 'alongStore' | 'alongItems'>
  clock: Pick<Clock, 'now' | 'monotonic'>
  readState(storeId: string): StoreState
}

/** Stores whose counts are kept; one takes 20 KB, and 600 KB at most. */
const KEPT_MAX = 50
/** A store that changes all the time is counted anew as often as this, and at most for a hundredth of the time. */
const FRESH_MS = 10_000
const DUTY = 100
/** For the walk, which takes fewer products a step where each has more fields. */
const FIELDS_A_PRODUCT = 40

interface Counted {
  state: StoreState
  at: number
  tookMs: number
  fields: StoreFields
}

export type FieldsService = ReturnType<typeof fieldsService>

/** Counts which fields the products of a store have, and which values (contract 4.15). */
export function fieldsService({ queries, walks, clock, readState }: FieldsDeps) {
  const kept = new BoundedMap<string, Counted>(KEPT_MAX)
  // One walk of a store at a time: others wait, and then find what they look for.
  const locked = createKeyedLock()

  function findKept(storeId: string, maxAgeMs: number): StoreFields | undefined {
    const found = kept.get(storeId)
    if (!found) return undefined
    const { change, others } = readState(storeId)
    const isPresent = found.state.change === change && found.state.others === others
    return isPresent || clock.now() - found.at < Math.max(maxAgeMs, DUTY * found.tookMs)
      ? found.fields
      : undefined
  }

  async function count(storeId: string): Promise<StoreFields> {
    const [state, at, begin] = [readState(storeId), clock.now(), clock.monotonic()]
    const counter = createFieldCounter()
    const read = queries.prepareMetadata()
    await walks.alongStore(
      storeId,
      { of: 'store' },
      (stretch) => {
        for (const json of read(storeId, stretch)) counter.add(JSON.parse(json) as Record<string, unknown>)
        return true
      },
      FIELDS_A_PRODUCT,
    )
    const { fields: counted, hasAllFields, products } = counter.finish()
    const fields: StoreField[] = []
    await walks.alongItems(counted, (field) => void fields.push(describeField(field)))
    const answer = { fields, has_all_fields: hasAllFields, products, counted_at: isoTime(at) }
    kept.set(storeId, { state, at, tookMs: clock.monotonic() - begin, fields: answer })
    return answer
  }

  return {
    /**
     * GET /v1/store/fields. What was counted is kept until a product changes, and then for some seconds more.
     *
     * @param maxAgeMs how old a count may be although products have changed since.
     */
    read(storeId: string, maxAgeMs = FRESH_MS): Promise<StoreFields> {
      const known = findKept(storeId, maxAgeMs)
      if (known) return Promise.resolve(known)
      return locked(storeId, async () => findKept(storeId, maxAgeMs) ?? count(storeId))
    },

    /** What was counted last, however old. */
    findCounted: (storeId: string): StoreFields | undefined => kept.get(storeId)?.fields,

    forgetStore: (storeId: string): void => void kept.delete(storeId),
  }
}
