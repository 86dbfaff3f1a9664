import { isAllowedStill, type Standing } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createShares, type Holding } from '../../../core/shares.ts'
import type { Base } from '../../module.ts'
import type { JobRow } from './queries.ts'
import type { JobSummary } from './schema.ts'

export interface StreamsDeps extends Pick<Base, 'defer'> {
  find(id: number): JobRow | undefined
  summary(job: JobRow): JobSummary
  /** Called with a finished job, at the first `tell` after its end. */
  onEnd(job: JobRow): void
  clock: Pick<Base['clock'], 'monotonic'>
}

/** Readers learn of a change after this time, together with the changes that follow it meanwhile. */
const TELL_MS = 500

/** Silence after which a stream says that it is still there, so that no proxy takes it for dead. */
const HEARTBEAT_MS = 15_000
/**
 * The longest life of a stream, after which the client connects again, as every EventSource does by itself: a token that
 * has expired ends with it.
 */
const LIFE_MS = 15 * 60_000
/** A reader who takes nothing for this long is given up. */
const STALLED_MS = 60_000
const RECONNECT_MS = 3_000
/** Bytes that may wait for a reader. Each event replaces all before it, so a slow reader misses some. */
const WAITING_BYTES = 8 * 1024

interface Stream {
  storeId: string
  place: Holding
  job: number
  reader: Standing
  controller: ReadableStreamDefaultController<Uint8Array>
  /** Whether the job has changed since the last event. */
  isDirty: boolean
  openedAt: number
  /** When something was last written. */
  toldAt: number
}

export type JobStreams = ReturnType<typeof createJobStreams>

/** Streams of events about single jobs (`text/event-stream`). Each event holds the whole job, without its errors. */
export function createJobStreams({ find, summary, onEnd, defer, clock }: StreamsDeps) {
  const shares = createShares(LIMITS.jobStreams)
  const streams = new Set<Stream>()
  const changed = new Set<number>()
  const encoder = new TextEncoder()
  let isTellingSoon = false

  const isWritable = ({ controller }: Stream): boolean => (controller.desiredSize ?? 0) > 0

  function write(stream: Stream, text: string): void {
    stream.controller.enqueue(encoder.encode(text))
    stream.toldAt = clock.monotonic()
  }

  function leave(stream: Stream): void {
    streams.delete(stream)
    stream.place.release()
  }

  function close(stream: Stream): void {
    leave(stream)
    try {
      stream.controller.close()
    } catch {
      // The client left first.
    }
  }

  /** Writes the state of the job, if the reader keeps up. After the last state the stream ends. */
  function show(stream: Stream, job: JobRow | undefined): void {
    if (!job) close(stream)
    if (!job || !isWritable(stream)) return
    const isOver = job.finishedAt !== null
    write(stream, `event: ${isOver ? job.status : 'progress'}\ndata: ${JSON.stringify(summary(job))}\n\n`)
    stream.isDirty = false
    if (isOver) close(stream)
  }

  function keepAlive(stream: Stream): void {
    const now = clock.monotonic()
    const isStalled = !isWritable(stream) && now - stream.toldAt > STALLED_MS
    if (isStalled || now - stream.openedAt > LIFE_MS) close(stream)
    else if (isWritable(stream) && now - stream.toldAt >= HEARTBEAT_MS) write(stream, ': still here\n\n')
  }

  /** Sends the changes to the readers. Call it every second: it keeps the silent streams alive, too. */
  function tell(): void {
    if (changed.size === 0 && streams.size === 0) return
    const jobs = new Map([...changed].map((id) => [id, find(id)]))
    changed.clear()
    for (const stream of streams) if (jobs.has(stream.job)) stream.isDirty = true
    for (const job of jobs.values()) if (job && job.finishedAt !== null) onEnd(job)
    for (const stream of streams) {
      if (stream.isDirty) show(stream, jobs.get(stream.job) ?? find(stream.job))
      if (streams.has(stream)) keepAlive(stream)
    }
  }

  return {
    /** @throws ApiError `overloaded` while too many streams are open, of the store or of all. */
    open(job: JobRow, reader: Standing): ReadableStream<Uint8Array> {
      const place = shares.tryTake(job.storeId)
      if (!place) throw tooMany()
      let stream: Stream
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const now = clock.monotonic()
            const { id, storeId } = job
            stream = {
              storeId,
              place,
              reader,
              job: id,
              controller,
              isDirty: false,
              openedAt: now,
              toldAt: now,
            }
            streams.add(stream)
            write(stream, `retry: ${RECONNECT_MS}\n`)
            show(stream, job)
          },
          cancel() {
            leave(stream)
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES }),
      )
    },

    /** Notes that a job may have changed, and tells its readers soon. */
    note(job: number): void {
      changed.add(job)
      if (streams.size === 0 || isTellingSoon) return
      isTellingSoon = true
      defer(() => {
        isTellingSoon = false
        tell()
      }, TELL_MS)
    },

    tell,

    /** Ends the streams of readers who have lost their right. Call it every second. */
    closeOfTheGone(): void {
      for (const stream of streams) if (!isAllowedStill(stream.reader)) close(stream)
    },

    /** Ends the streams about the jobs of a store, or all. */
    closeAll(storeId?: string): void {
      for (const stream of streams) if (storeId === undefined || stream.storeId === storeId) close(stream)
    },
  }
}

const tooMany = () =>
  new ApiError('overloaded', 'Too many streams of events are open', { retryAfterSeconds: 30 })
