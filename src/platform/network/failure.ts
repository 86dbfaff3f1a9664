/** Why no connection was made to an address that a customer named. */
export type NetworkReason = 'url_not_allowed' | 'blocked_address' | 'dns' | 'connect' | 'timeout' | 'tls'

/** A foreseen failure on the way to another server. Callers turn it into the code of their own feature. */
export class NetworkError extends Error {
  readonly reason: NetworkReason

  /** @param message fit for the client: names no address that a lookup gave. */
  constructor(reason: NetworkReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NetworkError'
    this.reason = reason
  }
}

/**
 * Waits for `work`, but no longer than until `signal` aborts. Does not stop the work itself.
 *
 * @throws the reason of the signal.
 */
export const untilAborted = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
