import { isFaultOfDisk } from '../../../core/storage.ts'
import type { Base } from '../../module.ts'
import type { Attempt } from './attempts.ts'
import type { DeliveryQueries } from './delivery-queries.ts'
import { createLines, type LineLimits } from './lines.ts'

export interface LoopDeps extends Pick<Base, 'clock' | 'log' | 'defer'> {
  queries: Pick<DeliveryQueries, 'listWaiting' | 'listWaitingEndpoints'>
  attempt: Attempt
  isStopping(): boolean
  /** The deliveries of a suspended store wait. */
  isSuspended(storeId: string): boolean
  limits?: LineLimits
}

/** The chore looks once a minute; a timer wakes the loop for what is due sooner. */
const TIMER_MAX_MS = 60_000

/** How long a delivery whose result could not be written waits for the next try. */
const UNWRITTEN_MS = 1_000

export type DeliveryLoop = ReturnType<typeof createDeliveryLoop>

/**
 * Sends what is due. The database holds every delivery until its result is written, so nothing is lost when the process
 * is killed; what was on its way then is sent again with the same id. What is underway is known in memory alone, because
 * one process serves a data folder.
 */
export function createDeliveryLoop(deps: LoopDeps) {
  const { queries, attempt, isStopping, isSuspended, clock, defer, log } = deps
  const lines = createLines(deps.limits)
  const underway = new Set<Promise<void>>()
  let isWoken = false
  let timerAt = Infinity

  type Line = NonNullable<ReturnType<typeof lines.choose>>

  /** Starts the next delivery of a line, or puts the line off. */
  function serve(line: Line): void {
    if (isSuspended(line.storeId)) {
      // The next look finds it again.
      lines.postpone(line, undefined)
      return
    }
    const waiting = queries.listWaiting(line.endpoint, line.held.size + 1)
    const next = waiting.find(({ id }) => !line.held.has(id))
    if (!next || next.nextAttemptAt > clock.now()) {
      lines.postpone(line, next?.nextAttemptAt)
      return
    }
    const done = send(line, next.id)
    underway.add(done)
    void done.finally(() => underway.delete(done))
  }

  /** What is wrong with one line never keeps another waiting. @throws the fault of the disk. */
  function tryToServe(line: Line): void {
    try {
      serve(line)
    } catch (err) {
      lines.postpone(line, clock.now() + TIMER_MAX_MS)
      if (isFaultOfDisk(err)) throw err
      log.warn({ err, endpoint: line.endpoint }, 'the deliveries of an endpoint cannot be read')
    }
  }

  async function send(line: Line, id: string): Promise<void> {
    const leave = lines.start(line, id)
    let hasFailed = false
    try {
      const attempted = await attempt(line.storeId, id)
      if (!attempted) {
        line.held.delete(id)
        lines.postpone(line, undefined)
        return
      }
      hasFailed = attempted.isFailure
      write(line, id, attempted.record)
    } catch (err) {
      // A bug: the delivery stays held, so that it cannot be sent in a circle, and goes out after the next start.
      log.warn({ err, delivery_id: id }, 'a delivery could not be attempted')
    } finally {
      leave(hasFailed)
      wake()
    }
  }

  /** Writes a result; on a full disk again and again. Until then the delivery is not sent again. */
  function write(line: Line, id: string, record: () => void): void {
    if (isStopping()) return
    try {
      record()
      lines.release(line, id, clock.now())
    } catch (err) {
      log.warn({ err, delivery_id: id }, 'the result of a delivery could not be written')
      defer(() => {
        write(line, id, record)
        wake()
      }, UNWRITTEN_MS)
    }
  }

  function run(): void {
    if (isStopping()) return
    for (let line = lines.choose(clock.now()); line; line = lines.choose(clock.now())) tryToServe(line)
    setTimer()
  }

  function look(): void {
    if (isStopping()) return
    for (const { endpoint, storeId, dueAt } of queries.listWaitingEndpoints())
      lines.expect(endpoint, storeId, dueAt)
    run()
  }

  function setTimer(): void {
    const now = clock.now()
    const next = lines.findNextDue(now)
    if (next - now > TIMER_MAX_MS || next >= timerAt) return
    timerAt = next
    defer(() => {
      timerAt = Infinity
      run()
    }, next - now)
  }

  function wake(): void {
    if (isWoken || isStopping()) return
    isWoken = true
    defer(() => {
      isWoken = false
      run()
    }, 0)
  }

  return {
    /**
     * Something of an endpoint is due. May be called inside the transaction that adds it: the loop looks afterwards, and
     * finds nothing if the transaction failed.
     */
    expect(endpoint: string, storeId: string, dueAt: number = clock.now()): void {
      lines.expect(endpoint, storeId, dueAt)
      wake()
    },

    /**
     * Looks through the database, sends what is due and sets a timer for the rest. Call it every minute: it finds what
     * waited before the start, and what a command has added.
     */
    look,

    /** Sends what is due until nothing is. */
    async settle(): Promise<void> {
      look()
      while (underway.size > 0) {
        await Promise.race(underway)
        run()
      }
    },
  }
}
