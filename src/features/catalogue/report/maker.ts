import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import { eachAlone } from '../../../core/each-alone.ts'
import { ApiError } from '../../../core/errors.ts'
import { turn } from '../../../core/turns.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { ProductIndex } from '../product-index/product-index.ts'
import { findWrongCategories } from './categories.ts'
import { findWrongColours } from './colours.ts'
import type { Found } from './found.ts'
import { findDeadLinks } from './links.ts'
import type { ReportQueries } from './queries.ts'
import { findSharedPictures } from './shared.ts'
import { findTwins } from './twins.ts'
import { walkProducts } from './walk.ts'

export interface ReportMakerDeps extends Pick<Base, 'clock' | 'log' | 'withoutFsync' | 'gate'> {
  queries: ReportQueries
  index: Pick<ProductIndex, 'findStore'>
  models: Pick<ModelSet, 'of'>
  /** The similarity from which on two pictures show the same product; null if the store does not want to know. */
  readThreshold(storeId: string): number | null
  /** The day of a moment in the zone of a store. */
  dayOf(storeId: string, ms: number): number
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
}

/** A report as its row keeps it. */
export interface KeptReport {
  products: number
  compared: number
  /** Without kinds of which nothing was found. */
  findings: Found[]
}

const STEP_MS = 6
/** A new report of a store is made no sooner. */
const REST_MS = 5 * MINUTE_MS
/** In the zone of the store its night's report is made from three o'clock on. */
const NIGHT_BEGINS_MS = 3 * HOUR_MS
const ASKED_AT_ONCE = 20

class Stopped extends Error {}

/**
 * Makes the reports, one store after another: first those that somebody waits for, in the order of their wishes, and by
 * night those of stores whose products or jobs changed. A store of a million products takes minutes, in steps of some
 * milliseconds, and between two stores of the night those that somebody has asked for meanwhile come first.
 */
export function createReportMaker(deps: ReportMakerDeps) {
  const { queries, index, models, clock, log, withoutFsync, gate, readThreshold, dayOf, stop } = deps
  let running: Promise<void> | undefined

  function createBreath(): () => Promise<void> {
    let begin = clock.monotonic()
    return async () => {
      if (stop?.aborted) throw new Stopped()
      if (clock.monotonic() - begin < STEP_MS) return
      await turn()
      begin = clock.monotonic()
    }
  }

  async function look(storeId: string): Promise<KeptReport> {
    const breathe = createBreath()
    const links = await findDeadLinks(queries, storeId, breathe)
    const { found: same, products: shared } = await findSharedPictures(queries, storeId, breathe)
    const { tiny, wordless, prints, products } = await walkProducts(queries, storeId, breathe)
    const findings = [links, same, tiny, wordless]
    const store = index.findStore(storeId)
    const { embedder } = models.of(storeId)
    let compared = 0
    if (store) {
      const categories = await findWrongCategories(queries, store, embedder, shared, breathe)
      compared = categories.compared
      findings.push(categories.found, await findWrongColours(queries, store, shared, breathe))
      const threshold = readThreshold(storeId)
      const { image_image: map } = embedder.calibration
      const { dimension } = embedder.model
      if (threshold !== null)
        findings.push(await findTwins(queries, store, { prints, map, dimension, threshold, shared }, breathe))
    }
    return { products, compared, findings: findings.filter(({ count }) => count > 0) }
  }

  async function make(storeId: string): Promise<void> {
    // What changes while it is made belongs to the next one.
    const madeAt = clock.now()
    if (gate.isPaused(storeId)) return
    const report = await look(storeId)
    // The next run makes it anew.
    if (gate.isPaused(storeId)) return
    withoutFsync(() => queries.save(storeId, report, madeAt))
  }

  const tell = (err: unknown, storeId: string): void => {
    if (err instanceof Stopped) return
    // A model that is not ready or too busy: the next run tries again.
    if (err instanceof ApiError) log.debug({ err, store_id: storeId }, 'a catalogue report waits')
    else log.error({ err, store_id: storeId }, 'the catalogue report of a store could not be made')
  }

  const makeAsked = (): Promise<void> =>
    eachAlone(queries.listAsked(clock.now() - REST_MS, ASKED_AT_ONCE), make, tell)

  /** The day of a store, which begins when its night's report may be made. */
  const nightOf = (storeId: string, ms: number): number => dayOf(storeId, ms - NIGHT_BEGINS_MS)

  function isDue(storeId: string): boolean {
    const madeAt = queries.find(storeId)?.madeAt ?? null
    if (madeAt === null) return queries.hasChanged(storeId, 0)
    return nightOf(storeId, madeAt) < nightOf(storeId, clock.now()) && queries.hasChanged(storeId, madeAt)
  }

  async function makeDue(): Promise<void> {
    await eachAlone(
      queries.listStores(),
      async (storeId) => {
        if (stop?.aborted || !isDue(storeId)) return
        await make(storeId)
        await makeAsked()
      },
      tell,
    )
  }

  /** One run at a time. */
  function alone(work: () => Promise<void>): Promise<void> {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    /** Makes the reports that somebody waits for. */
    wake: (): Promise<void> => alone(makeAsked),
    /** Makes the reports of the night as well. Call it every few minutes. */
    run: (): Promise<void> =>
      alone(async () => {
        await makeAsked()
        await makeDue()
      }),
  }
}
