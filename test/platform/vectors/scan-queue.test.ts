import { expect, test } from 'bun:test'
import { createScanQueue } from '../../../src/platform/vectors/scan-queue.ts'

/** A queue with work that ends when the test says so. */
function gatedQueue(waitingMax?: number) {
  const queue = createScanQueue(waitingMax)
  const started: string[] = []
  const gates: (() => void)[] = []
  const run = (owner: string, name = owner): Promise<string> =>
    queue.run(owner, async () => {
      started.push(name)
      await new Promise<void>((open) => gates.push(open))
      return name
    })
  const finish = async () => {
    gates.shift()?.()
    for (let n = 0; n < 10; n++) await Promise.resolve()
  }
  return { run, started, finish, isWantedByOthers: queue.isWantedByOthers }
}

test('one scan runs at a time, and owners take turns', async () => {
  const { run, started, finish } = gatedQueue()
  const all = [run('busy', 'b1'), run('busy', 'b2'), run('busy', 'b3'), run('calm', 'c1'), run('other', 'o1')]
  expect(started).toEqual(['b1'])
  for (let n = 0; n < 5; n++) await finish()
  expect(started).toEqual(['b1', 'b2', 'c1', 'o1', 'b3'])
  expect(await Promise.all(all)).toEqual(['b1', 'b2', 'b3', 'c1', 'o1'])
})

test('a full line refuses its longest owner, and the others still find a place', async () => {
  const { run, finish } = gatedQueue(3)
  const first = run('busy', 'b0')
  const waiting = [run('busy', 'b1'), run('busy', 'b2'), run('busy', 'b3')]
  const displaced = waiting[2]?.catch((error: unknown) => error)
  await expect(run('busy', 'b4')).rejects.toMatchObject({ code: 'overloaded' })
  const calm = run('calm', 'c1')
  expect(await displaced).toHaveProperty('code', 'overloaded')
  for (let n = 0; n < 4; n++) await finish()
  expect(await Promise.all([first, waiting[0], waiting[1], calm])).toEqual(['b0', 'b1', 'b2', 'c1'])
})

test('work that fails fails alone', async () => {
  const queue = createScanQueue()
  const failing = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', () => Promise.resolve('fine'))
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('fine')
  expect(await queue.run('b', () => Promise.resolve('again'))).toBe('again')
})

test('tells whether another store waits, also after one was refused', async () => {
  const { run, finish, isWantedByOthers } = gatedQueue(2)
  const ask = () => ['busy', 'calm'].map(isWantedByOthers)
  const first = run('busy')
  expect(ask()).toEqual([false, false])
  const second = run('busy')
  const refused = run('busy').catch(() => 'refused')
  expect(ask()).toEqual([false, true])
  const calm = run('calm')
  expect(await refused).toBe('refused')
  expect(ask()).toEqual([true, true])
  for (let n = 0; n < 3; n++) await finish()
  expect(await Promise.all([first, second, calm])).toEqual(['busy', 'busy', 'calm'])
  expect(ask()).toEqual([false, false])
})
