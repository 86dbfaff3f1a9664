/** What a search answered: products with their scores, best first. */
export type Answer = readonly { id: string; score: number }[]

/** A search during a move. */
export interface Sample {
  store: string
  query: number
  /** When it was sent, on the monotonic clock, and how long it took, in ms. */
  at: number
  ms: number
  /** The service had just started, and said that it does not know all words yet. */
  isStarting: boolean
  /** Undefined for a search that got no answer, because the service was killed under it or was starting. */
  answer: Answer | undefined
}

/** What the searches of a store answer from one model, by query. */
export type Reference = readonly Answer[]

/** Vectors made in other company differ by the rounding to 8 bits. */
const SCORE_TOLERANCE = 0.03
const COMMON_MIN = 0.8

/** Whether an answer is that of a reference: nearly the same products, and those with the same scores. */
export function isLike(answer: Answer, reference: Answer): boolean {
  const scores = new Map(reference.map(({ id, score }) => [id, score]))
  const common = answer.filter(({ id }) => scores.has(id))
  return (
    common.length >= COMMON_MIN * Math.max(answer.length, reference.length) &&
    common.every(({ id, score }) => Math.abs(score - (scores.get(id) as number)) <= SCORE_TOLERANCE)
  )
}

export interface Verdict {
  answered: number
  unanswered: number
  /** Answers of a service that had just started; they are judged by nothing else. */
  starting: number
  empty: number
  /** Answers of the old model and of the new one; those of queries that both answer alike are `either`. */
  old: number
  new: number
  either: number
  /** Answers of neither. */
  mixed: Sample[]
  /** Answers of the old model after one of the new model in the same store. */
  backwards: number
}

/** Judges the searches of a move by what both models answer. */
export function judge(
  samples: readonly Sample[],
  before: ReadonlyMap<string, Reference>,
  after: ReadonlyMap<string, Reference>,
): Verdict {
  const verdict: Verdict = {
    ...{
      answered: 0,
      unanswered: 0,
      starting: 0,
      empty: 0,
      old: 0,
      new: 0,
      either: 0,
      mixed: [],
      backwards: 0,
    },
  }
  const switched = new Set<string>()
  for (const sample of samples.toSorted((a, b) => a.at - b.at)) {
    const { store, query, answer } = sample
    if (!answer) {
      verdict.unanswered++
      continue
    }
    verdict.answered++
    if (sample.isStarting) {
      verdict.starting++
      continue
    }
    if (answer.length === 0) verdict.empty++
    const isOld = isLike(answer, before.get(store)?.[query] ?? [])
    const isNew = isLike(answer, after.get(store)?.[query] ?? [])
    if (isOld && isNew) verdict.either++
    else if (isNew) {
      verdict.new++
      switched.add(store)
    } else if (isOld) {
      verdict.old++
      if (switched.has(store)) verdict.backwards++
    } else verdict.mixed.push(sample)
  }
  return verdict
}

export const isSound = ({ answered, empty, mixed, backwards }: Verdict): boolean =>
  answered > 0 && empty === 0 && mixed.length === 0 && backwards === 0
