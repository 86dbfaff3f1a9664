import type { Logger } from 'pino'
import { isAllowedStill, type Standing } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { createShares, type Holding, type ShareLimits } from '../core/shares.ts'
import { turn } from '../core/turns.ts'

export interface NdjsonStreamDeps {
  /** Streams that are open at a time. */
  limits: ShareLimits
  reportFault(error: unknown): void
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Logger, 'error'>
}

interface Open {
  owner: string
  reader: Standing
  place: Holding
  controller: ReadableStreamDefaultController<Uint8Array>
  /** When the reader last asked for more. */
  askedAt: number
}

/** Characters after which a piece is sent; each piece is made in its own turn of the event loop. */
const PIECE_CHARS = 64 * 1024
/** The most lines of one piece, which bounds the time that it takes. */
const PIECE_LINES = 50
/** A stream whose reader takes nothing for this long is cut. */
const STALLED_MS = 60_000

/** How often to call {@link NdjsonStreams.cutStalled}. */
export const CUT_STALLED_EVERY_MS = 10_000

export type NdjsonStreams = ReturnType<typeof createNdjsonStreams>

/** Streams of NDJSON that are read from the database as fast as clients take them. */
export function createNdjsonStreams({ limits, reportFault, stop, clock, log }: NdjsonStreamDeps) {
  const shares = createShares(limits)
  const open = new Set<Open>()
  const encoder = new TextEncoder()

  /**
   * Breaks off a stream and its connection: a file without its end must not look whole. There is no error as the reason,
   * because Bun would print it.
   */
  function cut(one: Open): void {
    if (leave(one)) one.controller.error()
  }

  /** @returns whether it was open. */
  function leave(one: Open): boolean {
    one.place.release()
    return open.delete(one)
  }

  stop?.addEventListener('abort', () => open.forEach(cut))

  /** The next lines; empty at the end. */
  function readPiece(source: Iterator<string, void>): string {
    const piece: string[] = []
    for (let chars = 0; chars < PIECE_CHARS && piece.length < PIECE_LINES; ) {
      const { done, value } = source.next()
      if (done || value === undefined) break
      piece.push(value)
      chars += value.length
    }
    return piece.join('')
  }

  return {
    /**
     * Opens a stream. Its first piece is read at once, the others as the client takes them.
     *
     * @param owner whose stream it is: a store, or a person.
     * @param reader the stream ends when this right is withdrawn.
     * @param start gives the lines, each read on demand. It is called once the stream is admitted.
     * @throws ApiError `overloaded` if the owner has too many open streams, or all together have.
     */
    open(owner: string, reader: Standing, start: () => Iterator<string, void>): ReadableStream<Uint8Array> {
      const place = stop?.aborted ? undefined : shares.tryTake(owner)
      if (!place) throw tooMany()
      let source: Iterator<string, void>
      let next: string | undefined
      try {
        source = start()
        // A fault of the database can still become an answer here.
        next = readPiece(source)
      } catch (error) {
        place.release()
        throw error
      }
      let one: Open
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            one = { owner, place, reader, controller, askedAt: clock.monotonic() }
            open.add(one)
          },
          async pull(controller) {
            one.askedAt = clock.monotonic()
            await turn()
            if (!open.has(one)) return
            try {
              if (!isAllowedStill(reader)) return cut(one)
              const piece = next ?? readPiece(source)
              next = undefined
              if (piece !== '') controller.enqueue(encoder.encode(piece))
              else if (leave(one)) controller.close()
            } catch (error) {
              log.error({ err: error, owner }, 'an export broke off')
              reportFault(error)
              cut(one)
            }
          },
          cancel() {
            leave(one)
          },
        },
        { highWaterMark: 0 },
      )
    },

    /** Cuts the streams that nobody reads. */
    cutStalled(): void {
      const before = clock.monotonic() - STALLED_MS
      for (const one of open) if (one.askedAt < before) cut(one)
    },

    /** Cuts the streams of one owner. */
    forget(owner: string): void {
      for (const one of open) if (one.owner === owner) cut(one)
    },
  }
}

/** Headers of a file of lines. @param name of the file, without its ending. */
export const ndjsonFileHeaders = (name: string) => ({
  'content-type': 'application/x-ndjson; charset=utf-8',
  'content-disposition': `attachment; filename="${name}.ndjson"`,
  // Some proxies would collect the whole file otherwise.
  'x-accel-buffering': 'no',
})

/** The content of such a file in the API's document. */
export const NDJSON = { 'application/x-ndjson': { schema: { type: 'string' } } } as const

const tooMany = () => new ApiError('overloaded', 'Too many exports are running', { retryAfterSeconds: 30 })
