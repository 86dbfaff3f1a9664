/** Tries to serve an owner; returns undefined if the owner must wait. */
export type Grant<Value> = (owner: string) => Value | undefined

export interface WaitOptions {
  /** Longest wait, in ms. */
  ms: number
  /** Cancels the wait. */
  signal?: AbortSignal | undefined
  /** Creates the error for a wait that ends without being served. */
  failure(): Error
  /** What the owner waits for: its lanes take turns within its own, and none holds up another. */
  lane?: string | undefined
}

interface Waiter {
  /** Serves the waiter if possible. @returns whether it did. */
  tryServe(): boolean
}

/**
 * Creates a queue in which owners take turns: whoever was served last goes last, however many wait for one owner.
 *
 * @param againMs looks again so often while somebody waits, for what becomes free by time alone.
 */
export function createFairQueue(againMs?: number) {
  /** By owner, then by lane. */
  const waiting = new Map<string, Map<string, Waiter[]>>()
  let timer: ReturnType<typeof setInterval> | undefined

  /** @returns whether anyone could be served. */
  function serveNext(): boolean {
    for (const [owner, lanes] of waiting) {
      for (const [lane, waiters] of lanes) {
        if (!waiters[0]?.tryServe()) continue
        waiters.shift()
        lanes.delete(lane)
        if (waiters.length > 0) lanes.set(lane, waiters)
        waiting.delete(owner)
        if (lanes.size > 0) waiting.set(owner, lanes)
        return true
      }
    }
    return false
  }

  function enter(owner: string, lane: string, waiter: Waiter): void {
    const lanes = waiting.get(owner) ?? new Map<string, Waiter[]>()
    const waiters = lanes.get(lane) ?? []
    waiters.push(waiter)
    lanes.set(lane, waiters)
    waiting.set(owner, lanes)
    if (againMs !== undefined) timer ??= setInterval(serve, againMs)
  }

  function leave(owner: string, lane: string, waiter: Waiter): void {
    const lanes = waiting.get(owner)
    const waiters = lanes?.get(lane) ?? []
    waiters.splice(waiters.indexOf(waiter), 1)
    if (waiters.length === 0) lanes?.delete(lane)
    if (lanes?.size === 0) waiting.delete(owner)
    rest()
  }

  function rest(): void {
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** Serves all waiters that can be served. Call it whenever something is freed. */
  function serve(): void {
    while (serveNext());
    rest()
  }

  return {
    serve,

    /** @throws the error of `failure` when the time is over or the signal aborts. */
    wait<Value>(
      owner: string,
      grant: Grant<Value>,
      { ms, signal, failure, lane = '' }: WaitOptions,
    ): Promise<Value> {
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
          clearTimeout(patience)
          signal?.removeEventListener('abort', giveUp)
        }
        const giveUp = (): void => {
          end()
          leave(owner, lane, waiter)
          reject(failure())
        }
        const patience = setTimeout(giveUp, ms)
        signal?.addEventListener('abort', giveUp, { once: true })
        enter(owner, lane, waiter)
        if (signal?.aborted) giveUp()
        else serve()
      })
    },
  }
}
