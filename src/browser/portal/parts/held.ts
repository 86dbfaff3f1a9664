import { useState } from 'preact/hooks'
import type { Loaded } from './use-load.ts'

/** What was loaded, until an answer to a change takes its place: the page stays as it is meanwhile. */
export function useHeld<Value>(loaded: Loaded<Value>): [Value | null, (value: Value) => void] {
  const [changed, setChanged] = useState<Value | null>(null)
  return [changed ?? (loaded.state === 'there' ? loaded.value : null), setChanged]
}
