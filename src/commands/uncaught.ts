import type { Logger } from 'pino'

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const

/** More errors than this in a minute are no accident: something is broken for good. */
const ERRORS_MAX = 20
const WINDOW_MS = 60_000

/** Ends a command in one line for an error that nobody caught. */
function endInOneLine(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error)
  console.error(`lookalike: ${text.split('\n', 1)[0]}`)
  process.exit(1)
}

/** For commands that do one thing: without it Bun would print lines of the minified program. */
export function endWhenUncaught(): void {
  for (const event of EVENTS) process.on(event, endInOneLine)
}

/**
 * For a service: an error that nobody caught becomes a line in the log, and the service goes on. Its state is the
 * database's, where a transaction is whole or not there; what throws outside a request is a timer or a socket.
 *
 * @param isBetweenTransactions false when an error has left a transaction open: then only a new start helps.
 * @param now milliseconds that never go back.
 */
export function logUncaught(
  log: Pick<Logger, 'error' | 'fatal'>,
  isBetweenTransactions: () => boolean,
  now: () => number,
): void {
  for (const event of EVENTS) process.off(event, endInOneLine)
  process.on('unhandledRejection', (err) =>
    log.error({ err: asError(err) }, 'a promise failed and nobody waited for it'),
  )
  let recent: number[] = []
  process.on('uncaughtException', (err) => {
    recent = [...recent.filter((at) => now() - at < WINDOW_MS), now()]
    if (recent.length <= ERRORS_MAX && isBetweenTransactions()) {
      log.error({ err: asError(err) }, 'nobody caught an error')
      return
    }
    log.fatal({ err: asError(err) }, 'nobody caught an error, and the service cannot go on')
    process.exit(1)
  })
}

/** Only of errors the log knows the stack. */
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
