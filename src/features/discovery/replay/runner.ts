import { findBlame } from '../../../core/blame.ts'
import { BoundedMap } from '../../../core/bounded-map.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { ForeignJobs } from '../../catalogue/jobs/foreign-jobs.ts'
import type { Base } from '../../module.ts'
import type { Priors } from '../search/legs/clicks.ts'
import { type createAsking, triesLearning } from './asking.ts'
import { addPair, type Pair } from './comparing.ts'
import type { ReplayQueries, ReplayRow } from './queries.ts'

export interface ReplayRunnerDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync' | 'defer' | 'reportFault' | 'gate'> {
  queries: ReplayQueries
  ask: ReturnType<typeof createAsking>
  models: Pick<ModelSet, 'inUse'>
  jobs: Pick<ForeignJobs, 'isOpen' | 'count'>
  /** What products would gain if the store had learned from the searches before a moment. */
  trainUntil(storeId: string, before: number): Promise<Priors>
  /** Aborts when the program ends. */
  stop: AbortSignal | undefined
}

/** The pause after a failure that no search is to blame for. */
const PAUSE_MS = 15_000
/** The rest after a search, as a multiple of the time that it took, and at most. */
const REST = 3
const REST_MS_MAX = 3_000
/** Replays whose learning is kept in memory; it is learned again where it was dropped. */
const LEARNED_MAX = 20

/** A search that could not be made again. */
type Failed = 'failed'

/**
 * Makes the searches of replays again: one at a time of all stores, in turns between them, and with a rest after each that is
 * three times as long as it took. So a replay takes at most a quarter of one core, and its words wait behind everybody's.
 *
 * What waits stands in the table, and a search leaves it together with what it adds to the result and to the count of the job: a
 * replay goes on after a crash, and counts no search twice.
 */
export function createReplayRunner(deps: ReplayRunnerDeps) {
  const { queries, ask, models, jobs, clock, log, atomically, withoutFsync, defer } = deps
  const learned = new BoundedMap<string, Priors>(LEARNED_MAX)
  let isBusy = false
  let restUntil = Number.NEGATIVE_INFINITY
  let lastStore = ''

  /**
   * What the store would have learned before the first of the searches that are made again: with the clicks that follow from
   * learning, its gain would flatter.
   */
  async function learn({ jobId, storeId, settings, oldestAt }: ReplayRow): Promise<Priors | undefined> {
    if (!triesLearning(settings) || oldestAt === null) return undefined
    const known = learned.get(jobId) ?? (await deps.trainUntil(storeId, oldestAt))
    learned.set(jobId, known)
    return known
  }

  /** @throws what a search throws. */
  async function compare(replay: ReplayRow, searchId: string): Promise<Pair | Failed> {
    const { storeId, settings } = replay
    const search = queries.findSearch(storeId, searchId)
    // It was erased meanwhile.
    if (!search) return 'failed'
    const before = await ask(storeId, search)
    const after = await ask(storeId, search, settings, await learn(replay))
    const productId = search.parameters['product_id']
    return {
      ...{ query: search.query, productId: typeof productId === 'string' ? productId : null },
      ...{ before, after, clicked: queries.listClicked(storeId, searchId) },
    }
  }

  /** @returns undefined if the search is not to blame and waits on. */
  function toFailed(error: unknown): Failed | undefined {
    const blame = findBlame(error)
    if (blame.on === 'storage') deps.reportFault(blame.failure)
    if (blame.on === 'program') log.error({ err: error }, 'a search could not be made again')
    return blame.on === 'program' || blame.on === 'work' ? 'failed' : undefined
  }

  /** Takes a search out of those that wait, and counts it. */
  function write({ storeId, jobId }: ReplayRow, place: number, outcome: Pair | Failed): void {
    atomically(() => {
      if (!queries.removeSearch(jobId, place)) return
      const replay = queries.find(storeId, jobId) as ReplayRow
      if (outcome !== 'failed') queries.setResult(jobId, addPair(replay.result, outcome))
      if (replay.left === 0) queries.finish(jobId, clock.now(), false)
      jobs.count(storeId, jobId, outcome === 'failed' ? { failed: 1 } : { succeeded: 1 })
    })
  }

  /** Ends a replay that has nothing left to do, or that nobody wants any more. Joins a transaction. */
  function end({ storeId, jobId }: ReplayRow): void {
    const cancelled = queries.removeSearches(jobId)
    queries.finish(jobId, clock.now(), cancelled > 0)
    jobs.count(storeId, jobId, { cancelled })
  }

  async function run(replay: ReplayRow): Promise<void> {
    const { storeId, jobId } = replay
    const next = jobs.isOpen(storeId, jobId) ? queries.findNextSearch(jobId) : undefined
    if (!next) {
      atomically(() => end(replay))
      return
    }
    const startedAt = clock.monotonic()
    const outcome = await compare(replay, next.searchId).catch(toFailed)
    // The last one ends the job, which may send a callback.
    if (outcome) {
      const store = () => write(replay, next.place, outcome)
      if (replay.left > 1) withoutFsync(store)
      else store()
    }
    const restMs = outcome ? Math.min(REST * (clock.monotonic() - startedAt), REST_MS_MAX) : PAUSE_MS
    restUntil = clock.monotonic() + restMs
    // A timer may be up to a millisecond early.
    defer(wake, Math.ceil(restMs) + 1)
  }

  /** Makes the next search again, and the others after it. Call it every second. */
  async function wake(): Promise<void> {
    const isResting = clock.monotonic() < restUntil
    if (isBusy || isResting || deps.stop?.aborted || models.inUse.embedder.status().state !== 'ready') return
    const replay = queries.findNext(lastStore) ?? queries.findNext('')
    if (!replay) return
    lastStore = replay.storeId
    const leave = deps.gate.tryEnter(replay.storeId)
    if (!leave) return
    isBusy = true
    try {
      await run(replay)
    } catch (error) {
      // Nothing can be written at present.
      deps.reportFault(error)
      restUntil = clock.monotonic() + PAUSE_MS
      log.warn({ err: error }, 'the result of a replay could not be written')
    } finally {
      leave()
      isBusy = false
    }
  }

  return { wake, end }
}
