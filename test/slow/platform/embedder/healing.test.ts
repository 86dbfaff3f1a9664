import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  closedProgram,
  type Fake,
  missingProgram,
  startFake,
  until,
} from '../../../platform/embedder/fake.ts'

const running: Fake[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.remove()))
})

function start(...options: Parameters<typeof startFake>): Fake {
  const fake = startFake(...options)
  running.push(fake)
  return fake
}

async function ready(...options: Parameters<typeof startFake>): Promise<Fake> {
  const fake = start(...options)
  await until(() => fake.embedder.status().state === 'ready')
  return fake
}

const visionOf = ({ embedder }: Fake): number => embedder.pids().vision[0] ?? 0

describe('a process that cannot be started', () => {
  test('is a failed start, and the model is there once it can be', async () => {
    const fake = start({ command: missingProgram })
    expect((await fake.embedder.settled()).state).toBe('failed')
    expect(await fake.ask('fine x')).toBe('model_not_ready')
    expect(fake.log).toContain('warn: embedder process could not be started')
    symlinkSync(process.execPath, join(fake.dir, 'program'))
    await until(() => fake.embedder.status().state === 'ready')
    expect(await fake.ask('fine x')).toBe('fine')
  }, 30_000)

  test('one that dies while no other can be started comes back, and until then the status says so', async () => {
    const fake = start({ command: missingProgram })
    const program = join(fake.dir, 'program')
    symlinkSync(process.execPath, program)
    await until(() => fake.embedder.status().state === 'ready')
    rmSync(program)
    process.kill(visionOf(fake), 'SIGKILL')
    await until(() => fake.embedder.status().state !== 'ready')
    symlinkSync(process.execPath, program)
    await until(() => fake.embedder.status().state === 'ready')
    expect(await fake.ask('fine x')).toBe('fine')
  }, 30_000)

  test('a model that says it is broken is `failed` at once, and heals too', async () => {
    const fake = await ready()
    writeFileSync(join(fake.dir, 'broken'), '')
    process.kill(visionOf(fake), 'SIGKILL')
    await until(() => fake.embedder.status().state === 'failed')
    expect(await fake.ask('fine x')).toBe('model_not_ready')
    rmSync(join(fake.dir, 'broken'))
    await until(() => fake.embedder.status().state === 'ready')
    expect(await fake.ask('fine x')).toBe('fine')
  }, 30_000)
})

test('for a moment after a death the status stays `ready`: what comes in is answered by the next process', async () => {
  const fake = await ready()
  const killed = visionOf(fake)
  process.kill(killed, 'SIGKILL')
  await until(() => visionOf(fake) !== killed)
  expect(fake.embedder.status()).toEqual({ state: 'ready' })
  expect(await fake.ask('fine x')).toBe('fine')
}, 30_000)

test('with two processes one that fails is not the failure of the model', async () => {
  const fake = await ready({ inferenceThreads: 4 })
  // The two for pictures and the one for texts: one that still starts would fail as well.
  await until(() => fake.log.filter((line) => line === 'info: embedder process is ready').length === 3)
  writeFileSync(join(fake.dir, 'broken'), '')
  process.kill(visionOf(fake), 'SIGKILL')
  await until(() => fake.log.includes('error: the model failed its self-test or could not be loaded'))
  expect(fake.embedder.status()).toEqual({ state: 'ready' })
  expect(await fake.ask('fine x')).toBe('fine')
}, 30_000)

describe.skipIf(process.platform !== 'linux')('a process that is stopped', () => {
  test('while it has nothing to do is replaced', async () => {
    const fake = await ready()
    const stopped = visionOf(fake)
    process.kill(stopped, 'SIGSTOP')
    await until(() => ![0, stopped].includes(visionOf(fake)))
    expect(await fake.ask('fine x')).toBe('fine')
  }, 30_000)

  test('while it works on a picture is replaced, and the picture is not blamed', async () => {
    const fake = await ready()
    const answer = fake.ask('wait x')
    await until(() => fake.begun().length === 1)
    process.kill(visionOf(fake), 'SIGSTOP')
    fake.release('x')
    expect(await answer).toBe('fine')
    expect(fake.begun()).toEqual(['x', 'x'])
  }, 30_000)

  test('while it starts is replaced as well', async () => {
    const fake = start({ command: closedProgram })
    const stopped = visionOf(fake)
    process.kill(stopped, 'SIGSTOP')
    rmSync(join(fake.dir, 'closed'))
    await until(() => fake.embedder.status().state === 'ready')
    expect(fake.embedder.pids().vision).not.toContain(stopped)
  }, 30_000)
})

test('a process that hears nothing more is replaced, and what was in it is tried once more', async () => {
  const fake = await ready({ limits: { silentMs: 1_500, taskMs: 60_000 } })
  const [deaf, beside] = [fake.ask('deaf x'), fake.ask('wait y')]
  fake.release('y')
  expect(await beside).toBe('fine')
  // It deafens the process of its own, too.
  expect(await deaf).toBe('model_not_ready')
  expect(fake.begun().filter((name) => name === 'x').length).toBeGreaterThan(1)
}, 60_000)

test('a process that begins nothing is replaced', async () => {
  const fake = await ready({ limits: { taskMs: 300 } })
  const first = visionOf(fake)
  void fake.ask('mute x')
  await until(() => ![0, first].includes(visionOf(fake)))
}, 30_000)

test.skipIf(process.platform !== 'linux')(
  'the processes go before the service when memory runs out, and can gain no rights',
  async () => {
    // The real ones.
    const { startEmbedder } = await import('../../../platform/embedder/bundled.ts')
    const { embedder } = startEmbedder()
    await embedder.settled()
    const own = Number(readFileSync('/proc/self/oom_score_adj', 'utf8'))
    const { text, vision } = embedder.pids()
    for (const pid of [...text, ...vision]) {
      expect(Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))).toBe(Math.min(1_000, own + 500))
      const threads = readdirSync(`/proc/${pid}/task`)
      const statuses = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
      expect(statuses.filter((status) => !/^NoNewPrivs:\s+1$/m.test(status))).toEqual([])
    }
    await embedder.close()
  },
  30_000,
)
