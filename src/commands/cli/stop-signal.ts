/** Creates a signal that aborts at the first SIGTERM or SIGINT; the second ends the process at once. */
export function createStopSignal(): AbortSignal {
  const told = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (told.signal.aborted) process.exit(1)
      told.abort()
    })
  }
  return told.signal
}

/** Resolves when a signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
