import { join } from 'node:path'
import type { Logger } from 'pino'
import { createBackoff } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { DATABASE_FILE } from '../db/open.ts'
import { type GuardedChild, readWords, startGuarded } from './child.ts'
import {
  findLogNumber,
  isSent,
  type LogEnd,
  type LogLine,
  parseLogLine,
  parseSentLine,
  type SentEnd,
  watchLogEnd,
} from './position.ts'
import {
  buildRunEnvironment,
  type CopyAddress,
  type CopyPace,
  WORK_FOLDER,
  writeRunFile,
} from './run-file.ts'

/** Losing at most a second: found after 250 ms, sent after 500 ms more. */
export const USUAL_PACE: CopyPace = { lookMs: 250, sendMs: 500 }

/** For answers that wait for the copy. Looking costs a few calls of the system when nothing was written. */
export const SYNC_PACE: CopyPace = { lookMs: 20, sendMs: 20 }

/** How often the end of the log is looked at: so exact is the age of what was not sent. */
const LOOK_MS = 100
/** How often those who wait are looked at when nothing was sent: a log may have begun anew. */
const SETTLE_MS = 500
/** Looks that are kept while nothing is sent: those of a minute. The oldest alone tells the age. */
const UNSENT_MAX = 600
/** How long a stop waits for what is left to be sent. */
const FINISH_MS = 4_000
const RESTARTS = [500, 2_000, 10_000, 30_000] as const
/** A run that lasted longer was a good one. */
const GOOD_RUN_MS = 60_000
/** The same fault is logged so often. */
const REPEAT_MS = 60_000

export interface CopyingDeps {
  /** Path of Litestream. */
  program: string
  /** Absolute. */
  dataDir: string
  address: CopyAddress
  pace: CopyPace
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

export interface Copying {
  /** How long the oldest commit waits that the copy lacks, in ms; 0 when it lacks nothing. Infinite until it is whole for the first time. */
  readLagMs(): number
  /** The last fault since something was sent. */
  readFault(): string | undefined
  /** Resolves when everything that was committed before lies in the bucket. */
  waitUntilSent(): Promise<void>
  /** Sends what is left, and ends. To be called when this process has closed the database. */
  stop(): Promise<void>
  /** Ends at once. */
  kill(): void
}

/** Copies the database of a data folder into a bucket while it is written, and goes on after every fault. */
export function startCopying(deps: CopyingDeps): Copying {
  const { dataDir, address, clock, log, pace } = deps
  const runFile = writeRunFile(dataDir, 'copy', address, pace)
  const work = join(dataDir, WORK_FOLDER, 'litestream')
  const logEnd = watchLogEnd(join(dataDir, DATABASE_FILE))
  const env = buildRunEnvironment(dataDir, address.bucket)
  const command = [deps.program, 'replicate', '-no-expand-env', '-config', runFile]
  const backoff = createBackoff({ waits: [...RESTARTS] })

  let child: GuardedChild | undefined
  let isEnded = false
  let restart: Timer | undefined
  let sent: SentEnd | undefined
  let fault: string | undefined
  let faultToldAt = Number.NEGATIVE_INFINITY
  let isWhole = false
  let waiting: { end: LogEnd; resolve: () => void }[] = []
  /** When ends of the log were seen that are not sent, the oldest first. */
  const unsent: number[] = []
  let seen: LogEnd | undefined

  function hear(line: LogLine): void {
    const piece = parseSentLine(line)
    if (piece) {
      sent = piece
      fault = undefined
      settle()
    } else if (line.level === 'ERROR') tellFault(`${line.msg}${line.error ? `: ${line.error}` : ''}`)
    else if (line.msg === 'snapshot written') log.info('a whole copy of the database was sent')
  }

  function tellFault(said: string): void {
    const now = clock.monotonic()
    if (fault !== said || now - faultToldAt > REPEAT_MS) {
      log.error({ reason: said }, 'the database is not being copied')
      faultToldAt = now
    }
    fault = said
  }

  /** Frees those who wait for what has been sent. A log that Litestream began anew is asked for its end again. */
  function settle(): void {
    const piece = sent
    if (piece === undefined || waiting.length === 0) return
    const current = logEnd.read()
    const numbers = new Map<string, Omit<SentEnd, 'bytes'> | undefined>()
    const isThere = (end: LogEnd): boolean => {
      if (end.bytes === 0) return false
      if (!numbers.has(end.salts)) numbers.set(end.salts, findLogNumber(work, end.salts))
      const number = numbers.get(end.salts)
      return number !== undefined && isSent(piece, number, end)
    }
    const left: typeof waiting = []
    for (const one of waiting) {
      if (isThere(one.end)) one.resolve()
      // What lay in a log that has gone lies before the end of the present one.
      else if (current && current.salts !== one.end.salts && current.bytes > 0)
        left.push({ ...one, end: current })
      else left.push(one)
    }
    waiting = left
  }

  function start(failures: number): void {
    const startedAt = clock.monotonic()
    child = startGuarded(command, env)
    const { exited, stderr } = child
    void listen(stderr)
    void exited.then((code) => {
      child = undefined
      if (isEnded) return
      const next = clock.monotonic() - startedAt > GOOD_RUN_MS ? 0 : failures + 1
      tellFault(fault ?? `Litestream ended with ${code}`)
      restart = setTimeout(() => start(next), backoff(next))
    })
  }

  async function listen(stderr: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const line of readWords(stderr)) hear(parseLogLine(line))
    } catch {
      // Its end is seen elsewhere.
    }
  }

  function waitUntilSent(): Promise<void> {
    const end = logEnd.read() ?? { salts: '', bytes: 0 }
    return new Promise((resolve) => waiting.push({ end, resolve }))
  }

  /** Notes that there is something new, and when. The times resolve in their order, as the log is sent in its own. */
  function lookAtEnd(): void {
    const current = logEnd.read()
    // An empty log has nothing; what lay in the one before it is waited for.
    if (!current || current.bytes === 0 || unsent.length >= UNSENT_MAX) return
    if (current.salts === seen?.salts && current.bytes === seen.bytes) return
    seen = current
    unsent.push(clock.monotonic())
    void waitUntilSent().then(() => {
      unsent.shift()
      isWhole = true
    })
  }

  start(0)
  const looks = [setInterval(lookAtEnd, LOOK_MS), setInterval(settle, SETTLE_MS)]

  const end = (): void => {
    isEnded = true
    clearTimeout(restart)
    for (const look of looks) clearInterval(look)
  }

  return {
    readLagMs: () =>
      isWhole ? clock.monotonic() - (unsent[0] ?? clock.monotonic()) : Number.POSITIVE_INFINITY,
    readFault: () => fault,
    waitUntilSent,
    async stop() {
      end()
      logEnd.close()
      const last = child
      if (!last) return
      last.finish()
      const late = Bun.sleep(FINISH_MS).then(() => 'late' as const)
      if ((await Promise.race([last.exited, late])) === 'late') {
        log.warn('the last changes were not sent in time: the next start sends them')
        last.kill()
      }
    },
    kill() {
      end()
      child?.kill()
    },
  }
}
