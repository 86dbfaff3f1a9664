import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { OpenBytes } from '../../../core/open-bytes.ts'
import { turn } from '../../../core/turns.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'

/** The limits of reading one file. */
export interface PaceLimits {
  /** Records of every kind in one reading: products, empty and wrong ones, and those that are left out. */
  recordsMax: number
  /** Own time of the event loop, in ms. */
  workMsMax: number
}

const PACE_LIMITS: PaceLimits = { recordsMax: 250_000, workMsMax: 30_000 }

/** How long reading holds the event loop at a time, in ms. */
const STEP_MS = 8
/** The most that parsers get at once, because they turn a piece into records in one step. */
const PIECE_BYTES = 8 * 1024

/** Keeps the reading of one file from holding up others, and from having no end. */
export interface Pace {
  /**
   * Counts a record, and gives others a turn if it is their time.
   *
   * @returns what to wait for, if anything. @throws UnreadableFile for one record too many.
   */
  next(): Promise<void> | undefined
  /** Hands out small pieces of a file. @throws UnreadableFile when the file has cost too much; ApiError when its sender left. */
  read(open: OpenBytes): OpenBytes
  /** Hands the event loop over to work that is no part of the reading. @throws as `read`. */
  pause(): void
  /** Takes it back. @throws as `read`. */
  resume(): void
  /** Does something that is no part of the reading, and costs none of its time. */
  outside<Result>(work: () => Promise<Result>): Promise<Result>
}

/** @param left aborts when nobody waits for the file any more. */
export function createPace(
  { monotonic }: Pick<Clock, 'monotonic'>,
  left?: AbortSignal,
  limits = PACE_LIMITS,
): Pace {
  const { recordsMax, workMsMax } = limits
  let records = 0
  let workMs = 0
  /** Since when the loop belongs to this reading. */
  let since = monotonic()
  let cpu = process.cpuUsage()

  /** A machine that is busy with something else takes longer, which must not count against the file. */
  function pause(): void {
    const { user, system } = process.cpuUsage(cpu)
    workMs += Math.min(monotonic() - since, (user + system) / 1_000)
    if (workMs > workMsMax) throw tooExpensive(workMsMax)
  }

  function measure(): void {
    since = monotonic()
    cpu = process.cpuUsage()
  }

  function resume(): void {
    if (left?.aborted) throw gone()
    measure()
  }

  async function outside<Result>(work: () => Promise<Result>): Promise<Result> {
    pause()
    try {
      return await work()
    } finally {
      measure()
    }
  }

  async function rest(): Promise<void> {
    pause()
    await turn()
    resume()
  }

  return {
    next() {
      if (++records > recordsMax) throw tooManyRecords(recordsMax)
      return monotonic() - since > STEP_MS ? rest() : undefined
    },

    read: (open) =>
      async function* () {
        // A file may be read several times, each of which has the same rows.
        records = 0
        const pieces = open()[Symbol.asyncIterator]()
        try {
          for (;;) {
            pause()
            const { done, value } = await pieces.next()
            resume()
            if (done) return
            for (let at = 0; at < value.length; at += PIECE_BYTES) {
              yield value.subarray(at, at + PIECE_BYTES)
              if (monotonic() - since > STEP_MS) await rest()
            }
          }
        } finally {
          await pieces.return?.()
        }
      },

    pause,
    resume,
    outside,
  }
}

const tooManyRecords = (max: number): UnreadableFile =>
  new UnreadableFile(
    `The file has more than ${max} rows, empty and wrong ones included: split it into several files`,
  )

const tooExpensive = (ms: number): UnreadableFile =>
  new UnreadableFile(
    `Reading the file takes more than ${ms / 1_000} seconds of computing: split it into several files`,
  )

const gone = (): ApiError =>
  new ApiError('invalid_request', 'The client left before its file was read', {
    headers: { connection: 'close' },
  })
