import type { Logger } from 'pino'

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const

/** More errors than this in a minute mean that the service is broken for good. */
const ERRORS_MAX = 20
const WINDOW_MS = 60_000

/** Prints an uncaught error in one line and ends the command. */
function endInOneLine(error: unknown): never {
  // A reader that has seen enough, such as `head`, is no failure.
  if (isBrokenPipe(error)) process.exit(0)
  const text = error instanceof Error ? error.message : String(error)
  console.error(`lookalike: ${text.split('\n', 1)[0]}`)
  process.exit(1)
}

const isBrokenPipe = (error: unknown): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'EPIPE' && syscall === 'write'
}

/** For commands. Without this Bun would print lines of the minified program. */
export function endWhenUncaught(): void {
  for (const event of EVENTS) process.on(event, endInOneLine)
}

/**
 * For the service: logs an uncaught error, and the service goes on. Its state is in the database, where transactions are
 * atomic, and only timers and sockets throw outside a request.
 *
 * @param isBetweenTransactions false if an error has left a transaction open, which only a restart repairs.
 * @param now monotonic time in ms.
 */
export function logUncaught(
  log: Pick<Logger, 'error' | 'fatal'>,
  isBetweenTransactions: () => boolean,
  now: () => number,
): void {
  for (const event of EVENTS) process.off(event, endInOneLine)
  process.on('unhandledRejection', (err) => log.error({ err: toError(err) }, 'unhandled promise rejection'))
  let recent: number[] = []
  process.on('uncaughtException', (err) => {
    recent = [...recent.filter((at) => now() - at < WINDOW_MS), now()]
    if (recent.length <= ERRORS_MAX && isBetweenTransactions()) {
      log.error({ err: toError(err) }, 'uncaught error')
      return
    }
    log.fatal({ err: toError(err) }, 'uncaught error; the service cannot go on')
    process.exit(1)
  })
}

/** The log prints stacks of Error objects only. */
const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
