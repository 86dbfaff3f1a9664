import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, migrate, schemaVersion } from '../../src/platform/db/open.ts'
import { readSchema } from '../../src/platform/db/read-only.ts'
import { killGroup, startService } from '../robustness/service.ts'
import { builtExecutable } from './executable.ts'

let program: ReturnType<typeof builtExecutable>
let shared: string
/** A newer version that fails on an install. */
let failing: string
let outer: string
let dataDir: string
let installed: string

beforeAll(() => {
  program = builtExecutable()
  shared = mkdtempSync(join(tmpdir(), 'lookalike-versions-'))
  failing = join(shared, 'failing')
  const build = ['build', '--compile', join(import.meta.dir, 'failing-version.ts'), '--outfile', failing]
  const { success, stderr } = Bun.spawnSync([process.execPath, ...build])
  if (!success) throw new Error(`The build failed: ${stderr}`)
}, 90_000)
afterAll(() => {
  program.remove()
  rmSync(shared, { recursive: true })
})
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'lookalike-way-back-'))
  dataDir = join(outer, 'data')
  installed = join(outer, 'lookalike')
  mkdirSync(dataDir)
  install()
  makeInstall()
})
afterEach(() => rmSync(outer, { recursive: true, force: true }))

/** Nothing writes into the file of the program under test: an upgrade renames. */
function install(): void {
  rmSync(installed, { force: true })
  try {
    linkSync(program.path, installed)
  } catch {
    copyFileSync(program.path, installed)
  }
}

function makeInstall(): void {
  rmSync(dataDir, { recursive: true })
  mkdirSync(dataDir)
  const db = connect(dataDir)
  migrate(db)
  db.exec("CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('kept')")
  db.close()
}

const ENV = {
  PATH: process.env['PATH'] ?? '',
  LOOKALIKE_UNPACK_DIR: join(tmpdir(), 'lookalike-robust-unpacked'),
}
const spawn = (...args: string[]) =>
  Bun.spawn([installed, ...args, '--data-dir', dataDir], {
    env: ENV,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
async function run(...args: string[]) {
  const child = spawn(...args)
  const [out, said, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, said }
}
const hashOf = (file: string): Promise<string> =>
  Bun.file(file)
    .arrayBuffer()
    .then((bytes) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
const readNotes = (): unknown[] => {
  const db = connect(dataDir)
  const notes = db.prepare('SELECT note FROM notes').pluck().all()
  db.close()
  return notes
}
const runsService = async () => (await startService({ dataDir }, { program: [installed] })).stop()

test('an upgrade keeps the old program and a backup, and the new program has started on the folder', async () => {
  const { ino } = statSync(installed)
  const file = join(outer, 'download')
  copyFileSync(program.path, file)
  const hash = await hashOf(file)
  const { code, out, said } = await run('upgrade', file, '--sha256', hash.toUpperCase())
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('The backup is ') })
  expect(out).toContain('became ready and was stopped again')
  expect(statSync(`${installed}.previous`).ino).toBe(ino)
  expect(statSync(installed).ino).not.toBe(ino)
  expect(readNotes()).toEqual(['kept'])
  expect(readdirSync(outer).sort()).toEqual(
    ['.lookalike-upgrade.lock', 'data', 'download', 'lookalike', 'lookalike.previous'].sort(),
  )
}, 120_000)

test('a version that fails after it has migrated the database gives way to the old one, with its database', async () => {
  const { ino } = statSync(installed)
  const { code, said } = await run('upgrade', failing, '--sha256', await hashOf(failing), '--no-backup')
  expect(code).toBe(1)
  expect(said).toContain('the new version cannot go on')
  expect(said).toContain('The old program and the database from before are back.')
  expect(statSync(installed).ino).toBe(ino)
  expect(readSchema(dataDir)).toBe(schemaVersion)
  expect(readNotes()).toEqual(['kept'])
  expect(await runsService()).toBe(0)
}, 120_000)

test('what is not the right program is refused, and a folder in use, and nothing is changed', async () => {
  const { ino } = statSync(installed)
  const script = join(outer, 'script')
  writeFileSync(script, '#!/bin/sh\nexit 0\n')
  const wrong = '0'.repeat(64)
  for (const [file, sha256, code, words] of [
    [failing, wrong, 1, `its SHA-256 is ${await hashOf(failing)}`],
    [failing, 'abc', 2, '64 hex digits'],
    [script, await hashOf(script), 1, 'is no executable of this system'],
    [join(outer, 'none'), wrong, 1, 'There is no file'],
    [installed, wrong, 2, 'is the installed program itself'],
  ] as const) {
    const answer = await run('upgrade', file, '--sha256', sha256)
    expect(answer).toMatchObject({ code, said: expect.stringContaining(words) })
  }
  const service = await startService({ dataDir }, { program: [installed], untilReady: false })
  const busy = await run('upgrade', failing, '--sha256', wrong)
  await service.stop()
  expect(busy).toMatchObject({ code: 1, said: expect.stringContaining('Stop it yourself') })
  expect(statSync(installed).ino).toBe(ino)
  expect(existsSync(`${installed}.new`)).toBe(false)
}, 120_000)

test('killed at any moment, an upgrade leaves one program whole, and the way back', async () => {
  const hashes = new Set([await hashOf(program.path), await hashOf(failing)])
  const hash = await hashOf(failing)
  for (const delay of [600, 1_500, 2_400]) {
    install()
    makeInstall()
    const child = spawn('upgrade', failing, '--sha256', hash, '--no-backup')
    await Bun.sleep(delay)
    killGroup(child.pid)
    await child.exited
    expect(hashes).toContain(await hashOf(installed))
    const schema = readSchema(dataDir)
    // The old program is put in place, if it was not: it goes on, or says how to go back and does it.
    install()
    if (schema === schemaVersion) continue
    const refused = await run('serve', '--port', '0')
    expect(refused).toMatchObject({
      code: 1,
      said: expect.stringContaining('"lookalike serve --from-snapshot"'),
    })
    const service = spawn('serve', '--port', '0', '--from-snapshot', '--yes')
    const { value } = await service.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toStartWith('listening on')
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
    expect(readNotes()).toEqual(['kept'])
  }
}, 180_000)
