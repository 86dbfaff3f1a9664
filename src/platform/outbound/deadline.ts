/**
 * Runs work with a signal that aborts after `ms` milliseconds, or as soon as `stop` does.
 *
 * @returns the result of `work`, which must obey the signal itself.
 */
export async function runWithDeadline<Value>(
  ms: number,
  stop: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController()
  const abort = () => deadline.abort()
  const timer = setTimeout(abort, ms)
  stop?.addEventListener('abort', abort)
  try {
    if (stop?.aborted) abort()
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
    stop?.removeEventListener('abort', abort)
  }
}

/**
 * Waits for `work` until `signal` aborts. Does not cancel the work.
 *
 * @throws the signal's reason.
 */
export const waitUntilAborted = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
