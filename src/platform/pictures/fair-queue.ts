/** Tries to give an owner what it waits for; undefined when it must wait. */
export type Grant<Value> = (owner: string) => Value | undefined

export interface WaitOptions {
  /** Longest wait. */
  ms: number
  /** Ends the wait at once. */
  signal?: AbortSignal | undefined
  /** What a wait in vain is told. */
  inVain(): Error
}

interface Waiter {
  /** Whether it was given what it waits for. */
  isServed(): boolean
}

/** Waits in line, in turns between owners: who was served last stands last, however many wait for one owner. */
export function createFairQueue() {
  const waiting = new Map<string, Waiter[]>()

  function isNextServed(): boolean {
    for (const [owner, waiters] of waiting) {
      if (!waiters[0]?.isServed()) continue
      waiters.shift()
      waiting.delete(owner)
      if (waiters.length > 0) waiting.set(owner, waiters)
      return true
    }
    return false
  }

  function leave(owner: string, waiter: Waiter): void {
    const waiters = waiting.get(owner) ?? []
    waiters.splice(waiters.indexOf(waiter), 1)
    if (waiters.length === 0) waiting.delete(owner)
  }

  /** Serves all that can be served; to be called whenever something has come free. */
  function serve(): void {
    while (isNextServed());
  }

  return {
    serve,

    /** @throws what `inVain` gives, after the time or when the signal says so. */
    wait<Value>(owner: string, grant: Grant<Value>, { ms, signal, inVain }: WaitOptions): Promise<Value> {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          isServed() {
            const value = grant(owner)
            if (value === undefined) return false
            end()
            resolve(value)
            return true
          },
        }
        const end = (): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
        }
        const giveUp = (): void => {
          end()
          leave(owner, waiter)
          reject(inVain())
        }
        const timer = setTimeout(giveUp, ms)
        signal?.addEventListener('abort', giveUp, { once: true })
        waiting.set(owner, [...(waiting.get(owner) ?? []), waiter])
        if (signal?.aborted) giveUp()
        else serve()
      })
    },
  }
}
