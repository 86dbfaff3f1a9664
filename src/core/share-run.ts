/** Work that runs once for all who ask while it runs: they get its result. Who asks later starts it again. */
export function shareRun<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Work that runs once for all who ask before it begins. Who asks while it runs gets the result of the next run, which begins later. */
export function shareLater<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> | undefined
  let next: Promise<Result> | undefined
  const start = (): Promise<Result> => {
    next = undefined
    const mine = run()
    const ended = mine.then(
      () => {},
      () => {},
    )
    running = ended
    void ended.then(() => {
      if (running === ended) running = undefined
    })
    return mine
  }
  return () => {
    if (running === undefined) return start()
    next ??= running.then(start)
    return next
  }
}
