import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UnitHost } from '../../../src/commands/systemd/host.ts'
import { installUnit, type Unit, uninstallUnit } from '../../../src/commands/systemd/install.ts'
import { listSettingsFiles } from '../../../src/commands/systemd/places.ts'
import { listSettings, loadConfig } from '../../../src/config.ts'

let root: string
let asked: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lookalike-service-'))
  asked = []
  writeFileSync(join(root, 'download'), 'the program')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const unit = (isOfUser = false): Unit => ({
  isOfUser,
  places: {
    unit: join(root, 'units/lookalike.service'),
    settings: join(root, 'etc/env'),
    executable: join(root, 'bin/lookalike'),
    dataDir: join(root, 'data'),
  },
})

/** A machine that remembers what it was asked. @param fails a word of the programs that fail. */
const machine = (change: Partial<UnitHost> = {}, fails = 'nothing fails'): UnitHost => ({
  uid: 0,
  isManaged: () => true,
  executable: join(root, 'download'),
  run(words) {
    asked.push(words.join(' '))
    return words.includes(fails) ? { code: 1, said: `${fails} is broken` } : { code: 0, said: '' }
  },
  ...change,
})

function install(host: UnitHost, env: Record<string, string> = {}, isOfUser = false): void {
  const config = loadConfig(env)
  installUnit(unit(isOfUser), config, listSettings(config, env), host)
}

const modeOf = (path: string) => statSync(join(root, path)).mode & 0o777

test('puts program, settings and unit in place, and starts the service last', () => {
  install(machine({}, 'id'), { SMTP_URL: 'smtp://me:secret@mail.example', MAIL_FROM: 'a@shop.example' })
  expect(readFileSync(join(root, 'bin/lookalike'), 'utf8')).toBe('the program')
  expect(readFileSync(join(root, 'etc/env'), 'utf8')).toContain('smtp://me:secret@mail.example')
  expect([modeOf('bin/lookalike'), modeOf('etc/env'), modeOf('units/lookalike.service')]).toEqual([
    0o755, 0o600, 0o644,
  ])
  expect(asked.map((words) => words.split(' ').slice(0, 2).join(' '))).toEqual([
    'id -u',
    'useradd --system',
    'install -d',
    'systemctl daemon-reload',
    'systemctl enable',
    'systemctl restart',
  ])
})

test('runs again with other settings, and keeps the earlier ones and the user', () => {
  install(machine(), { PORT: '9000' })
  asked = []
  install(machine({ executable: join(root, 'bin/lookalike') }), { LOG_LEVEL: 'warn' })
  expect(readFileSync(join(root, 'etc/env'), 'utf8')).toMatch(/^PORT=9000$[\s\S]*^LOG_LEVEL=warn$/m)
  expect(asked).not.toContain('useradd')
})

test('an install that root has run by hand becomes the service’s', () => {
  mkdirSync(join(root, 'data'))
  writeFileSync(join(root, 'data/lookalike.db'), 'a database')
  install(machine())
  expect(asked).toContain(`chown -R lookalike:lookalike ${join(root, 'data')}`)
})

test('a folder of something else stays untouched', () => {
  mkdirSync(join(root, 'data'))
  writeFileSync(join(root, 'data/letters.txt'), 'Dear Ann')
  expect(() => install(machine())).toThrow('is not empty and holds no install (it has "letters.txt")')
  expect(asked).toEqual([])
  expect(existsSync(join(root, 'etc/env'))).toBe(false)
})

test.each<[string, Partial<UnitHost>, boolean, string]>([
  ['no systemd', { isManaged: () => false }, false, 'systemd does not run here'],
  ['no systemd for the user', { isManaged: () => false, uid: 1000 }, true, 'sign in as that user'],
  ['no root', { uid: 1000 }, false, 'with sudo'],
  ['root’s own service', {}, true, 'without --user'],
  ['the sources', { executable: undefined }, false, 'bun build.ts'],
])('refuses %s and changes nothing', (_, change, isOfUser, message) => {
  expect(() => install(machine(change), {}, isOfUser)).toThrow(message)
  expect(asked).toEqual([])
  expect(existsSync(join(root, 'units'))).toBe(false)
})

test('a service that does not start is told with its last words', () => {
  const host = machine({
    run: (words) => ({
      code: words.includes('restart') ? 1 : 0,
      said: words[0] === 'journalctl' ? 'the port is in use' : '',
    }),
  })
  expect(() => install(host)).toThrow(/did not start[\s\S]*the port is in use/)
})

test('the service of a user needs no other user', () => {
  install(machine({ uid: 1000 }), {}, true)
  expect(asked).toEqual([
    `install -d -m 700 ${join(root, 'data')}`,
    'systemctl --user daemon-reload',
    'systemctl --user enable --quiet lookalike',
    'systemctl --user restart lookalike',
  ])
})

test('removing the service leaves data and settings', () => {
  install(machine())
  mkdirSync(join(root, 'data'), { recursive: true })
  asked = []
  expect(uninstallUnit(unit(), machine())).toBe(true)
  expect(asked).toEqual(['systemctl disable --now --quiet lookalike', 'systemctl daemon-reload'])
  expect(['units/lookalike.service', 'data', 'etc/env'].map((path) => existsSync(join(root, path)))).toEqual([
    false,
    true,
    true,
  ])
  expect(uninstallUnit(unit(), machine())).toBe(false)
})

test('commands of a user see the settings of the user’s service first; root’s see none of a user', () => {
  const env = { HOME: '/home/ann' }
  expect(listSettingsFiles(env, 1000)).toEqual(['/home/ann/.config/lookalike/env', '/etc/lookalike/env'])
  expect(listSettingsFiles(env, 0)).toEqual(['/etc/lookalike/env'])
})
