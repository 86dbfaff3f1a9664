import type { CallerStore } from '../../../core/actor.ts'
import { type BackoffSteps, createBackoff } from '../../../core/backoff.ts'
import { findBlame } from '../../../core/blame.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { Precomputed, Product } from '../products/schema.ts'
import type { ProductInput, WriteOrigin } from '../products/write.ts'
import type { ProductWriter } from '../products/writer.ts'
import { type Accounting, LeaseLost } from './accounting.ts'
import type { ItemContent } from './item.ts'
import type { ItemError, LeasedItem } from './item-queries.ts'

export interface WorkerDeps extends Pick<Base, 'clock' | 'log' | 'reportFault'> {
  accounting: Pick<Accounting, 'end' | 'putBack'>
  writer: Pick<ProductWriter, 'put' | 'remove'>
  toInput(product: Product, precomputed: Precomputed | undefined): ProductInput
  /** Reads a content that lies in the file of its job, as JSON. */
  readPart(item: LeasedItem): Promise<string>
  /** Whether the model of a store can be used at all. */
  isModelReady(storeId: string): boolean
}

/**
 * The outcome of one try of an item: it has ended, it waits until a moment (Unix ms), or its job must pause.
 *
 * `timedOut` is the host that it waits for because it did not answer in time.
 */
export type Outcome =
  | { kind: 'over' }
  | { kind: 'later'; dueAt: number; timedOut?: string | undefined }
  | { kind: 'blocked' }

const OVER: Outcome = { kind: 'over' }
const BLOCKED: Outcome = { kind: 'blocked' }

/** Tries of an item whose failure may pass. */
const ATTEMPTS_MAX = 5
/** How often an item may meet a service that is too busy, which is no fault of its own. */
const DELAYS_MAX = 200
/** The pause before the second try; each further one is four times as long: 2 s, 8 s, 32 s, 2 min. */
const RETRY: BackoffSteps = { first: 2_000, factor: 4 }
const DELAY: BackoffSteps = { perFailure: 1_000, longest: 30_000 }
/** A pause differs by up to this share, so that items that failed together do not come back together. */
const JITTER = 0.25
const retryBackoff = createBackoff(RETRY, JITTER)
const delayBackoff = createBackoff(DELAY, JITTER)

/** Reasons of a failed download that may pass. */
const PASSING: readonly unknown[] = ['dns', 'connect', 'timeout']

/** Does single items of jobs. */
export function createWorker(deps: WorkerDeps) {
  const { accounting, writer, toInput, readPart, isModelReady, reportFault, log, clock } = deps

  async function run(store: CallerStore, item: LeasedItem, arrival: number): Promise<void> {
    const { productId, kind } = item
    const origin: WriteOrigin = {
      kind: 'job',
      arrival,
      commitWith: (effect) => accounting.end(item, { state: 'done', effect }),
    }
    if (kind === 'delete') {
      await writer.remove(store.id, productId, undefined, origin)
      return
    }
    const { given: precomputed, ...product } = JSON.parse(
      item.content ?? (await readPart(item)),
    ) as ItemContent
    await writer.put(store, toInput(product, precomputed), origin)
  }

  function fail(item: LeasedItem, error: ApiError): Outcome {
    accounting.end(item, { state: 'failed', error: toItemError(error), canRetry: true })
    return OVER
  }

  function tryAgain(item: LeasedItem, error: ApiError): Outcome {
    const attempts = item.attempts + 1
    if (attempts >= ATTEMPTS_MAX) return fail(item, error)
    const dueAt = clock.now() + retryBackoff(item.attempts, shareOf(item))
    accounting.putBack(item, { attempts, delays: item.delays, dueAt })
    return { kind: 'later', dueAt, timedOut: findTimedOut(error) }
  }

  function delay(item: LeasedItem, error: ApiError): Outcome {
    const delays = item.delays + 1
    if (delays > DELAYS_MAX) return fail(item, error)
    const dueAt = clock.now() + delayBackoff(item.delays, shareOf(item))
    accounting.putBack(item, { attempts: item.attempts, delays, dueAt })
    return { kind: 'later', dueAt }
  }

  /** Decides on an item that failed. @throws the error that keeps the decision from being written. */
  function judge(item: LeasedItem, error: unknown): Outcome {
    if (error instanceof LeaseLost) return OVER
    const blame = findBlame(error)
    switch (blame.on) {
      case 'program':
        log.error({ err: error, job: item.job, item: item.id }, 'an item of a job failed')
        return tryAgain(item, new ApiError('internal_error', 'Something went wrong'))
      case 'storage':
        reportFault(blame.failure)
        return BLOCKED
      case 'load':
        return delay(item, blame.failure)
      case 'model':
        return isModelReady(item.storeId) ? tryAgain(item, blame.failure) : BLOCKED
      case 'work':
        return isWorthAnotherTry(item, blame.failure)
          ? tryAgain(item, blame.failure)
          : fail(item, blame.failure)
    }
  }

  return {
    /** Does an item and records its outcome. Never throws. */
    async work(store: CallerStore, item: LeasedItem, arrival: number): Promise<Outcome> {
      try {
        await run(store, item, arrival)
        return OVER
      } catch (error) {
        try {
          return judge(item, error)
        } catch (err) {
          // Nothing can be written at present; the item is still leased.
          if (err instanceof LeaseLost) return OVER
          reportFault(err)
          log.warn({ err, job: item.job }, "failed to record an item's outcome")
          return BLOCKED
        }
      }
    },

    /** Lets an item wait again whose lease ran out; after too many tries it has failed. */
    giveUp(item: LeasedItem): void {
      tryAgain(item, new ApiError('overloaded', 'The product took too long and was given up'))
    },
  }
}

/** Spreads moments: the same item gets another share at each try. */
const shareOf = ({ id, attempts, delays }: LeasedItem): number =>
  ((id * 2_654_435_761 + (attempts + delays) * 40_503) % 1_000) / 1_000

const isWorthAnotherTry = ({ attempts }: LeasedItem, failure: ApiError): boolean =>
  mayPass(failure) || (attempts === 0 && hasLostDecoder(failure))

function mayPass({ code, extras }: ApiError): boolean {
  if (code !== 'image_download_failed') return false
  const { reason, upstream_status: status } = extras.details ?? {}
  if (PASSING.includes(reason)) return true
  return reason === 'http_status' && typeof status === 'number' && (status === 429 || status >= 500)
}

/** The host that did not answer in time. */
function findTimedOut({ extras: { details } }: ApiError): string | undefined {
  const { reason, url_host: host } = details ?? {}
  return reason === 'timeout' && typeof host === 'string' ? host : undefined
}

/**
 * Whether the process that decoded the picture was lost. On a machine that is far too busy a good picture may take too long;
 * one that does it on purpose gets no third chance.
 */
const hasLostDecoder = ({ code, extras }: ApiError): boolean =>
  code === 'image_unreadable' && extras.details?.['cause'] === 'the decoder stopped'

/** An error as it is kept with its item. */
export const toItemError = ({ code, message, extras: { details } }: ApiError): ItemError => ({
  error: code,
  message,
  ...(details && { details }),
})
