/**
 * Creates a lock that runs tasks of one key in order of arrival and tasks of different keys concurrently.
 *
 * Writes to one product must not overtake each other while they wait for a download.
 */
export function createKeyedLock() {
  const tails = new Map<string, Promise<unknown>>()

  return function locked<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = tails.get(key) ?? Promise.resolve()
    const result = before.then(work, work)
    const tail = result.then(
      () => undefined,
      () => undefined,
    )
    tails.set(key, tail)
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    return result
  }
}
