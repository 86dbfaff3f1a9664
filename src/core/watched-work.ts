interface Repeated {
  name: string
  everyMs: number
  run(): unknown
}

/** Tells of every fault of repeated work, which no answer does. */
export const watchWork = (work: readonly Repeated[], reportFault: (error: unknown) => void): Repeated[] =>
  work.map(({ run, ...rest }) => ({
    ...rest,
    async run() {
      try {
        await run()
      } catch (error) {
        reportFault(error)
        throw error
      }
    },
  }))
