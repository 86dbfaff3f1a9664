import { expect, test } from 'bun:test'
import { createSample } from '../../../../src/features/catalogue/product-index/sample.ts'
import { seededRandom } from '../../../robustness/random.ts'

const ids = (count: number) => Array.from({ length: count }, (_, n) => `product-${n}`)

/** The ids of the products in the sample. */
function sampled(count: number, change: (sample: ReturnType<typeof createSample>, at: string[]) => void) {
  const sample = createSample()
  const at: string[] = []
  for (const [slot, id] of ids(count).entries()) {
    sample.set(slot, id)
    at[slot] = id
  }
  change(sample, at)
  return Array.from(sample.list(), (slot) => at[slot] ?? 'none').sort()
}

test('a small store is its own sample', () => {
  expect(sampled(2_048, () => {})).toEqual(ids(2_048).sort())
})

test.each([2_049, 5_000, 20_000])('of %i products some thousand are sampled, in whatever slots', (count) => {
  const inOrder = sampled(count, () => {})
  expect(inOrder.length).toBeGreaterThan(900)
  expect(inOrder.length).toBeLessThan(2_200)
  const turned = sampled(count, (sample, at) => {
    for (let slot = 0; slot < count; slot++) sample.clear(slot)
    expect(sample.list().length).toBe(0)
    for (const [n, id] of ids(count).entries()) {
      const slot = count - 1 - n
      sample.set(slot, id)
      at[slot] = id
    }
  })
  expect(turned).toEqual(inOrder)
})

test('a store that has grown and shrunk has the sample of one that never changed', () => {
  const random = seededRandom(5)
  const changed = sampled(9_000, (sample, at) => {
    for (let n = 0; n < 30_000; n++) {
      const slot = random.below(9_000)
      if (random.below(2) === 0) sample.clear(slot)
      else sample.set(slot, at[slot] as string)
    }
    for (let slot = 0; slot < 9_000; slot++) {
      if (slot < 3_000) sample.set(slot, at[slot] as string)
      else sample.clear(slot)
    }
  })
  expect(changed).toEqual(sampled(3_000, () => {}))
})

test('a slot that another product takes is sampled by that one', () => {
  const count = 4_000
  const sample = createSample()
  for (let slot = 0; slot < count; slot++) sample.set(slot, 'one and the same')
  const before = sample.list().length
  expect([0, count]).toContain(before)
  for (const [slot, id] of ids(count).entries()) sample.set(slot, id)
  expect(Array.from(sample.list(), (slot) => `product-${slot}`).sort()).toEqual(sampled(count, () => {}))
})
