import { describe, expect, test } from 'bun:test'
import { createBm25, rankByVector } from '../../scripts/bench/quality/baselines.ts'
import { average, bootstrap, judge } from '../../scripts/bench/quality/metrics.ts'
import type { LabelledPicture, LabelledSet } from '../../scripts/bench/quality/sets.ts'
import type { Shop } from '../../scripts/bench/quality/shops.ts'
import { readStreetSet } from '../../scripts/bench/quality/street.ts'
import { listTasks } from '../../scripts/bench/quality/tasks.ts'

describe('judging a ranked list', () => {
  test('a perfect list reaches 1 in everything', () => {
    const right = new Set(['a', 'b'])
    expect(judge(['a', 'b', 'c'], right)).toEqual({
      precisionAt10: 1,
      recallAt1: 1,
      recallAt5: 1,
      ndcgAt10: 1,
    })
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

  test('the first hit counts alone in R@1', () => {
    expect(judge(['a', 'x'], new Set(['a', 'b'])).recallAt1).toBe(1)
    expect(judge(['x', 'a'], new Set(['a', 'b'])).recallAt1).toBe(0)
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
    const good = { precisionAt10: 1, recallAt1: 1, recallAt5: 1, ndcgAt10: 1 }
    const bad = { precisionAt10: 0, recallAt1: 0, recallAt5: 0, ndcgAt10: 0.5 }
    expect(average([good, bad])).toEqual({
      precisionAt10: 0.5,
      recallAt1: 0.5,
      recallAt5: 0.5,
      ndcgAt10: 0.75,
    })
  })
})

describe('a bootstrap interval', () => {
  test('is 1.96 standard errors wide on each side', () => {
    const values = Array.from({ length: 400 }, (_, n) => n % 2)
    const { low, high } = bootstrap(values)
    expect(low).toBeCloseTo(0.5 - 1.96 * 0.025, 2)
    expect(high).toBeCloseTo(0.5 + 1.96 * 0.025, 2)
    expect(bootstrap(values)).toEqual({ low, high })
  })

  test('of equal values is a point', () => {
    expect(bootstrap([0.25, 0.25, 0.25])).toEqual({ low: 0.25, high: 0.25 })
  })
})

describe('the questions of a set', () => {
  const show = (product_id: string, article: string, color: string): LabelledPicture => ({
    ...{ bytes: new TextEncoder().encode(product_id), product_id, article, color },
    ...{ name: `Norra ${article}`, category: 'mug', group: 'mug-0' },
  })
  const set: LabelledSet = {
    name: 'three mugs',
    catalogue: [
      show('a0', 'a', 'red'),
      show('a1', 'a', 'red'),
      show('b0', 'b', 'blue'),
      show('c0', 'c', 'red'),
    ],
    queries: [],
    views: [show('a2', 'a', 'red')],
  }
  const rightOf = async (name: string) => {
    const [question] = (await listTasks(set)).find((task) => task.name === name)?.questions ?? []
    return {
      right: [...(question?.right ?? [])],
      absent: question?.absent,
      filters: question?.body['filters'],
    }
  }

  test('have the other views of a product right, or every product of the kind', async () => {
    expect((await rightOf('view: same product')).right).toEqual(['a0', 'a1'])
    expect((await rightOf('view: same kind')).right).toEqual(['a0', 'a1', 'b0', 'c0'])
    expect((await rightOf('view: other colour')).right).toEqual(['b0'])
    expect((await rightOf('words: colour + kind, both right')).right).toEqual(['a0', 'a1', 'c0'])
  })

  test('leave the product out of the catalogue and of the right answers', async () => {
    const { right, absent, filters } = await rightOf('view: same kind, itself absent')
    expect(right).toEqual(['b0', 'c0'])
    expect(absent).toEqual(['a'])
    expect(filters).toEqual([{ field: 'article', operator: 'nin', value: ['a'] }])
  })

  test('ask for the names that the shop writes', async () => {
    const names = async (shop: Shop) =>
      (await listTasks(set, shop))
        .find(({ name }) => name === 'words: name')
        ?.questions.map(({ words }) => words)
    expect(await names('all')).toEqual(['Norra a', 'Norra b', 'Norra c'])
    expect(await names('basic')).toEqual(['Mug Basic'])
    expect((await names('fantasy'))?.join(' ')).not.toMatch(/mug/i)
  })

  test('rare kinds have a task of their own', async () => {
    const rare = { ...set, catalogue: set.catalogue.slice(0, 2) }
    const tasks = (await listTasks(rare)).map(({ name }) => name)
    expect(tasks).toContain('words: rare kind')
    expect(tasks).not.toContain('words: kind')
  })
})

test('the street keeps the pictures that it is searched with out of its catalogue', async () => {
  const { catalogue, queries, views = [] } = await readStreetSet()
  const hashes = new Set(catalogue.map(({ bytes }) => Bun.hash(bytes)))
  expect(hashes.size).toBe(catalogue.length)
  expect([...queries, ...views].filter(({ bytes }) => hashes.has(Bun.hash(bytes)))).toEqual([])
  const articles = new Set(catalogue.map(({ article }) => article))
  expect(views.every(({ article }) => articles.has(article))).toBe(true)
}, 30_000)

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
