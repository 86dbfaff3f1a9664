import { expect, test } from 'bun:test'
import { createProof } from '../../../../src/features/nodes/departures/proof.ts'
import type { Target } from '../../../../src/features/nodes/departures/target.ts'

type List = [productId: string, score: number][]

const toHits = (list: List) =>
  list.map(([product_id, similarity_score]) => ({ product_id, similarity_score }))

/** Whether two nodes that answer so are taken for alike. */
async function isAlike(here: List, there: List): Promise<boolean> {
  const proof = createProof({
    queries: { findSample: () => ({ productId: 'lamp', name: 'a lamp', hasPicture: 0 }) },
    search: async () => toHits(here),
  })
  const target = { search: async () => toHits(there) } as unknown as Target
  return (await proof.findDifferentSearches(target, 'store')).length === 0
}

const LIST: List = [
  ['a', 0.9],
  ['b', 0.8],
  ['c', 0.7],
]

test.each<[string, List, boolean]>([
  ['the same', LIST, true],
  ['scores that another sample has moved', LIST.map(([id, score]) => [id, score - 0.0005]), true],
  [
    'one score that is apart',
    [
      ['a', 0.9],
      ['b', 0.79],
      ['c', 0.7],
    ],
    false,
  ],
  [
    'two that have changed places',
    [
      ['b', 0.9],
      ['a', 0.8],
      ['c', 0.7],
    ],
    false,
  ],
  [
    'one that is not there',
    [
      ['a', 0.9],
      ['x', 0.8],
      ['c', 0.7],
    ],
    false,
  ],
  [
    'another last one of nearly the same score',
    [
      ['a', 0.9],
      ['b', 0.8],
      ['x', 0.7001],
    ],
    true,
  ],
  ['one less', LIST.slice(0, 2), false],
  ['none', [], false],
])('another node with %s', async (_, there, alike) => {
  expect(await isAlike(LIST, there)).toBe(alike)
})

test('products of nearly the same score may change places', async () => {
  const near: List = [
    ['a', 0.9],
    ['b', 0.8998],
  ]
  expect(
    await isAlike(near, [
      ['b', 0.8999],
      ['a', 0.8997],
    ]),
  ).toBe(true)
})

test('two empty lists are alike', async () => {
  expect(await isAlike([], [])).toBe(true)
})
