import { useRef, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'

export interface Sending {
  isBusy: boolean
  /** Why the last run failed; it stays until the next. */
  error: CallError | null
  /** Runs once at a time. A failure stays in `error`, and what was typed stays where it is. */
  run(work: () => Promise<unknown>): Promise<void>
}

/** Something that a button or a form does. */
export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<CallError | null>(null)
  const isRunning = useRef(false)
  return {
    isBusy,
    error,
    async run(work) {
      if (isRunning.current) return
      isRunning.current = true
      setBusy(true)
      setError(null)
      try {
        await work()
      } catch (thrown) {
        setError(toCallError(thrown))
      } finally {
        isRunning.current = false
        setBusy(false)
      }
    },
  }
}
