import pLimit from 'p-limit'

export interface HostSlots {
  /**
   * Runs `work` as soon as the host has a free slot.
   *
   * @throws the error of `onTooLong` if no slot becomes free in time; `work` then never starts.
   */
  run<Value>(host: string, work: () => Promise<Value>): Promise<Value>
}

export interface HostSlotsOptions {
  perHostMax: number
  /** Longest wait for a slot, in ms. */
  waitMs: number
  onTooLong: (host: string) => Error
}

/** Limits concurrent work per host, so that no catalogue floods the server that holds its pictures. */
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
        // The caller has left; the next one takes the slot at once.
        if (hasGivenUp) return gaveUp.promise
        clearTimeout(timer)
        return work()
      })
      // Unused hosts are dropped, so that the map is never larger than the current work.
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
