import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Ranking } from '../../../../src/features/discovery/search/ranking.ts'
import { interleave } from '../../../../src/features/discovery/search/union.ts'

const ranking = fc
  .uniqueArray(fc.record({ product: fc.nat(12), score: fc.double({ min: 0, max: 1, noNaN: true }) }), {
    selector: ({ product }) => product,
    maxLength: 10,
  })
  .map(
    (hits): Ranking => ({
      hits: hits
        .sort((a, b) => b.score - a.score)
        .map((hit) => ({ ...hit, slot: hit.product, pictureId: hit.product, value: hit.score })),
      soldOutFrom: hits.length,
      pinned: [],
      candidates: 13,
      cut: 0,
      isExact: true,
      words: [],
    }),
  )

test('union: each reference in turn, no product twice, each with its best score (contract 3.8)', () => {
  fc.assert(
    fc.property(
      fc.array(ranking, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
      (lists, depth) => {
        const { hits } = interleave(lists, depth)
        const products = hits.map(({ product }) => product)
        const all = new Set(lists.flatMap((list) => list.hits.map(({ product }) => product)))
        expect(new Set(products).size).toBe(products.length)
        expect(products.length).toBe(Math.min(depth, all.size))
        // Walks the lists naively, one product of each in turn.
        const wanted: number[] = []
        const rest = lists.map((list) => list.hits.map(({ product }) => product))
        while (rest.some((list) => list.length > 0)) {
          for (const list of rest) {
            while (list[0] !== undefined && wanted.includes(list[0])) list.shift()
            const next = list.shift()
            if (next !== undefined) wanted.push(next)
          }
        }
        expect(products).toEqual(wanted.slice(0, depth))
        for (const { product, score, reference } of hits) {
          const scores = lists.map((list) => list.hits.find((hit) => hit.product === product)?.score ?? -1)
          expect(score).toBe(Math.max(...scores))
          expect(scores[reference as number]).toBe(score)
        }
        expect(interleave(lists, depth + 5).hits.slice(0, depth)).toEqual(hits)
      },
    ),
  )
})
