import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'

export interface Action {
  isBusy: boolean
  error: CallError | null
  /** Whether the last run has succeeded. */
  isDone: boolean
  run(): Promise<void>
}

/** Something that a button starts: one run at a time, with its failure in place. */
export function useAction(act: () => Promise<unknown>): Action {
  const [state, setState] = useState<'idle' | 'busy' | 'done' | CallError>('idle')
  return {
    isBusy: state === 'busy',
    error: state instanceof Error ? state : null,
    isDone: state === 'done',
    async run() {
      if (state === 'busy') return
      setState('busy')
      try {
        await act()
        setState('done')
      } catch (thrown) {
        setState(toCallError(thrown))
      }
    },
  }
}
