import { expect, test } from 'bun:test'
import { createChangeTrace } from '../../../../src/features/catalogue/products/change-trace.ts'

test('lists what changed after a change, each row once, and nothing of another store', () => {
  const trace = createChangeTrace()
  trace.note('one', 1)
  const seen = trace.latest('one')
  for (const row of [2, 3, 2]) trace.note('one', row)
  trace.note('other', 9)
  expect(trace.listSince('one', seen)).toEqual([2, 3])
  expect(trace.listSince('one', trace.latest('one'))).toEqual([])
})

test('says so when more changed than it remembers', () => {
  const trace = createChangeTrace()
  for (let row = 0; row <= 512; row++) trace.note('one', row)
  expect(trace.listSince('one', 0)).toBeUndefined()
  expect(trace.listSince('one', 1)).toHaveLength(512)
})

test('knows nothing of an erased store, and never takes what was read of it for the present', () => {
  const trace = createChangeTrace()
  trace.note('one', 1)
  const seen = trace.latest('one')
  trace.forgetStore('one')
  expect(trace.latest('one')).toBe(0)
  expect(trace.listSince('one', seen)).toBeUndefined()
})
