import { useState } from 'preact/hooks'
import { type Sending, useSending } from './use-sending.ts'

export interface Action extends Pick<Sending, 'isBusy' | 'error'> {
  /** Whether the last run has succeeded. */
  isDone: boolean
  run(): Promise<void>
}

/** Something that one button starts: what `useSending` does, for work that is always the same. */
export function useAction(act: () => Promise<unknown>): Action {
  const { isBusy, error, run } = useSending()
  const [isDone, setDone] = useState(false)
  return {
    isBusy,
    error,
    isDone: isDone && !isBusy,
    run: () =>
      run(async () => {
        setDone(false)
        await act()
        setDone(true)
      }),
  }
}
