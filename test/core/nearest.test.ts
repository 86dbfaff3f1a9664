import { expect, test } from 'bun:test'
import { findNearest } from '../../src/core/nearest.ts'

const KNOWN = ['serve', 'setup', 'version', 'store new-secret']

test.each([
  ['versoin', 'version'],
  ['serv', 'serve'],
  ['stor new-sceret', 'store new-secret'],
  ['zzz', undefined],
  ['unrelated', undefined],
])('%s means %p', (word, meant) => {
  expect(findNearest(word, KNOWN)).toBe(meant)
})

test('nothing is near where nothing is known, nor to a very long word', () => {
  expect(findNearest('serve', [])).toBeUndefined()
  expect(findNearest('serve'.repeat(100_000), KNOWN)).toBeUndefined()
})
