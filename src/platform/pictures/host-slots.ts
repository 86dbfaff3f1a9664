import pLimit from 'p-limit'

export interface HostSlots {
  /**
   * Runs `work` as soon as fewer than the allowed number run for this host.
   *
   * @throws what `onTooLong` gives when no slot comes free in time; `work` then never starts.
   */
  run<Value>(host: string, work: () => Promise<Value>): Promise<Value>
}

export interface HostSlotsOptions {
  perHostMax: number
  /** Longest wait for a slot. */
  waitMs: number
  onTooLong: (host: string) => Error
}

/** Bounds how much runs at once for each host, so that no catalogue floods the server its pictures are on. */
export const createHostSlots = ({ perHostMax, waitMs, onTooLong }: HostSlotsOptions): HostSlots => {
  const hosts = new Map<string, { limit: ReturnType<typeof pLimit>; users: number }>()

  return {
    async run(host, work) {
      const entry = hosts.get(host) ?? { limit: pLimit(perHostMax), users: 0 }
      hosts.set(host, entry)
      entry.users += 1
      const gaveUp = Promise.withResolvers<never>()
      const timer = setTimeout(() => gaveUp.reject(onTooLong(host)), waitMs)
      let hasGivenUp = false
      const turn = entry.limit(async () => {
        // The turn of a caller who has left goes to the next one at once.
        if (hasGivenUp) return gaveUp.promise
        clearTimeout(timer)
        return work()
      })
      // A host is forgotten when nobody uses it, so that the map stays as small as the present work.
      const leave = () => {
        entry.users -= 1
        if (entry.users === 0) hosts.delete(host)
      }
      turn.then(leave, leave)
      gaveUp.promise.catch(() => {
        hasGivenUp = true
      })
      return Promise.race([turn, gaveUp.promise])
    },
  }
}
