export interface ScoreRequest {
  query: Float32Array
  /** Estimates from one bit of each dimension are enough, where the store has them. */
  mayEstimate?: boolean
}

export interface SlotScores {
  /** For every slot; -Infinity for a free one. */
  scores: Float32Array
  /** For each 64 slots a number that none of their scores exceeds. */
  tops: Float32Array
  /** Whether the scores are estimates. Otherwise their error is about 0.0005. */
  isEstimated: boolean
}

/** A search of a large store that waits for a scan. */
export interface Waiting {
  query: Float32Array
  /** Uses the scores, and settles the promise of the search. */
  use(scores: SlotScores): void
  /** The store was removed. */
  end(): void
  fail(error: unknown): void
}
