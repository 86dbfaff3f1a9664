import { afterEach, expect, jest, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { turn } from '../../../src/core/turns.ts'
import { type Fake, startFake } from './fake.ts'

/** Bun's timers by a clock that stands still, so that only `pass` makes time go by. The processes are real. */
const pass = (ms: number): void => void jest.advanceTimersByTime(ms)

/** Waits for a process in real time, of which no timer knows. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn()
}

let fake: Fake | undefined
afterEach(async () => {
  jest.useRealTimers()
  await fake?.remove()
  fake = undefined
})

async function startIdle(limits: { silentMs?: number; taskMs?: number } = {}): Promise<Fake> {
  jest.useFakeTimers()
  const started = startFake({ limits })
  fake = started
  await until(() => started.log.filter((line) => line === 'info: embedder process is ready').length === 2)
  // The first check after the start finds nothing to wait for.
  pass(250)
  return started
}

const visionOf = ({ embedder }: Fake): number => embedder.pids().vision[0] ?? 0
const endings = ({ log }: Fake) => log.filter((line) => line.includes('embedder process ended'))
const stateOf = (pid: number) => /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]

/** Waits until no thread of a process computes: a collection of garbage may follow the first sleep. */
async function untilAsleep(pid: number): Promise<void> {
  const ticksOf = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join()
  await until(() => {
    const before = ticksOf()
    // In real time: the clock of the test stands still.
    Bun.sleepSync(50)
    return stateOf(pid) === 'S' && ticksOf() === before
  })
}

test('an idle process is looked at on the beat, and nothing else runs', async () => {
  await startIdle()
  const [timeouts, intervals] = [jest.spyOn(globalThis, 'setTimeout'), jest.spyOn(globalThis, 'setInterval')]
  try {
    pass(50_000)
    expect(jest.getTimerCount()).toBe(2)
    expect(timeouts).toHaveBeenCalledTimes(2 * 50)
    expect(intervals).not.toHaveBeenCalled()
  } finally {
    timeouts.mockRestore()
    intervals.mockRestore()
  }
})

test('a process that hangs in a task is replaced after the same silence, however long it was idle before', async () => {
  const started = await startIdle({ silentMs: 10_000, taskMs: 60_000 })
  pass(30_000)
  const hanging = visionOf(started)
  void started.ask('deaf x')
  await until(() => started.begun().includes('x'))
  // No real time goes by between the checks: a process that was still computing would have all of them for its excuse.
  if (process.platform === 'linux') await untilAsleep(hanging)
  pass(2_750)
  expect(started.embedder.status().state).toBe('ready')
  pass(500)
  expect(started.embedder.status().state).not.toBe('ready')
  pass(6_500)
  expect(endings(started)).toEqual([])
  pass(250)
  await until(() => endings(started).length === 1)
  pass(0)
  expect(visionOf(started)).not.toBe(hanging)
})

test('one that hangs with nothing to do is asked once a minute, and replaced when it stays silent', async () => {
  const started = await startIdle({ silentMs: 1_500 })
  const hanging = visionOf(started)
  expect(await started.ask('last x')).toBe('fine')
  pass(250)
  pass(59_000)
  expect(endings(started)).toEqual([])
  pass(3_000)
  await until(() => visionOf(started) !== hanging)
})

test.skipIf(process.platform !== 'linux')(
  'one that is stopped with nothing to do is replaced within seconds',
  async () => {
    const started = await startIdle()
    const stopped = visionOf(started)
    process.kill(stopped, 'SIGSTOP')
    await until(() => stateOf(stopped) === 'T')
    pass(2_500)
    await until(() => endings(started).length === 1)
  },
)

test('the close watch ends with the last task', async () => {
  const started = await startIdle()
  const intervals = jest.spyOn(globalThis, 'setInterval')
  const answer = started.ask('wait x')
  await until(() => started.begun().includes('x'))
  expect(intervals).toHaveBeenCalledTimes(1)
  intervals.mockRestore()
  started.release('x')
  expect(await answer).toBe('fine')
  pass(250)
  expect(jest.getTimerCount()).toBe(2)
})
