import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UnitHost } from '../../../src/commands/systemd/host.ts'
import type { Unit } from '../../../src/commands/systemd/install.ts'
import type { Surroundings } from '../../../src/commands/upgrade/program.ts'
import { replaceProgram } from '../../../src/commands/upgrade/replace.ts'
import { findSite } from '../../../src/commands/upgrade/site.ts'
import { loadConfig } from '../../../src/config.ts'
import { lockInstance } from '../../../src/platform/db/instance-lock.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'

let root: string
let asked: string[]
let around: Surroundings
let installed: string
let service: Bun.Server<undefined>
/** Whether the service of systemd answers, by what lies at `installed`. */
let works: Record<string, boolean>

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lookalike-upgrade-'))
  asked = []
  const dataDir = join(root, 'data')
  mkdirSync(dataDir)
  openDatabase(dataDir).close()
  around = { dataDir, env: { PATH: process.env['PATH'] }, stop: new AbortController().signal }
  installed = join(root, 'lookalike')
  writeFileSync(installed, 'old')
  writeFileSync(`${installed}.new`, 'new')
  writeFileSync(join(root, 'unit'), `[Service]\nExecStart=${installed} serve\n`)
  writeFileSync(join(root, 'env'), `DATA_DIR=${dataDir}\n`)
  service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      works[readFileSync(installed, 'utf8')]
        ? Response.json({ status: 'ready', checks: {}, version: '1.0.0', schema: 1 })
        : Response.json(
            { status: 'not_ready', checks: { model: { ok: false, reason: 'broken' } } },
            { status: 503 },
          ),
  })
})
afterEach(async () => {
  await service.stop(true)
  rmSync(root, { recursive: true })
})

const unit = (): Unit => ({
  isOfUser: false,
  places: { unit: join(root, 'unit'), settings: join(root, 'env'), executable: installed, dataDir: 'none' },
})
const machine = (change: Partial<UnitHost> = {}): UnitHost => ({
  uid: 0,
  isManaged: () => true,
  executable: join(root, 'download'),
  run(words) {
    asked.push(words.slice(1).join(' '))
    const hasFailed = !works[readFileSync(installed, 'utf8')]
    return { code: words.includes('is-failed') && !hasFailed ? 1 : 0, said: '' }
  },
  ...change,
})
const site = (host = machine()) =>
  findSite(unit(), loadConfig({ PORT: String(service.port), HOST: '127.0.0.1' }), host, around)

test('the service of systemd is stopped and started with the new program', async () => {
  works = { new: true }
  await replaceProgram(site(), around, 5_000)
  expect([readFileSync(installed, 'utf8'), readFileSync(`${installed}.previous`, 'utf8')]).toEqual([
    'new',
    'old',
  ])
  expect(asked).toEqual(['stop lookalike', 'reset-failed lookalike', 'start --no-block lookalike'])
})

test('one that fails is started again with the old program, and the command says so', async () => {
  works = { old: true }
  await expect(replaceProgram(site(), around, 5_000)).rejects.toThrow(
    'the service failed: journalctl -u lookalike.\nThe old program and the database from before are back, and the service runs.',
  )
  expect(readFileSync(installed, 'utf8')).toBe('old')
  expect(asked.filter((words) => words.startsWith('st'))).toEqual([
    ...['stop lookalike', 'start --no-block lookalike'],
    ...['stop lookalike', 'start --no-block lookalike'],
  ])
})

test('when the old one does not come back either, the words say what to do', async () => {
  works = {}
  await expect(replaceProgram(site(), around, 5_000)).rejects.toThrow('Going back failed, too')
  expect(readFileSync(installed, 'utf8')).toBe('old')
})

test('a service of another folder, without root, or started by hand is not touched', () => {
  works = {}
  expect(() => site(machine({ uid: 1000 }))).toThrow('run the command with sudo')
  const unlock = lockInstance(around.dataDir)
  writeFileSync(join(root, 'env'), 'DATA_DIR=/another\n')
  expect(() => site()).toThrow('Stop it yourself')
  unlock()
  expect(() => site(machine({ executable: undefined }))).toThrow('runs from its sources')
  expect(asked).toEqual([])
})
