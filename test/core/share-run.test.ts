import { describe, expect, test } from 'bun:test'
import { shareLater, shareRun } from '../../src/core/share-run.ts'

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

describe('work that must begin after it was asked for', () => {
  test('runs once more for all who ask while it runs', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let runs = 0
    const ask = shareLater(async () => {
      const run = runs++
      await gates[run]?.promise
      return run
    })
    const [first, second, third] = [ask(), ask(), ask()]
    expect(runs).toBe(1)
    gates[0]?.resolve()
    expect(await first).toBe(0)
    gates[1]?.resolve()
    expect(await Promise.all([second, third])).toEqual([1, 1])
    expect(await ask()).toBe(2)
  })

  test('is done for those who wait, although the run before failed', async () => {
    let runs = 0
    const ask = shareLater(async () => {
      if (++runs === 1) throw new Error('once')
      return runs
    })
    const outcomes = await Promise.allSettled([ask(), ask()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})
