import { isFaultOfDisk } from '../../../core/storage.ts'
import type { Leave } from '../../../core/write-gate.ts'
import type { Base } from '../../module.ts'
import type { Attempt } from './attempts.ts'
import type { DeliveryQueries } from './delivery-queries.ts'
import { createEndpointQueue, type EndpointLimits } from './endpoint-queue.ts'

export interface SchedulerDeps extends Pick<Base, 'clock' | 'log' | 'defer' | 'gate'> {
  queries: Pick<DeliveryQueries, 'listWaiting' | 'listWaitingEndpoints'>
  attempt: Attempt
  isStopping(): boolean
  /** The deliveries of a suspended store wait. */
  isSuspended(storeId: string): boolean
  limits?: EndpointLimits
}

/** The chore looks once a minute; a timer wakes the scheduler for what is due sooner. */
const TIMER_MAX_MS = 60_000

/** How long a delivery whose result could not be written waits for the next try. */
const UNWRITTEN_MS = 1_000

/** How long the deliveries of a paused store wait until somebody looks again. */
const RESTING_MS = 1_000

export type DeliveryScheduler = ReturnType<typeof createDeliveryScheduler>

/**
 * Sends what is due. The database holds every delivery until its result is written, so nothing is lost when the process
 * is killed: a delivery that was on its way then is sent again with the same id. The deliveries in flight are known in memory
 * alone, because one process serves a data folder.
 */
export function createDeliveryScheduler(deps: SchedulerDeps) {
  const { queries, attempt, isStopping, isSuspended, gate, clock, defer, log } = deps
  const queue = createEndpointQueue(deps.limits)
  const inFlight = new Set<Promise<void>>()
  let isWoken = false
  let timerAt = Infinity

  type Endpoint = NonNullable<ReturnType<typeof queue.choose>>

  /** Starts the next delivery of an endpoint, or puts the endpoint off. */
  function serve(endpoint: Endpoint): void {
    if (isSuspended(endpoint.storeId)) {
      // The next poll finds it again.
      queue.postpone(endpoint, undefined)
      return
    }
    const waiting = queries.listWaiting(endpoint.id, endpoint.held.size + 1)
    const next = waiting.find(({ id }) => !endpoint.held.has(id))
    if (!next || next.nextAttemptAt > clock.now()) {
      queue.postpone(endpoint, next?.nextAttemptAt)
      return
    }
    const leave = gate.tryEnter(endpoint.storeId)
    if (!leave) {
      queue.postpone(endpoint, clock.now() + RESTING_MS)
      return
    }
    const done = send(endpoint, next.id, leave)
    inFlight.add(done)
    void done.finally(() => inFlight.delete(done))
  }

  /** A fault of one endpoint never keeps another waiting. @throws the fault of the disk. */
  function tryToServe(endpoint: Endpoint): void {
    try {
      serve(endpoint)
    } catch (err) {
      queue.postpone(endpoint, clock.now() + TIMER_MAX_MS)
      if (isFaultOfDisk(err)) throw err
      log.warn({ err, endpoint: endpoint.id }, 'the deliveries of an endpoint cannot be read')
    }
  }

  /** @param leaveGate called once the result is written, or will not be. */
  async function send(endpoint: Endpoint, id: string, leaveGate: Leave): Promise<void> {
    const leave = queue.start(endpoint, id)
    let hasFailed = false
    try {
      const attempted = await attempt(endpoint.storeId, id)
      if (!attempted) {
        endpoint.held.delete(id)
        queue.postpone(endpoint, undefined)
        leaveGate()
        return
      }
      hasFailed = attempted.isFailure
      write(endpoint, id, attempted.record, leaveGate)
    } catch (err) {
      leaveGate()
      // A bug: the delivery stays held, so that it cannot be sent in a circle, and goes out after the next start.
      log.warn({ err, delivery_id: id }, 'a delivery could not be attempted')
    } finally {
      leave(hasFailed)
      wake()
    }
  }

  /** Writes a result; on a full disk again and again. Until then the delivery is not sent again. */
  function write(endpoint: Endpoint, id: string, record: () => void, leaveGate: Leave): void {
    if (isStopping()) {
      leaveGate()
      return
    }
    try {
      record()
      leaveGate()
      queue.release(endpoint, id, clock.now())
    } catch (err) {
      log.warn({ err, delivery_id: id }, 'the result of a delivery could not be written')
      defer(() => {
        write(endpoint, id, record, leaveGate)
        wake()
      }, UNWRITTEN_MS)
    }
  }

  function run(): void {
    if (isStopping()) return
    for (let endpoint = queue.choose(clock.now()); endpoint; endpoint = queue.choose(clock.now()))
      tryToServe(endpoint)
    setTimer()
  }

  function poll(): void {
    if (isStopping()) return
    for (const { endpoint, storeId, dueAt } of queries.listWaitingEndpoints())
      queue.expect(endpoint, storeId, dueAt)
    run()
  }

  function setTimer(): void {
    const now = clock.now()
    const next = queue.findNextDue(now)
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
     * Something of an endpoint is due. May be called inside the transaction that adds it: the scheduler looks afterwards,
     * and finds nothing if the transaction failed.
     */
    expect(endpoint: string, storeId: string, dueAt: number = clock.now()): void {
      queue.expect(endpoint, storeId, dueAt)
      wake()
    },

    /**
     * Looks through the database, sends what is due and sets a timer for the rest. Call it every minute: it finds
     * deliveries from before the start, and those that a command has added.
     */
    poll,

    /** Sends what is due until nothing is. */
    async drain(): Promise<void> {
      poll()
      while (inFlight.size > 0) {
        await Promise.race(inFlight)
        run()
      }
    },
  }
}
