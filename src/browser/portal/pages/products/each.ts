import { type CallError, toCallError } from '../../api/errors.ts'

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

/** What became of a change of many products. */
export interface Outcome {
  failed: readonly string[]
  /** Why the first of them failed. */
  error: CallError | null
}

/**
 * Changes one product after the other. A budget that is spent is waited for; a product that fails does not stop the others, but a
 * lost right or a service that does not answer does.
 */
export async function changeEach(
  ids: readonly string[],
  change: (id: string) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const failed: string[] = []
  let first: CallError | null = null
  for (const [n, id] of ids.entries()) {
    try {
      await changeOne(() => change(id))
    } catch (thrown) {
      const error = toCallError(thrown)
      first ??= error
      if (error.status === 403 || error.code === 'offline')
        return { failed: [...failed, ...ids.slice(n)], error }
      failed.push(id)
    }
    onProgress(n + 1)
  }
  return { failed, error: first }
}

/** @throws CallError */
async function changeOne(change: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await change()
      return
    } catch (thrown) {
      const error = toCallError(thrown)
      if (error.status !== 429 || error.retryAfter === null) throw error
      await pause(error.retryAfter)
    }
  }
}
