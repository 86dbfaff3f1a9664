import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SYSTEM_PLACES } from '../../../src/commands/systemd/places.ts'
import { formatUnit } from '../../../src/commands/systemd/unit.ts'
import { loadConfig } from '../../../src/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-unit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Choices {
  isOfUser?: boolean
  settings?: Record<string, string>
  executable?: string
}

const unitOf = ({ isOfUser = false, settings = {}, executable = '/bin/true' }: Choices = {}) =>
  formatUnit({
    isOfUser,
    places: { settings: SYSTEM_PLACES.settings, executable },
    config: loadConfig({ DATA_DIR: '/var/lib/lookalike', ...settings }),
  })

test('a port below 1024 brings the one capability that it needs', () => {
  expect(unitOf()).toContain('\nCapabilityBoundingSet=\n')
  const privileged = unitOf({ settings: { PORT: '443' } })
  expect(privileged).toContain('\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n')
  // A capability of a user namespace opens no port.
  expect(privileged).not.toContain('PrivateUsers')
})

test('so does a name, whose authority asks at port 80; a reload makes the service try again', () => {
  const unit = unitOf({ settings: { DOMAIN: 'search.shop.example', PORT: '8443' } })
  expect(unit).toContain('\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n')
  expect(unit).toContain('\nExecReload=')
  const forwarded = { DOMAIN: 'search.shop.example', PORT: '8443', HTTP_PORT: '8080' }
  expect(unitOf({ settings: forwarded })).toContain('\nCapabilityBoundingSet=\n')
})

test('files in a home can be read only where a setting names one', () => {
  expect(unitOf()).toContain('\nProtectHome=yes\n')
  expect(unitOf({ settings: { MODEL_DIR: '/home/ann/model' } })).toContain('\nProtectHome=read-only\n')
})

test('backups in another folder can be written', () => {
  const unit = unitOf({ settings: { BACKUP_DIR: '/mnt/backups' } })
  expect(unit).toContain('\nReadWritePaths=/var/lib/lookalike /mnt/backups\n')
})

test('copies can be written to a folder, whose disk need not be there at the start', () => {
  const of = (BACKUP_TO: string) =>
    unitOf({
      settings: {
        BACKUP_TO,
        ...(BACKUP_TO.startsWith('s3') && { S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' }),
      },
    })
  expect(of('/mnt/nas')).toContain('\nReadWritePaths=/var/lib/lookalike -/mnt/nas\n')
  expect(of('s3://bucket')).toContain('\nReadWritePaths=/var/lib/lookalike\n')
})

test('the engine may compile', () => {
  expect(unitOf()).not.toContain('MemoryDenyWriteExecute')
})

const analyze = Bun.which('systemd-analyze')

describe.skipIf(!analyze)('systemd-analyze', () => {
  /** @returns what it says about a unit, and its exit code. */
  function ask(verb: string[], unit: string) {
    const path = join(folder, 'lookalike.service')
    writeFileSync(path, unit)
    const { exitCode, stdout, stderr } = Bun.spawnSync([String(analyze), ...verb, path])
    return { code: exitCode, said: `${stdout}${stderr}` }
  }

  test.each([
    ['of the machine', {}],
    ['on port 443', { settings: { PORT: '443', DATA_DIR: '/srv/my data/100%' } }],
    ['of a user', { isOfUser: true }],
  ])('finds no fault in the unit %s', (_, choices) => {
    expect(ask(['verify'], unitOf(choices))).toEqual({ code: 0, said: '' })
  })

  test.each([
    ['without', {}],
    ['with', { PORT: '443' }],
  ])('finds it little exposed, %s a privileged port', (_, settings) => {
    const { said } = ask(['security', '--offline=yes', '--no-pager'], unitOf({ settings }))
    const level = Number(/Overall exposure level for lookalike\.service: ([\d.]+)/.exec(said)?.[1])
    expect(level).toBeLessThanOrEqual(3)
  })
})
