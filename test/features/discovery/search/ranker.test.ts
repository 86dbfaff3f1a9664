import { expect, test } from 'bun:test'
import type { Query } from '../../../../src/features/discovery/search/query.ts'
import {
  createRanker,
  type RankerDeps,
  type RankingScope,
} from '../../../../src/features/discovery/search/ranker.ts'

const MODEL = { embedder: {} }

test('searches that are ready together rank in turns of their own, and others are served between them', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const rankedIn: number[] = []
  const rank = createRanker({
    queries: { hasProducts: () => false },
    models: { of: () => MODEL },
    findStore() {
      rankedIn.push(turns)
      return undefined
    },
  } as unknown as RankerDeps)
  const query = {
    searcher: { storeId: 's' },
    model: MODEL,
    wanted: {},
    rankBy: { kind: 'nothing' },
  } as unknown as Query
  await Promise.all(Array.from({ length: 10 }, () => rank(query, {} as RankingScope)))
  isOver = true
  expect(rankedIn).toHaveLength(10)
  expect(new Set(rankedIn).size).toBe(10)
})
