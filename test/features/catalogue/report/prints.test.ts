import { expect, test } from 'bun:test'
import { createPrints } from '../../../../src/features/catalogue/report/prints.ts'

const breathe = async () => {}

/** Lists the pairs that a set of prints proposes, as pictures. */
async function listPairs(words: readonly string[]): Promise<string[]> {
  const prints = createPrints()
  for (const [n, print] of words.entries()) prints.add(n, n, print)
  const pairs: string[] = []
  await prints.pair((older, newer) => {
    pairs.push(`${older.pictureId}-${newer.pictureId}`)
    return true
  }, breathe)
  return pairs
}

test('a pair comes once, however many bands it shares, and the older picture first', async () => {
  expect(
    await listPairs(['0123456789abcdef', 'fedcba9876543210', '0123456789abcdef', '0123456789abcdee']),
  ).toEqual(['0-2', '0-3', '2-3'])
})

test('a pair that is too far apart in one band is met in another', async () => {
  // Forty pictures share the first band with both; only the two share the last one.
  const between = Array.from({ length: 40 }, (_, n) => `0000${'0f0f0f0f'}${(4_096 + 101 * n).toString(16)}`)
  const pairs = await listPairs(['0000000000000000', ...between, '0000000000000000'])
  expect(pairs.filter((pair) => pair === '0-41')).toEqual(['0-41'])
})

test('pictures of one print are compared with the next ones only', async () => {
  const pairs = await listPairs(Array.from({ length: 100 }, () => '0000000000000000'))
  expect(new Set(pairs).size).toBe(pairs.length)
  expect(pairs).toContain('0-32')
  expect(pairs).not.toContain('0-33')
})
