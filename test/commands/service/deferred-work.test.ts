import { beforeEach, expect, jest, test } from 'bun:test'
import { createDeferredWork, type DeferredWork } from '../../../src/commands/service/deferred-work.ts'

let logged: { err: unknown; message: string }[]
let deferred: DeferredWork

const log = { error: ({ err }: { err: unknown }, message: string) => void logged.push({ err, message }) }

beforeEach(() => {
  logged = []
  deferred = createDeferredWork(log as never, 1)
})

const until = async (isSo: () => boolean) => {
  while (!isSo()) await Bun.sleep(1)
}

test('calls back once, by itself', async () => {
  let calls = 0
  deferred.defer(() => calls++, 1)
  await until(() => calls > 0)
  await deferred.finish()
  expect(calls).toBe(1)
})

test('the end calls back at once what waits, also what that postpones, and waits for all of it', async () => {
  const done: string[] = []
  deferred.defer(async () => {
    await Bun.sleep(5)
    done.push('first')
    deferred.defer(() => done.push('third'), 3_600_000)
  }, 3_600_000)
  deferred.defer(() => done.push('second'), 3_600_000)
  await deferred.finish()
  expect(done).toEqual(['second', 'first', 'third'])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('repeated work that %s is logged and called again', async (_, fail) => {
  let calls = 0
  deferred.every(1, 'tidying', () => {
    calls += 1
    return fail()
  })
  await until(() => calls >= 3)
  await deferred.finish()
  expect(logged.length).toBe(calls)
  expect(logged[0]).toEqual({ err: new Error('broken'), message: 'tidying failed' })
  const calledBefore = calls
  await Bun.sleep(5)
  expect(calls).toBe(calledBefore)
})

test('deferred work that fails is logged, and the rest is done', async () => {
  let isDone = false
  deferred.defer(() => {
    throw new Error('broken')
  }, 3_600_000)
  deferred.defer(() => {
    isDone = true
  }, 3_600_000)
  await deferred.finish()
  expect([isDone, logged.map(({ message }) => message)]).toEqual([true, ['deferred work failed']])
})

test('the end gives up work that schedules itself again and again', async () => {
  let calls = 0
  const again = (): void => {
    calls += 1
    deferred.defer(again, 3_600_000)
  }
  again()
  await deferred.finish()
  expect(calls).toBeLessThan(10)
  expect(logged).toEqual([{ err: undefined, message: 'deferred work was given up' }])
  const calledBefore = calls
  await deferred.finish()
  expect(calls).toBe(calledBefore)
})

test('work of all periods runs on the beats of one timer, as often as it asks for', async () => {
  jest.useFakeTimers()
  try {
    const runs: string[] = []
    const repeating = createDeferredWork(log as never)
    for (const seconds of [1, 1, 5, 10])
      repeating.every(seconds * 1_000, 'tidying', () => void runs.push(`${seconds} s`))
    expect(runs.splice(0)).toEqual(['1 s', '1 s', '5 s', '10 s'])
    expect(jest.getTimerCount()).toBe(1)
    const timesOf = (wanted: string) => runs.filter((name) => name === wanted).length
    jest.advanceTimersByTime(20_250)
    expect([timesOf('1 s'), timesOf('5 s'), timesOf('10 s')]).toEqual([40, 4, 2])
    expect(jest.getTimerCount()).toBe(1)
    await repeating.finish()
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})
