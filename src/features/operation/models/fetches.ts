import type { Operator } from '../../../core/audit.ts'
import { describeOperation } from '../../../core/audit.ts'
import { DAY_MS, isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { BringStep } from '../../../platform/models/bring.ts'
import type { Base } from '../../module.ts'
import type { FetchRow, ModelQueries, WorkState } from './queries.ts'
import type { ModelFetch, ModelFetchStarted } from './schema.ts'

export interface FetchDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'log'> {
  queries: Pick<ModelQueries, 'add' | 'end' | 'endAll' | 'prune' | 'findLatest'>
  /** Downloads a known model, tries it, and puts it beside the others. */
  bring(name: string, tell: (step: BringStep) => void, stop: AbortSignal): Promise<void>
  /** Aborts when the program ends. */
  stop: AbortSignal
}

interface Running {
  id: string
  cancel: AbortController
  done: Promise<void>
  step: ModelFetch['step']
  bytes: number
  bytesTotal: number
}

/** The lines below it list files for the command line. */
const firstLine = (message: string): string => message.split('\n')[0] as string

const KEPT_MS = 90 * DAY_MS

const INTERRUPTED =
  'The service ended before the model was here. What had been loaded stays: fetch it again, and it goes on there.'

export type Fetches = ReturnType<typeof createFetches>

/** Downloads known models for super-admins, one at a time. A restart ends one, and the next one goes on with its files. */
export function createFetches(deps: FetchDeps) {
  const { queries, clock, ids, atomically, record, log, bring, stop } = deps
  let running: Running | undefined

  async function work(fetch: Omit<Running, 'done'>, name: string): Promise<void> {
    const signal = AbortSignal.any([fetch.cancel.signal, stop])
    let [state, reason]: [WorkState, string | null] = ['done', null]
    try {
      await bring(name, (told) => note(fetch, told), signal)
    } catch (error) {
      ;[state, reason] = signal.aborted
        ? stop.aborted
          ? ['failed', INTERRUPTED]
          : ['cancelled', null]
        : ['failed', firstLine((error as Error).message)]
      if (state === 'failed') log.error({ model: name, reason }, 'a model could not be fetched')
    }
    if (state === 'done') log.info({ model: name }, 'a model was fetched')
    atomically(() => queries.end(fetch.id, state, reason, clock.now()))
  }

  function note(fetch: Pick<Running, 'step' | 'bytes' | 'bytesTotal'>, told: BringStep): void {
    fetch.step = told.step
    if (told.step === 'download') {
      fetch.bytes = told.bytes
      fetch.bytesTotal = told.bytesTotal
    }
  }

  function show(row: FetchRow): ModelFetch {
    const { id, name, bytesTotal } = row
    const own = running?.id === id ? running : undefined
    const state = row.state === 'running' && !own ? 'failed' : row.state
    return {
      ...{ job_id: id, name, state },
      step: row.state === 'running' ? (own?.step ?? null) : null,
      bytes: own?.bytes ?? (state === 'done' ? bytesTotal : 0),
      bytes_total: own?.bytesTotal ?? bytesTotal,
      error: row.error ?? (state === 'failed' ? INTERRUPTED : null),
      started_at: isoTime(row.startedAt),
      finished_at: isoTimeOrNull(row.finishedAt),
    }
  }

  return {
    /** @throws ApiError `conflict` while another one runs. */
    start(by: Operator, { name, bytes }: { name: string; bytes: number }): ModelFetchStarted {
      if (running) {
        throw new ApiError(
          'conflict',
          'Another model is being fetched: wait until it is here, or cancel it',
          {
            details: { reason: 'fetch_running' },
          },
        )
      }
      const id = ids.uuid()
      const now = clock.now()
      atomically(() => {
        by?.demandStill()
        queries.endAll(INTERRUPTED, now)
        queries.prune(now - KEPT_MS)
        queries.add({ id, name, bytesTotal: bytes, startedAt: now })
        record(describeOperation(by, null, 'model.fetch_started', { model: name, job_id: id }))
      })
      const fetch = {
        id,
        cancel: new AbortController(),
        step: 'download' as const,
        bytes: 0,
        bytesTotal: bytes,
      }
      const own: Running = { ...fetch, done: Promise.resolve() }
      running = own
      own.done = work(own, name)
        .catch((err) => log.error({ err }, 'the end of a fetch could not be written down'))
        .finally(() => {
          running = undefined
        })
      return { job_id: id }
    },

    /** @throws ApiError `conflict` while none runs. */
    async cancel(by: Operator): Promise<ModelFetch> {
      const { id, cancel, done } = running ?? {}
      if (!cancel) {
        throw new ApiError('conflict', 'No model is being fetched', { details: { reason: 'no_fetch' } })
      }
      atomically(() => {
        by?.demandStill()
        record(describeOperation(by, null, 'model.fetch_cancelled', { job_id: id }))
      })
      cancel.abort()
      await done
      return show(queries.findLatest() as FetchRow)
    },

    /** The running one, or the last one. */
    findLatest(): ModelFetch | null {
      const row = queries.findLatest()
      return row ? show(row) : null
    },

    /** Closes what a process left that was killed. */
    closeInterrupted(): void {
      if (!running) queries.endAll(INTERRUPTED, clock.now())
    },

    /** Waits until the running one has ended. */
    drain: (): Promise<void> => running?.done ?? Promise.resolve(),
  }
}
