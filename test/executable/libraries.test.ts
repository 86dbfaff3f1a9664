import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Install, newInstall, productForm, spawnService, startService } from '../robustness/service.ts'
import { builtExecutable } from './executable.ts'

let program: ReturnType<typeof builtExecutable>
let install: Install
/** The operator's folder. */
let own: string

beforeAll(async () => {
  program = builtExecutable()
  install = await newInstall()
  own = join(install.dataDir, '..', 'own libraries')
  mkdirSync(own)
  const service = await start()
  expect(await service.stop()).toBe(0)
}, 60_000)
afterAll(() => {
  install.remove()
  program.remove()
})

const start = (onLog: (line: string) => void = () => {}) =>
  startService(install, {
    program: [program.path],
    settings: { LOOKALIKE_UNPACK_DIR: '', LIBRARY_DIR: own, LOG_LEVEL: 'info' },
    onLog,
  })

/** Paths of everything that was unpacked under the names that fit. */
const unpacked = (name: RegExp): string[] =>
  readdirSync(join(install.dataDir, 'unpacked'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))

/** What a process and its children have loaded, by path. */
function loadedBy(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return [String(pid), ...children].flatMap((id) =>
    readFileSync(`/proc/${id}/maps`, 'utf8')
      .split('\n')
      .flatMap((line) => /\/.*/.exec(line) ?? []),
  )
}

/** Name, size and times of every file: what a write would change. */
const stateOf = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { size, mtimeMs, ctimeMs } = statSync(join(folder, name))
    return [name, size, mtimeMs, ctimeMs]
  })

describe('LIBRARY_DIR', () => {
  test.each([
    ['libvips alone, which another library loads', /^libvips/],
    ['every library', /\.node$|\.so(\.|$)/],
  ])(
    '%s: it is loaded instead of the unpacked one, never written to, and pictures are read',
    async (_, names) => {
      for (const path of unpacked(names)) cpSync(path, join(own, basename(path)))
      // Not the bytes of ours: the operator's libraries are not compared with anything.
      for (const name of readdirSync(own)) writeFileSync(join(own, name), 'another build', { flag: 'a' })
      const before = stateOf(own)
      const log: string[] = []
      const service = await start((line) => void log.push(line))
      const answer = await fetch(`${service.address}/v1/products`, {
        method: 'POST',
        headers: { authorization: `Bearer ${install.token}` },
        body: await productForm(`product-${readdirSync(own).length}`, 1),
      })
      expect(answer.status).toBe(201)
      const loaded = loadedBy(service.pid)
      expect(await service.stop()).toBe(0)
      for (const name of readdirSync(own)) expect(loaded).toContain(join(own, name))
      const others = loaded.filter((path) => names.test(basename(path)) && path.includes('/unpacked/'))
      expect(others).toEqual([])
      expect(stateOf(own)).toEqual(before)
      expect(log.join('\n')).toContain('using libraries from LIBRARY_DIR')
    },
    60_000,
  )

  test('one that cannot be loaded is named, with the setting', async () => {
    for (const path of unpacked(/^sharp/)) writeFileSync(join(own, basename(path)), 'no library')
    const { child, log } = spawnService(install, {
      program: [program.path],
      settings: { LOOKALIKE_UNPACK_DIR: '', LIBRARY_DIR: own },
    })
    while (!log.some((line) => line.includes('cannot load'))) await Bun.sleep(10)
    child.kill('SIGTERM')
    await child.exited
    expect(log.find((line) => line.includes('cannot load'))).toContain(
      '(LIBRARY_DIR replaces some of its libraries)',
    )
  }, 60_000)

  test('the doctor of a folder without an install finds a database library that does not load', () => {
    const [library] = unpacked(/^database\.node$/)
    expect(library).toBeDefined()
    writeFileSync(join(own, basename(String(library))), 'no library')
    const env = { DATA_DIR: join(own, '..', 'nothing yet'), LIBRARY_DIR: own }
    const { exitCode, stderr } = Bun.spawnSync([program.path, 'doctor'], { env })
    rmSync(join(own, basename(String(library))))
    expect(exitCode).toBe(1)
    expect(stderr.toString()).toMatch(/^lookalike: cannot load .*database\.node/)
  }, 60_000)

  test('a folder that is not there ends the start with the setting’s name', async () => {
    rmSync(own, { recursive: true })
    const { child, log, logged } = spawnService(install, {
      program: [program.path],
      settings: { LOOKALIKE_UNPACK_DIR: '', LIBRARY_DIR: own },
    })
    expect(await child.exited).toBe(2)
    await logged
    expect(log.join('\n')).toContain('LIBRARY_DIR cannot be read')
  }, 60_000)

  test('none of the names: nothing is replaced, and a warning says so', async () => {
    mkdirSync(own)
    writeFileSync(join(own, 'libvips.so.42'), 'x')
    const log: string[] = []
    const service = await start((line) => void log.push(line))
    expect(await service.stop()).toBe(0)
    expect(log.join('\n')).toContain('no file in LIBRARY_DIR has the name of an unpacked library')
  }, 60_000)
})
