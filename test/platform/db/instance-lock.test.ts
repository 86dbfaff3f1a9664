import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../../src/core/operator-error.ts'
import { lockInstance } from '../../../src/platform/db/instance-lock.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lookalike-lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const SOURCE = join(import.meta.dir, '../../../src/platform/db/instance-lock.ts')

/** Another process that takes the lock, says how it went, and holds it until its input ends. */
function process(folder: string) {
  const script = `
    import { lockInstance } from ${JSON.stringify(SOURCE)}
    try { lockInstance(${JSON.stringify(folder)}); console.log('held') } catch (error) { console.log(error.name) }
    for await (const _ of process.stdin) {}`
  const child = Bun.spawn([globalThis.process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const said = reader.read().then(({ value }) => new TextDecoder().decode(value).trim())
  return { child, said }
}

describe('lockInstance: one process serves from a data folder', () => {
  test('a second holder is refused, also in the same process, and told which folder', () => {
    const unlock = lockInstance(dir)
    expect(() => lockInstance(dir)).toThrow(OperatorError)
    expect(() => lockInstance(dir)).toThrow(dir)
    unlock()
  })

  test('it is free after it was given back', () => {
    lockInstance(dir)()
    lockInstance(dir)()
  })

  test('two folders are two locks', () => {
    const other = mkdtempSync(join(tmpdir(), 'lookalike-lock-'))
    const unlocks = [lockInstance(dir), lockInstance(other)]
    for (const unlock of unlocks) unlock()
    rmSync(other, { recursive: true })
  })

  test('a folder that is not there is an error of its own', () => {
    expect(() => lockInstance(join(dir, 'none'))).toThrow()
    expect(() => lockInstance(join(dir, 'none'))).not.toThrow(OperatorError)
  })

  test('another process is refused while we hold it, and takes it when we do not', async () => {
    const unlock = lockInstance(dir)
    const refused = process(dir)
    expect(await refused.said).toBe('OperatorError')
    refused.child.stdin.end()
    await refused.child.exited
    unlock()
    const taken = process(dir)
    expect(await taken.said).toBe('held')
    expect(() => lockInstance(dir)).toThrow(OperatorError)
    taken.child.stdin.end()
    await taken.child.exited
    lockInstance(dir)()
  })

  test('it goes with a process that is killed', async () => {
    const holder = process(dir)
    expect(await holder.said).toBe('held')
    holder.child.kill('SIGKILL')
    await holder.child.exited
    lockInstance(dir)()
  })
})
