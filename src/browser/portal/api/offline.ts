import { signal } from '../signal.ts'
import { CallError } from './errors.ts'

/** Whether the last call got no answer. The banner of the shell follows it. */
export const isOffline = signal(false)

/** The last call that failed, for a report. */
export const lastFailure = signal<CallError | null>(null)

export const offline = {
  /** Runs a call and notes whether anybody answered. */
  async watch<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      const result = await run()
      isOffline.set(false)
      return result
    } catch (thrown) {
      if (thrown instanceof CallError) {
        isOffline.set(thrown.code === 'offline')
        lastFailure.set(thrown)
      }
      throw thrown
    }
  },
}
