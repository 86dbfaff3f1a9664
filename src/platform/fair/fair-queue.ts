/** Tries to serve an owner; returns undefined if the owner must wait. */
export type Grant<Value> = (owner: string) => Value | undefined

export interface WaitOptions {
  /** Longest wait, in ms; without it, the wait ends by the signal alone. */
  ms?: number | undefined
  /** Cancels the wait. */
  signal?: AbortSignal | undefined
  /** Creates the error for a wait that ends without being served. */
  failure(): Error
  /** Names the thing that the owner waits for: its lanes take turns within its own, and none holds up another. */
  lane?: string | undefined
}

interface Waiter {
  /** Serves the waiter if possible. @returns whether it did. */
  tryServe(): boolean
  giveUp(): void
}

export interface FairQueueOptions {
  /** Polls at this interval while somebody waits, in ms, for places that become free by time alone. */
  againMs?: number
  /**
   * Most waiters. When the queue is full, the owner with the most waiters loses its youngest, or the newcomer is refused
   * if that owner is its own. For queues without lanes.
   */
  max?: number | undefined
  /** Whether any waiter of an owner may be served; asked once an owner, so that its lanes need not be tried. */
  isOpen?(owner: string): boolean
}

/** Creates a queue in which owners take turns: the owner served last goes last, however many waiters it has. */
export function createFairQueue({ againMs, max = Infinity, isOpen = () => true }: FairQueueOptions = {}) {
  /** By owner, then by lane. */
  const waiting = new Map<string, Map<string, Waiter[]>>()
  let count = 0
  let timer: ReturnType<typeof setInterval> | undefined

  /** @returns whether anyone could be served. */
  function serveNext(): boolean {
    for (const [owner, lanes] of waiting) {
      if (!isOpen(owner)) continue
      for (const [lane, waiters] of lanes) {
        if (!waiters[0]?.tryServe()) continue
        waiters.shift()
        count--
        lanes.delete(lane)
        if (waiters.length > 0) lanes.set(lane, waiters)
        waiting.delete(owner)
        if (lanes.size > 0) waiting.set(owner, lanes)
        return true
      }
    }
    return false
  }

  /** Makes a place for a newcomer by displacing a waiter. @returns whether there is one now. */
  function displace(newcomer: string): boolean {
    const countOf = (owner: string): number => waiting.get(owner)?.get('')?.length ?? 0
    let [longest, most] = [newcomer, countOf(newcomer)]
    for (const owner of waiting.keys())
      if (countOf(owner) > most + 1) [longest, most] = [owner, countOf(owner)]
    if (longest === newcomer) return false
    waiting.get(longest)?.get('')?.at(-1)?.giveUp()
    return true
  }

  function enter(owner: string, lane: string, waiter: Waiter): void {
    const lanes = waiting.get(owner) ?? new Map<string, Waiter[]>()
    const waiters = lanes.get(lane) ?? []
    waiters.push(waiter)
    lanes.set(lane, waiters)
    waiting.set(owner, lanes)
    count++
    if (againMs !== undefined) timer ??= setInterval(serve, againMs)
  }

  function leave(owner: string, lane: string, waiter: Waiter): void {
    const lanes = waiting.get(owner)
    const waiters = lanes?.get(lane) ?? []
    waiters.splice(waiters.indexOf(waiter), 1)
    count--
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
    isEmpty: (): boolean => waiting.size === 0,

    /** @throws the error of `failure` when the time is up, the signal aborts, or the queue is full. */
    wait<Value>(
      owner: string,
      grant: Grant<Value>,
      { ms, signal, failure, lane = '' }: WaitOptions,
    ): Promise<Value> {
      return new Promise((resolve, reject) => {
        if (count >= max && !displace(owner)) {
          reject(failure())
          return
        }
        const waiter: Waiter = {
          giveUp: () => giveUp(),
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
        const patience = ms === undefined ? undefined : setTimeout(giveUp, ms)
        signal?.addEventListener('abort', giveUp, { once: true })
        enter(owner, lane, waiter)
        if (signal?.aborted) giveUp()
        else serve()
      })
    },
  }
}
