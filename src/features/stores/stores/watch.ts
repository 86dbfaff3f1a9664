export interface StateWatchDeps {
  listSuspendedIds(): string[]
  /** Ends what a store is being sent: requests are judged when they begin, and these last. */
  endStreams(storeId: string): void
  /** Ends what callers are being sent who have lost their right since. */
  endStreamsOfTheGone(): void
  /** Wakes the work of stores that has waited. */
  goOn(): void
}

/** Creates what looks which stores are suspended and whose rights are lost, to be called every second: a command may do either. */
export function createStateWatch({
  listSuspendedIds,
  endStreams,
  endStreamsOfTheGone,
  goOn,
}: StateWatchDeps) {
  let before = new Set<string>()

  return (): void => {
    const now = new Set(listSuspendedIds())
    for (const id of now) if (!before.has(id)) endStreams(id)
    endStreamsOfTheGone()
    const isAnyResumed = [...before].some((id) => !now.has(id))
    before = now
    if (isAnyResumed) goOn()
  }
}
