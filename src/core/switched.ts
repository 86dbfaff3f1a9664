/** A store was switched to another model in the middle of work that had begun with the former one. */
export class ModelSwitched extends Error {
  constructor() {
    super('The store was switched to another model meanwhile')
  }
}

/** A move switches a store once, and another move begins with a command; so the second run is the last one in practice. */
const RUNS_MAX = 4

/** Does work on a store, and does it again from the start if the store was switched to another model in its middle. */
export async function inOneModel<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let run = 1; ; run++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ModelSwitched) || run === RUNS_MAX) throw error
    }
  }
}

/** The same of each of some verbs. */
export function inOneModelEach<Verbs extends Record<string, (...asked: never[]) => Promise<unknown>>>(
  verbs: Verbs,
): Verbs {
  const wrapped = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...asked: never[]) => inOneModel(() => verb(...asked)),
  ])
  return Object.fromEntries(wrapped) as Verbs
}
