/** Tries to serve an owner; returns undefined if the owner must wait. */
export type Grant<Value> = (owner: string) => Value | undefined

export interface WaitOptions {
  /** Longest wait, in ms. */
  ms: number
  /** Cancels the wait. */
  signal?: AbortSignal | undefined
  /** Creates the error for a wait that ends without being served. */
  failure(): Error
}

interface Waiter {
  /** Serves the waiter if possible. @returns whether it did. */
  tryServe(): boolean
}

/** Creates a queue in which owners take turns: whoever was served last goes last, however many wait for one owner. */
export function createFairQueue() {
  const waiting = new Map<string, Waiter[]>()

  /** @returns whether anyone could be served. */
  function serveNext(): boolean {
    for (const [owner, waiters] of waiting) {
      if (!waiters[0]?.tryServe()) continue
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

  /** Serves all waiters that can be served. Call it whenever something is freed. */
  function serve(): void {
    while (serveNext());
  }

  return {
    serve,

    /** @throws the error of `failure` when the time is over or the signal aborts. */
    wait<Value>(owner: string, grant: Grant<Value>, { ms, signal, failure }: WaitOptions): Promise<Value> {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          tryServe() {
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
          reject(failure())
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
