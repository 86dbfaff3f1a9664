import { expect, test } from 'bun:test'
import { BoundedMap } from '../../src/core/bounded-map.ts'

test('holds so many keys, and begins anew with one more', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2)
  map.set('a', 3)
  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ])
  map.set('c', 4)
  expect([...map]).toEqual([['c', 4]])
})
