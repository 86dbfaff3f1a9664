import { describe, expect, test } from 'bun:test'
import { createBm25, rankByVector } from '../../scripts/bench/quality/baselines.ts'
import { average, judge } from '../../scripts/bench/quality/metrics.ts'

describe('judging a ranked list', () => {
  test('a perfect list reaches 1 in everything', () => {
    const right = new Set(['a', 'b'])
    expect(judge(['a', 'b', 'c'], right)).toEqual({ precisionAt10: 1, recallAt5: 1, ndcgAt10: 1 })
  })

  test('precision is capped at the number of right answers', () => {
    const ranked = ['x', 'a', 'b', ...Array.from({ length: 9 }, (_, n) => `y${n}`)]
    expect(judge(ranked, new Set(['a', 'b'])).precisionAt10).toBe(0.5)
  })

  test('nDCG follows its definition', () => {
    const { ndcgAt10 } = judge(['x', 'a', 'y', 'b'], new Set(['a', 'b']))
    const gain = 1 / Math.log2(3) + 1 / Math.log2(5)
    expect(ndcgAt10).toBeCloseTo(gain / (1 + 1 / Math.log2(3)), 12)
  })

  test('recall counts the first five only', () => {
    const ranked = ['1', '2', '3', '4', '5', 'a']
    expect(judge(ranked, new Set(['a'])).recallAt5).toBe(0)
    expect(judge(ranked.slice(1), new Set(['a'])).recallAt5).toBe(1)
  })

  test('a query without right answers is no query', () => {
    expect(() => judge(['a'], new Set())).toThrow()
  })

  test('averages each figure', () => {
    const good = { precisionAt10: 1, recallAt5: 1, ndcgAt10: 1 }
    const bad = { precisionAt10: 0, recallAt5: 0, ndcgAt10: 0.5 }
    expect(average([good, bad])).toEqual({ precisionAt10: 0.5, recallAt5: 0.5, ndcgAt10: 0.75 })
  })
})

describe('the ways that are compared with', () => {
  test('vectors rank by the best picture of each product', () => {
    const at = (...numbers: number[]) => Float32Array.from(numbers)
    const pictures = [
      { productId: 'a', vector: at(0, 1) },
      { productId: 'b', vector: at(0.6, 0.8) },
      { productId: 'a', vector: at(1, 0) },
    ]
    expect(rankByVector(at(1, 0), pictures)).toEqual(['a', 'b'])
  })

  test('BM25 ranks by rare words first, and leaves out what has none of them', () => {
    const rank = createBm25([
      { productId: 'lamp', name: 'Norra lamp' },
      { productId: 'mug', name: 'Norra mug' },
      { productId: 'vase', name: 'Vase' },
    ])
    expect(rank('norra mug')).toEqual(['mug', 'lamp'])
    expect(rank('Väse')).toEqual(['vase'])
    expect(rank('sofa')).toEqual([])
  })
})
