import type { CallerStore } from '../../../core/actor.ts'
import { createBackoff } from '../../../core/backoff.ts'
import { findBlame } from '../../../core/blame.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { ModelMoveQueries } from './queries.ts'
import type { WaitingProduct } from './waiting-queries.ts'

export interface LanesDeps extends Pick<Base, 'clock' | 'log' | 'withoutFsync' | 'reportFault'> {
  queries: Pick<ModelMoveQueries, 'noteFailure' | 'forgetFailure'>
  /** The next product; undefined when none waits now. It takes its time, so that everything else goes first. */
  next(): Promise<Work | undefined>
}

/** One product whose pictures are to be embedded. */
export interface Work {
  store: CallerStore
  product: WaitingProduct
  /** Row of the model. */
  model: number
  embed(): Promise<unknown>
  /** Called once, whatever came of it. */
  finished(outcome: Outcome): void
}

/** `delayed`: nobody is to blame that it could not be done now, or the program was stopped. */
export type Outcome = 'done' | 'failed' | 'delayed'

/** Products that are embedded at a time. Their pictures are the last in every queue. */
const LANES = 4
/** The pause after a failure that no product is to blame for. */
const PAUSE_MS = 15_000
/** Pauses after the first, second and further failures of one product. */
const backoff = createBackoff({ waits: [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS] })

/**
 * Embeds products that are no news to anybody, a few at a time. A product that fails is tried again later, each time later; a
 * failure that no product is to blame for makes all of them pause.
 */
export function createLanes({ next, queries, withoutFsync, reportFault, log, clock }: LanesDeps) {
  /** Rows of products in progress. */
  const busy = new Set<number>()
  const inFlight = new Set<Promise<void>>()
  let pausedUntil = Number.NEGATIVE_INFINITY
  let pausedFor: string | undefined
  let looking: Promise<void> | undefined
  /** Whether something has changed since the present look began. */
  let isAskedAgain = false
  let isStopped = false

  /** @param error tells the operator why nothing goes on. */
  function pause(error: unknown): void {
    pausedUntil = clock.monotonic() + PAUSE_MS
    pausedFor = error instanceof Error ? error.message : String(error)
  }

  async function embed(work: Work): Promise<Outcome> {
    try {
      await work.embed()
      if (work.product.tries > 0) withoutFsync(() => queries.forgetFailure(work.product.id))
      pausedFor = undefined
      return 'done'
    } catch (error) {
      return judge(work, error)
    }
  }

  function judge({ store, product: { id, tries }, model }: Work, error: unknown): Outcome {
    if (isStopped) return 'delayed'
    const blame = findBlame(error)
    if (blame.on === 'storage') reportFault(blame.failure)
    if (blame.on !== 'program' && blame.on !== 'work') {
      pause(blame.failure)
      return 'delayed'
    }
    if (blame.on === 'program')
      log.error({ err: error, store_id: store.id }, 'a product could not be embedded again')
    const code = blame.on === 'work' ? blame.failure.code : 'internal_error'
    const failure = { storeId: store.id, product: id, model, tries: tries + 1, error: code }
    try {
      withoutFsync(() => queries.noteFailure({ ...failure, dueAt: clock.now() + backoff(tries) }))
      return 'failed'
    } catch (fault) {
      reportFault(fault)
      pause(fault)
      return 'delayed'
    }
  }

  const mayBegin = () => !isStopped && busy.size < LANES && clock.monotonic() >= pausedUntil

  async function look(): Promise<void> {
    while (mayBegin()) {
      const work = await next()
      if (!work) return
      if (isStopped || busy.has(work.product.id)) {
        work.finished('delayed')
        continue
      }
      begin(work)
    }
  }

  function begin(work: Work): void {
    busy.add(work.product.id)
    const done = embed(work)
      .then((outcome) => work.finished(outcome))
      .finally(() => busy.delete(work.product.id))
      .then(turn)
      .then(wake)
      .catch((err) => log.error({ err }, 'embedding again failed'))
      .finally(() => inFlight.delete(done))
    inFlight.add(done)
  }

  /** Begins what may begin. It costs nothing where nothing waits. */
  function wake(): void {
    isAskedAgain = true
    if (looking || !mayBegin()) return
    isAskedAgain = false
    looking = look()
      .catch((error) => {
        // A disk that is full or faulty; what is in memory stays, and is tried again.
        if (findBlame(error).on === 'program') log.error({ err: error }, 'embedding again failed')
        reportFault(error)
        pause(error)
      })
      .finally(() => {
        looking = undefined
        if (isAskedAgain) wake()
      })
  }

  return {
    wake,
    pause,

    /** Why nothing goes on, or did not at the last try; undefined when it does. */
    findProblem: (): string | undefined => pausedFor,

    /** Goes on at once, with other work. */
    startAfresh(): void {
      pausedFor = undefined
      pausedUntil = Number.NEGATIVE_INFINITY
      wake()
    },

    /** Waits until no product is in progress. */
    async drain(): Promise<void> {
      while (looking || inFlight.size > 0) await Promise.all([looking, ...inFlight])
    },

    isStopped: () => isStopped,

    /** Begins nothing any more. */
    stop(): void {
      isStopped = true
    },
  }
}
