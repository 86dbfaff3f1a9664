import type { Logger } from 'pino'
import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { LineOptions } from './lines.ts'

export interface ExportDeps {
  /** The lines of a store, each read when it is asked for. */
  lines(storeId: string, options: LineOptions): Iterator<string, void>
  noteFault(error: unknown): void
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Logger, 'error'>
}

interface Export {
  storeId: string
  controller: ReadableStreamDefaultController<Uint8Array>
  /** When the reader last asked for more. */
  askedAt: number
}

/** Characters after which a piece is sent; each piece is made in a turn of its own. */
const PIECE_CHARS = 64 * 1024
/** Products of one piece, which bounds its time. */
const PIECE_PRODUCTS = 50
/** A reader who takes nothing for this long is given up. */
const STALLED_MS = 60_000

export type ExportService = ReturnType<typeof exportService>

/** Exports of all products of a store (contract 2.13). */
export function exportService({ lines, noteFault, stop, clock, log }: ExportDeps) {
  const open = new Set<Export>()
  const encoder = new TextEncoder()

  /**
   * Breaks a stream off, which cuts its connection: a file without its end must not look whole. Without an error as the
   * reason, because Bun would print it.
   */
  function cut(one: Export): void {
    if (open.delete(one)) one.controller.error()
  }

  stop?.addEventListener('abort', () => open.forEach(cut))

  /** The next lines; empty at the end. */
  function readPiece(source: Iterator<string, void>): string {
    const piece: string[] = []
    for (let chars = 0; chars < PIECE_CHARS && piece.length < PIECE_PRODUCTS; ) {
      const { done, value } = source.next()
      if (done || value === undefined) break
      piece.push(value)
      chars += value.length
    }
    return piece.join('')
  }

  return {
    /**
     * Opens the stream of a store's products. It reads as fast as its reader takes; the first piece is read at once.
     *
     * @throws ApiError `overloaded` while too many exports run, of the store or of all.
     */
    start(storeId: string, options: LineOptions): ReadableStream<Uint8Array> {
      const own = [...open].filter((one) => one.storeId === storeId).length
      if (stop?.aborted || own >= LIMITS.exportsPerStoreMax || open.size >= LIMITS.exportsMax) throw tooMany()
      const source = lines(storeId, options)
      // A fault of the database still becomes an answer here.
      let next: string | undefined = readPiece(source)
      let one: Export
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            one = { storeId, controller, askedAt: clock.monotonic() }
            open.add(one)
          },
          async pull(controller) {
            one.askedAt = clock.monotonic()
            await turn()
            if (!open.has(one)) return
            try {
              const piece = next ?? readPiece(source)
              next = undefined
              if (piece !== '') controller.enqueue(encoder.encode(piece))
              else if (open.delete(one)) controller.close()
            } catch (error) {
              log.error({ err: error, store_id: storeId }, 'an export broke off')
              noteFault(error)
              cut(one)
            }
          },
          cancel() {
            open.delete(one)
          },
        },
        { highWaterMark: 0 },
      )
    },

    /** Gives up exports that nobody reads. */
    cutStalled(): void {
      const before = clock.monotonic() - STALLED_MS
      for (const one of open) if (one.askedAt < before) cut(one)
    },

    forgetStore(storeId: string): void {
      for (const one of open) if (one.storeId === storeId) cut(one)
    },
  }
}

const tooMany = () => new ApiError('overloaded', 'Too many exports are running', { retryAfterSeconds: 30 })
