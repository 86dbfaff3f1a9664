import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModelProver } from '../../../src/platform/models/proof.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-proof-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LIMITS = { memoryBytesMax: 1e9, silentMs: 60_000, wholeMs: 60_000 }

/** Asks a process that runs a script of the shell. */
function describe(
  script: string,
  limits: Partial<typeof LIMITS> = {},
  signal = new AbortController().signal,
) {
  const path = join(folder, 'child.sh')
  writeFileSync(path, script)
  return createModelProver(['sh', path], {}, { ...LIMITS, ...limits }).describe('/nowhere', signal)
}

const HASH = 'a'.repeat(64)

test('what the process says is taken only in the form that it must have', async () => {
  const said = { hash: HASH, dimension: 512, family: 'clip' }
  expect(await describe(`echo '${JSON.stringify({ made: said })}'`)).toEqual(said as never)
  for (const made of [{ ...said, family: 'other' }, { ...said, dimension: -1 }, 'x', {}])
    await expect(describe(`echo '${JSON.stringify({ made })}'`)).rejects.toThrow(
      'an answer of an unknown form',
    )
})

test('a fault is told in the words of the process', async () => {
  await expect(describe(`echo '{"fault":"The model cannot be used: NaN."}'; exit 1`)).rejects.toThrow(
    'The model cannot be used: NaN.',
  )
})

test('a process that crashes, hangs, or takes too much memory or time ends with a sentence', async () => {
  await expect(describe('kill -SEGV $$')).rejects.toThrow('ended while it was tried (SIGSEGV')
  const hang = 'exec sleep 60'
  await expect(describe(hang, { silentMs: 1 })).rejects.toThrow('it did nothing for 0 seconds')
  await expect(describe(hang, { wholeMs: 1 })).rejects.toThrow('it took more than 0 minutes')
  await expect(describe(hang, { memoryBytesMax: 1 })).rejects.toThrow('it used more than 0 MB of memory')
})

test('a stop kills the process, and its reason is what is thrown', async () => {
  const stop = new AbortController()
  const asked = describe('exec sleep 60', {}, stop.signal)
  stop.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})
