import { expect, test } from 'bun:test'
import { shareRun } from '../../src/core/share-run.ts'

test('all who ask while it runs get one result, and who asks later another', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const ask = shareRun(async () => {
    await gate.promise
    return ++runs
  })
  const asked = [ask(), ask(), ask()]
  gate.resolve()
  expect(await Promise.all(asked)).toEqual([1, 1, 1])
  expect(await ask()).toBe(2)
})

test('a failure reaches all who wait for it, and the next one tries again', async () => {
  let runs = 0
  const ask = shareRun(async () => {
    if (++runs === 1) throw new Error('once')
    return runs
  })
  const outcomes = await Promise.allSettled([ask(), ask()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(2)
})
