import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { hashFile } from '../../src/platform/native/file-hash.ts'
import { type Service, spawnService, startService, until } from '../robustness/service.ts'
import { builtExecutable } from './executable.ts'

/** What reading the packed libraries would add to a process is 22 MB. */
const READ_KB_MAX = 8_000
const EXECUTABLE_BYTES_MAX = 170_000_000

let program: ReturnType<typeof builtExecutable>
let dataDir: string

beforeAll(() => {
  program = builtExecutable()
}, 60_000)
afterAll(() => program.remove())
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-first-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const options = () => ({ program: [program.path], settings: { LOOKALIKE_UNPACK_DIR: '' } })

/** A start that says nothing on stderr, until it is ready. */
async function start(): Promise<Service> {
  const log: string[] = []
  const service = await startService({ dataDir }, { ...options(), onLog: (line) => void log.push(line) })
  expect(log).toEqual([])
  return service
}

/** Path and hash of every unpacked file. */
const unpacked = () =>
  readdirSync(join(dataDir, 'unpacked'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${basename(parentPath)}/${name} ${hashFile(join(parentPath, name))}`)
    .sort()

/** The service and its children, with the KB that each holds of the executable's embedded files and of its own copies. */
function readTree(pid: number) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  return [pid, ...children].map((id) => {
    const maps = readFileSync(`/proc/${id}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
    const embedded = maps.filter((map) => map.split('\n')[0]?.endsWith(program.path) && / rw-p /.test(map))
    const kilobytes = embedded.map((map) => Number(/^Rss:\s+(\d+)/m.exec(map)?.[1]))
    return {
      embeddedKb: kilobytes.reduce((sum, kb) => sum + kb, 0),
      lost: maps.flatMap((map) => /\/unpacked\/.*\(deleted\)/.exec(map)?.[0] ?? []),
    }
  })
}

test('the executable stays below 170 MB', () => {
  expect(statSync(program.path).size).toBeLessThan(EXECUTABLE_BYTES_MAX)
})

describe.skipIf(process.platform !== 'linux')('after the first start', () => {
  test('no process keeps what it unpacked from, and the two that share libraries share their memory', async () => {
    const first = await start()
    const afterFirst = readTree(first.pid)
    expect(await first.stop()).toBe(0)
    const second = await start()
    const afterSecond = readTree(second.pid)
    expect(await second.stop()).toBe(0)
    expect(afterFirst).toHaveLength(3)
    expect(afterFirst.flatMap(({ lost }) => lost)).toEqual([])
    for (const [n, { embeddedKb }] of afterFirst.entries())
      expect(embeddedKb - (afterSecond[n]?.embeddedKb ?? 0)).toBeLessThan(READ_KB_MAX)
  }, 60_000)

  test('killed with everything that it started while it unpacked: the next one is whole', async () => {
    const whole = await start()
    expect(await whole.stop()).toBe(0)
    const expected = unpacked()
    for (const part of ['model-', 'sharp-', 'onnxruntime-']) {
      rmSync(join(dataDir, 'unpacked'), { recursive: true })
      const { child, logged } = spawnService({ dataDir }, options())
      await until(`${part} is being unpacked`, () => isUnpacking(part))
      process.kill(-child.pid, 'SIGKILL')
      await child.exited
      await logged
      const next = await start()
      expect(await next.stop()).toBe(0)
      expect(unpacked().filter((path) => !path.startsWith('.unpack-'))).toEqual(expected)
    }
  }, 120_000)
})

function isUnpacking(part: string): boolean {
  const folder = join(dataDir, 'unpacked')
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(part))
}
