import type { Actor } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import { decodeBase64, decodeDataUri } from '../../../core/data-uri.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { sizeInWords } from '../../../core/text.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import { validationError } from '../../../http/validation.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { ForeignJobs } from '../../catalogue/jobs/foreign-jobs.ts'
import type { JobStarted } from '../../catalogue/jobs/schema.ts'
import type { Base } from '../../module.ts'
import type { CheckQueries, CheckRow, StoreOfChecks } from './queries.ts'
import type {
  CheckBody,
  CheckStanding,
  CheckStandings,
  SearchCheck,
  SearchCheckList,
  StandingQuery,
} from './schema.ts'

export interface CheckDeps extends Pick<Base, 'clock' | 'ids' | 'atomically'> {
  queries: CheckQueries
  models: Pick<ModelSet, 'of'>
  hasProduct(storeId: string, productId: string): boolean
  jobs: Pick<ForeignJobs, 'start' | 'count'>
  /** Called once checks wait. */
  wake(): void
}

export type CheckService = ReturnType<typeof checkService>

/** Searches with the products that they should find, saved by the people of a store (contract 3.16). */
export function checkService({ queries, models, hasProduct, jobs, wake, clock, ids, atomically }: CheckDeps) {
  /** Reads a picture, and looks at it, so that a broken one is refused here and not in every run. */
  async function readPicture(storeId: string, image: string): Promise<Uint8Array> {
    const decode = image.startsWith('data:') ? decodeDataUri : decodeBase64
    const bytes = await decode(image, LIMITS.checkPictureBytesMax)
    await models.of(storeId).embedder.embedPicture(bytes, { priority: 'search', storeId })
    return bytes
  }

  /** Call it in the transaction that adds a check. @throws ApiError `conflict`. */
  function demandRoom(storeId: string, pictureBytes: number): void {
    const { checks, bytes } = queries.measure(storeId)
    const [most, limit] = [LIMITS.checksPerStore, LIMITS.checkPicturesBytesMax]
    if (checks >= most) throw full(`The store already has ${most} saved checks`, most)
    if (bytes + pictureBytes > limit)
      throw full(`The pictures of all saved checks may take ${sizeInWords(limit)}`, limit)
  }

  /** @throws ApiError `validation_error` for ids that are no products of the store. */
  function demandProducts(storeId: string, expect: readonly string[]): void {
    const problems = expect.flatMap((productId, n) =>
      hasProduct(storeId, productId)
        ? []
        : [
            {
              in: 'body' as const,
              pointer: `/expect/${n}`,
              code: 'unknown',
              message: 'is no product of the store',
            },
          ],
    )
    if (problems.length > 0) throw validationError(problems)
  }

  return {
    list(storeId: string): SearchCheckList {
      const checks = queries.list(storeId)
      return { checks: checks.map(view), count: checks.length, ...countPassed(checks) }
    },

    /** GET /v1/admin/models/checks: how the checks of all stores stand. @throws ApiError `invalid_cursor`. */
    listForOperator({ limit = 50, cursor }: StandingQuery): CheckStandings {
      const found = queries.listStores(STORES.read(cursor)?.id ?? '', limit + 1)
      const { rows, nextCursor } = STORES.page(found, limit, ({ id }) => ({ id }))
      const stores = rows.map((store) => standingOf(store, queries.list(store.id)))
      return { stores, count: stores.length, next_cursor: nextCursor }
    },

    /**
     * Saves a check.
     *
     * @throws ApiError `validation_error`, `conflict` for more checks or pictures than a store may have, and what a picture
     * is refused for.
     */
    async create(actor: Actor, { name, query, image, expect, within }: CheckBody): Promise<SearchCheck> {
      const { storeId } = actor
      if ((query === undefined) === (image === undefined)) throw queryOrPicture()
      demandProducts(storeId, expect)
      demandRoom(storeId, 0)
      const picture = image === undefined ? null : await readPicture(storeId, image)
      const id = ids.uuid()
      return atomically(() => {
        actor.demandStill()
        demandRoom(storeId, picture?.length ?? 0)
        queries.add({
          ...{ id, storeId, name: name.trim(), query: query?.trim() ?? null, picture },
          ...{ expected: expect, within, createdAt: clock.now() },
        })
        return view(queries.find(storeId, id) as CheckRow)
      })
    },

    /** Deletes a check; a job that has yet to run it leaves it out. @throws ApiError `not_found`. */
    remove: (storeId: string, id: string): { status: 'deleted'; id: string } =>
      atomically(() => {
        const { waitingFor } = queries.find(storeId, id) ?? {}
        if (!queries.remove(storeId, id)) throw notFound('check')
        if (waitingFor != null) jobs.count(storeId, waitingFor, { cancelled: 1 })
        return { status: 'deleted', id }
      }),

    /** Starts a job that runs all checks of the store. @throws ApiError `conflict` without any, and during another run. */
    run(actor: Actor): JobStarted {
      const { storeId } = actor
      const started = jobs.start(storeId, actor, 'search_checks', (jobId) => {
        const running = queries.findJob(storeId)
        if (running !== undefined) throw alreadyRunning(running)
        const total = queries.enqueue(storeId, jobId)
        if (total === 0) throw new ApiError('conflict', 'The store has no saved checks')
        return total
      })
      wake()
      return started
    },
  }
}

const STORES = createCursors({ list: 'checks of stores' }, { id: CursorId })

function view(row: CheckRow): SearchCheck {
  const { id, name, query, expected, within, createdAt, waitingFor, lastJob, lastRunAt, lastResult } = row
  const { lastModel, beforeRunAt, beforeModel, beforeResult } = row
  const hasRun = lastJob !== null && lastRunAt !== null && lastResult !== null
  const hasBefore = beforeRunAt !== null && beforeModel !== null && beforeResult !== null
  return {
    ...{ id, name, query, expect: expected, within },
    created_at: isoTime(createdAt),
    is_waiting: waitingFor !== null,
    last_run: hasRun
      ? { job_id: lastJob, run_at: isoTime(lastRunAt), model: lastModel, ...lastResult }
      : null,
    before: hasBefore ? { run_at: isoTime(beforeRunAt), model: beforeModel, ...beforeResult } : null,
  }
}

/** The one of some checks that was run last. */
const newest = (checks: readonly CheckRow[], at: (check: CheckRow) => number | null): CheckRow | undefined =>
  checks.reduce<CheckRow | undefined>(
    (best, check) => ((at(check) ?? 0) > ((best && at(best)) ?? 0) ? check : best),
    undefined,
  )

/** Counts the checks that pass now, and those that passed with the model before. */
function countPassed(checks: readonly CheckRow[]): Pick<SearchCheckList, 'passed' | 'before'> {
  const model = newest(checks, ({ beforeRunAt }) => beforeRunAt)?.beforeModel
  const earlier = checks.flatMap(({ beforeResult }) => beforeResult ?? [])
  const passed = earlier.filter((result) => result.passed).length
  return {
    passed: checks.filter(({ lastResult }) => lastResult?.passed).length,
    before: model == null ? null : { model, passed, total: earlier.length },
  }
}

const standingOf = (store: StoreOfChecks, checks: readonly CheckRow[]): CheckStanding => ({
  store,
  model: newest(checks, ({ lastRunAt }) => lastRunAt)?.lastModel ?? null,
  total: checks.length,
  is_waiting: checks.some(({ waitingFor }) => waitingFor !== null),
  ...countPassed(checks),
})

const queryOrPicture = () =>
  validationError([
    { in: 'body', pointer: '/query', code: 'one_of', message: 'or image is required, and not both' },
  ])

const full = (message: string, limit: number) => new ApiError('conflict', message, { details: { limit } })

const alreadyRunning = (jobId: string) =>
  new ApiError('conflict', 'The checks of the store are being run already', { details: { job_id: jobId } })
