import { useCallback, useEffect, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'

/** What a part of a page shows while it waits, and afterwards. */
export type Loaded<Value> =
  | { state: 'loading' }
  | { state: 'failed'; error: CallError }
  | { state: 'there'; value: Value }

/**
 * Loads something when the component appears and when a dependency changes; a newer question cancels the older one.
 *
 * @returns the state, and a function that loads again.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): [Loaded<Value>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    setLoaded({ state: 'loading' })
    load(stop.signal).then(
      (value) => !stop.signal.aborted && setLoaded({ state: 'there', value }),
      (thrown) => !stop.signal.aborted && setLoaded({ state: 'failed', error: toCallError(thrown) }),
    )
    return () => stop.abort()
  }, [...dependencies, round])
  return [loaded, useCallback(() => setRound((n) => n + 1), [])]
}
