import { expect, test } from 'bun:test'
import { createEstimateTrust } from '../../../../src/features/discovery/search/estimate-trust.ts'

/** Counts the searches until a store estimates again. */
function countPause({ mayTry }: ReturnType<typeof createEstimateTrust>, store: { slots: number }): number {
  let searches = 0
  while (!mayTry(store)) searches++
  return searches
}

test('a store goes without estimates after two in a row were no answer, longer each time, and tries again', () => {
  const trust = createEstimateTrust()
  const [store, other] = [{ slots: 1 }, { slots: 1 }]
  trust.note(store, false)
  expect(countPause(trust, store)).toBe(0)
  for (const pause of [16, 32, 64, 128, 256, 256]) {
    trust.note(store, false)
    expect(countPause(trust, other)).toBe(0)
    expect(countPause(trust, store)).toBe(pause)
  }
})

test('an answer by estimates makes up for what came before', () => {
  const trust = createEstimateTrust()
  const store = { slots: 1 }
  for (const isAnswer of [false, true, false]) trust.note(store, isAnswer)
  expect(countPause(trust, store)).toBe(0)
  trust.note(store, false)
  expect(countPause(trust, store)).toBe(16)
})
