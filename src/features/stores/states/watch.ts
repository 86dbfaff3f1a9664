export interface StateWatchDeps {
  listSuspendedIds(): string[]
  /** Ends what a store is being sent: requests are judged when they begin, and these last. */
  endStreams(storeId: string): void
  /** Wakes the work of stores that has waited. */
  goOn(): void
}

/** Creates what looks which stores are suspended, to be called every second. A command may have changed it. */
export function createStateWatch({ listSuspendedIds, endStreams, goOn }: StateWatchDeps) {
  let before = new Set<string>()

  return (): void => {
    const now = new Set(listSuspendedIds())
    for (const id of now) if (!before.has(id)) endStreams(id)
    const isAnyResumed = [...before].some((id) => !now.has(id))
    before = now
    if (isAnyResumed) goOn()
  }
}
