interface Repeated {
  name: string
  everyMs: number
  run(): unknown
}

type Leave = () => void

/** Lets work that may touch any store rest while a store is paused (`core/write-gate.ts`). */
export const restDuringPauses = <Work extends Repeated & { reach?: string }>(
  work: readonly Work[],
  gate: { tryEnterAll(): Leave | undefined },
): Work[] =>
  work.map((each) => {
    if (each.reach !== undefined && each.reach !== 'any') return each
    return {
      ...each,
      async run() {
        const leave = gate.tryEnterAll()
        if (!leave) return
        try {
          await each.run()
        } finally {
          leave()
        }
      },
    }
  })

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
