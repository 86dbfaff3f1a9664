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
