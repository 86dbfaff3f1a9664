import { BoundedMap } from '../../../core/bounded-map.ts'
import { type Clock, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { eachAlone } from '../../../core/each-alone.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { Priors } from '../search/legs/clicks.ts'
import type { LearningQueries } from './queries.ts'
import { CLICKS_NEEDED, type Learning } from './schema.ts'
import type { Trainer } from './trainer.ts'

export interface LearningDeps extends Pick<Base, 'log' | 'withoutFsync' | 'gate'> {
  queries: LearningQueries
  trainer: Trainer
  clock: Pick<Clock, 'now' | 'monotonic'>
  /** Writes the queued searches and events of a store. */
  flush(storeId: string): void
  /** The day of a store on which a moment falls. */
  dayOf(storeId: string, ms: number): number
  /** Whether the store has switched learning on. */
  isOn(storeId: string): boolean
  /** What the last replay with learning showed; null before the first one. */
  findGain(storeId: string): number | null
  /** Days that searches are kept. */
  days: number
}

/** Stores whose priors are kept in memory, and for how long, because products come and go. */
const STORES_MAX = 1_000
const KEPT_MS = 5 * MINUTE_MS

export type LearningService = ReturnType<typeof learningService>

/** What a store learns of its products from the clicks of shoppers (contract 3.21). */
export function learningService(deps: LearningDeps) {
  const { queries, trainer, clock, flush, dayOf, isOn, findGain, days, log, withoutFsync } = deps
  const known = new BoundedMap<string, { until: number; priors: Priors | undefined }>(STORES_MAX)
  /** Stores that learn at present. */
  const busy = new Set<string>()

  /** By the rows of products; one that is gone has none. */
  function toPriors(storeId: string, gains: ReadonlyMap<string, number>): Priors {
    const products = queries.findProducts(storeId, [...gains.keys()])
    return new Map(Array.from(products, ([row, productId]) => [row, gains.get(productId) ?? 0]))
  }

  async function learn(storeId: string): Promise<void> {
    if (busy.has(storeId) || deps.gate.isPaused(storeId)) return
    busy.add(storeId)
    try {
      flush(storeId)
      const madeAt = clock.now()
      const gains = await trainer.train(storeId, madeAt)
      // The store may be gone meanwhile, or want it no longer.
      if (!isOn(storeId)) return
      const kept = new Set(queries.findProducts(storeId, [...gains.keys()]).values())
      const priors = Object.fromEntries([...gains].filter(([productId]) => kept.has(productId)))
      // The next run learns it.
      if (deps.gate.isPaused(storeId)) return
      withoutFsync(() => queries.save(storeId, { priors, madeAt }))
      known.delete(storeId)
    } finally {
      busy.delete(storeId)
    }
  }

  function read(storeId: string): Pick<Learning, 'clicks' | 'needed' | 'replay_gain' | 'can_learn'> {
    const since = dayOf(storeId, clock.now()) - days
    const clicks = queries.countClicks(storeId, since)
    const gain = findGain(storeId)
    const can_learn = clicks >= CLICKS_NEEDED && gain !== null && gain > 0
    return { clicks, needed: CLICKS_NEEDED, replay_gain: gain, can_learn }
  }

  return {
    /** What products gain in the searches of a store; undefined unless the store has learned. */
    findPriors(storeId: string): Priors | undefined {
      const now = clock.monotonic()
      const kept = known.get(storeId)
      if (kept && kept.until > now) return kept.priors
      const row = queries.find(storeId)
      const priors = row && toPriors(storeId, new Map(Object.entries(row.priors)))
      known.set(storeId, { until: now + KEPT_MS, priors })
      return priors
    },

    /** What products would gain if the store had learned from the searches before a moment. */
    trainUntil: async (storeId: string, before: number): Promise<Priors> =>
      toPriors(storeId, await trainer.train(storeId, before)),

    /** GET /v1/search/learning. */
    show(storeId: string): Learning {
      flush(storeId)
      const row = queries.find(storeId)
      return {
        learn: isOn(storeId),
        ...read(storeId),
        products: row ? Object.keys(row.priors).length : 0,
        learned_at: row ? isoTime(row.madeAt) : null,
      }
    },

    /** @throws ApiError `conflict` for a store that has too few clicks, or whose replay has shown no gain. */
    demand(storeId: string): void {
      flush(storeId)
      const { can_learn, ...details } = read(storeId)
      if (!can_learn) throw new ApiError('conflict', explain(details), { details })
    },

    learn,

    /** Lets stores learn that have not done so on their day. Call it every hour. */
    async run(): Promise<void> {
      const now = clock.now()
      const isDue = (storeId: string) => {
        const madeAt = queries.findMadeAt(storeId)
        return madeAt === undefined || dayOf(storeId, madeAt) < dayOf(storeId, now)
      }
      await eachAlone(queries.listLearners().filter(isDue), learn, (err, storeId) =>
        log.error({ err, store_id: storeId }, 'a store could not learn from its clicks'),
      )
    },

    forgetStore: (storeId: string): void => void known.delete(storeId),
  }
}

function explain({
  clicks,
  needed,
  replay_gain,
}: Pick<Learning, 'clicks' | 'needed' | 'replay_gain'>): string {
  const missing = needed - clicks
  if (missing > 0)
    return `Learning needs ${needed} clicks on results; ${missing === 1 ? '1 is' : `${missing} are`} missing`
  return replay_gain === null
    ? 'Learning must show a gain first: POST /v1/search/replay with {"settings": {"learn": true}}'
    : 'The last replay with learning showed no gain'
}
