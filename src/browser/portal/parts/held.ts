import { useState } from 'preact/hooks'
import type { Loaded } from './use-load.ts'

/**
 * What was loaded, until answers to changes take its place: the page stays as it is meanwhile.
 *
 * @returns the value, and a function that changes the newest one, because two answers may come at once.
 */
export function useHeld<Value>(
  loaded: Loaded<Value>,
): [Value | null, (change: (value: Value) => Value) => void] {
  const [changed, setChanged] = useState<Value | null>(null)
  const first = loaded.state === 'there' ? loaded.value : null
  return [
    changed ?? first,
    (change) =>
      setChanged((newest) => {
        const value = newest ?? first
        return value === null ? null : change(value)
      }),
  ]
}
