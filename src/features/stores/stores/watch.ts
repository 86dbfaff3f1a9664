export interface StateWatchDeps {
  listSuspendedIds(): string[]
  /** Ends the open streams of a store, because a request is judged only when it begins. */
  endStreams(storeId: string): void
  /** Ends the open streams of callers who have lost their right since. */
  endStreamsOfTheGone(): void
  /** Wakes the waiting work of stores. */
  goOn(): void
}

/** Creates the check for suspended stores and lost rights. Call it every second, because a command may cause either. */
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
