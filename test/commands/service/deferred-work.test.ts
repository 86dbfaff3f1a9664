import { beforeEach, expect, test } from 'bun:test'
import { createDeferredWork, type DeferredWork } from '../../../src/commands/service/deferred-work.ts'

let logged: { err: unknown; message: string }[]
let deferred: DeferredWork

beforeEach(() => {
  logged = []
  deferred = createDeferredWork({
    error: ({ err }: { err: unknown }, message: string) => void logged.push({ err, message }),
  } as never)
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
