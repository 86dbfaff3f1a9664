import { expect, test } from 'bun:test'
import { findNearSettings } from '../../../src/commands/doctor/near-settings.ts'
import { SETTING_NAMES } from '../../../src/config.ts'

test.each([
  ['REGISTRATON', 'REGISTRATION'],
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['LOOKALIKE_PORT', 'PORT'],
  ['LOOKALIKE_DATA_DIR', 'DATA_DIR'],
  ['DATADIR', 'DATA_DIR'],
  ['FETCH_ALLOWED_CIDRS', 'FETCH_ALLOW_CIDRS'],
  ['BASEURL', 'BASE_URL'],
])('%s probably means %s', (given, meant) => {
  expect(findNearSettings([given])).toEqual([{ given, meant: meant as 'PORT' }])
})

test('settings, their files and the variables of every system mean nothing else', () => {
  const usual = [
    'HOME',
    'HOSTNAME',
    'LOGNAME',
    'MAIL',
    'PATH',
    'PWD',
    'SHELL',
    'TERM',
    'USER',
    'LANG',
    'TZ',
    'SHLVL',
  ]
  const ours = [...SETTING_NAMES, ...SETTING_NAMES.map((name) => `${name}_FILE`), 'LOOKALIKE_UNPACK_DIR']
  expect(findNearSettings([...usual, ...ours, '_', '', 'x'.repeat(100_000)])).toEqual([])
})
