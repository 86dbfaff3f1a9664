import { findBlame } from '../../../core/blame.ts'
import { LIMITS } from '../../../core/limits.ts'
import { inOneModel, ModelSwitched } from '../../../core/switched.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { ForeignJobs } from '../../catalogue/jobs/foreign-jobs.ts'
import type { Base } from '../../module.ts'
import type { SearchService } from '../search/service.ts'
import type { CheckQueries, CheckRow } from './queries.ts'
import type { CheckResult } from './schema.ts'

export interface CheckRunnerDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'defer' | 'reportFault' | 'gate'> {
  queries: Pick<CheckQueries, 'findNext' | 'readPicture' | 'finish' | 'dequeue'>
  search: Pick<SearchService, 'byText' | 'byUrl'>
  models: Pick<ModelSet, 'inUse' | 'of'>
  jobs: Pick<ForeignJobs, 'isOpen' | 'count'>
  /** The name of the model that answers the searches of a store. */
  nameModel(storeId: string): string
  /** Aborts when the program ends. */
  stop: AbortSignal | undefined
}

/** The pause after a failure that no check is to blame for. */
const PAUSE_MS = 15_000
/** The longest rest after a check. */
const REST_MS_MAX = 1_000

/**
 * Runs the checks that wait: one at a time of all stores, in turns between them, and with a rest after each that is as long
 * as the check took. So a run of a hundred takes at most half of one place in the model's queue from shoppers.
 *
 * What waits stands in the table, and a result is written together with the count of its job: a run goes on after a crash.
 */
export function createCheckRunner(deps: CheckRunnerDeps) {
  const { queries, search, models, jobs, nameModel, clock, log, atomically, defer } = deps
  let isBusy = false
  let restUntil = Number.NEGATIVE_INFINITY
  let lastStore = ''

  async function answer({ id, storeId, query }: CheckRow): Promise<readonly { product_id: string }[]> {
    const searcher = { storeId, isUnlogged: true }
    const common = { limit: LIMITS.searchLimitMax, fields: [], analytics: false }
    if (query !== null) return (await search.byText(searcher, { ...common, query })).results
    const picture = queries.readPicture(storeId, id)
    if (!picture) return []
    // With the priority of a search, because the vector of an indexed picture may be another one.
    return inOneModel(async () => {
      const model = models.of(storeId)
      const { vector } = await model.embedder.embedPicture(picture, { priority: 'search', storeId })
      if (models.of(storeId) !== model) throw new ModelSwitched()
      return (await search.byUrl(searcher, { ...common, vector: [...vector] })).results
    })
  }

  async function judge(check: CheckRow): Promise<CheckResult> {
    const results = await answer(check)
    const found = check.expected.map((product_id) => {
      const place = results.findIndex((result) => result.product_id === product_id)
      return { product_id, rank: place === -1 ? null : place + 1 }
    })
    return { passed: found.every(({ rank }) => rank !== null && rank <= check.within), found, error: null }
  }

  /** Writes a result and counts it. A check that was deleted or cancelled meanwhile has none. */
  function write({ id, storeId }: CheckRow, job: string, model: string, result: CheckResult): void {
    atomically(() => {
      if (!queries.finish(storeId, id, { job, model, now: clock.now(), result })) return
      jobs.count(storeId, job, result.error ? { failed: 1 } : { succeeded: 1 })
    })
  }

  /** @returns the result that a failure is, or undefined if the check is not to blame and waits on. */
  function toResult(error: unknown): CheckResult | undefined {
    const blame = findBlame(error)
    if (blame.on === 'program') {
      log.error({ err: error }, 'a saved check failed')
      return failedBy({ code: 'internal_error', message: 'Something went wrong' })
    }
    if (blame.on === 'storage') deps.reportFault(blame.failure)
    return blame.on === 'work' ? failedBy(blame.failure) : undefined
  }

  async function run(check: CheckRow, job: string): Promise<void> {
    if (!jobs.isOpen(check.storeId, job)) {
      atomically(() => {
        const cancelled = queries.dequeue(check.storeId, job)
        jobs.count(check.storeId, job, { cancelled })
      })
      return
    }
    const startedAt = clock.monotonic()
    const model = nameModel(check.storeId)
    const result = await judge(check).catch(toResult)
    // Another model has taken its place meanwhile: nobody can say which one answered, so the check is run once more.
    if (result && nameModel(check.storeId) === model) write(check, job, model, result)
    const restMs = result ? Math.min(clock.monotonic() - startedAt, REST_MS_MAX) : PAUSE_MS
    restUntil = clock.monotonic() + restMs
    // A timer may be up to a millisecond early.
    defer(wake, Math.ceil(restMs) + 1)
  }

  /** Runs the next check, and the others after it. Call it every second; it costs one look at an index while none waits. */
  async function wake(): Promise<void> {
    const isResting = clock.monotonic() < restUntil
    if (isBusy || isResting || deps.stop?.aborted || models.inUse.embedder.status().state !== 'ready') return
    const check = queries.findNext(lastStore) ?? queries.findNext('')
    if (check?.waitingFor == null) return
    lastStore = check.storeId
    const leave = deps.gate.tryEnter(check.storeId)
    if (!leave) return
    isBusy = true
    try {
      await run(check, check.waitingFor)
    } catch (error) {
      // Nothing can be written at present.
      deps.reportFault(error)
      restUntil = clock.monotonic() + PAUSE_MS
      log.warn({ err: error }, 'the result of a saved check could not be written')
    } finally {
      leave()
      isBusy = false
    }
  }

  return { wake }
}

const failedBy = ({ code, message }: { code: string; message: string }): CheckResult => ({
  passed: false,
  found: [],
  error: { error: code, message },
})
