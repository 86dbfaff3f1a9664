import { expect, test } from 'bun:test'
import { parseUnitFile } from '../../../src/commands/cli/unit-file.ts'
import { formatSettingsFile, settleConfig } from '../../../src/commands/systemd/settings-file.ts'
import { listSettings, loadConfig } from '../../../src/config.ts'

/** The file after a command with these settings. */
function write(env: Record<string, string>, flags: Record<string, string> = {}, before = '') {
  const read = () => 'smtp://mail.example'
  const config = loadConfig(env, flags, read)
  const settings = listSettings(config, env, flags)
  return formatSettingsFile(settleConfig(config, settings, '/var/lib/lookalike'), settings, before)
}

test('holds what was chosen, and a folder in any case', () => {
  expect(parseUnitFile(write({ PORT: '9000' }, { 'base-url': 'https://search.shop.example' }))).toEqual({
    PORT: '9000',
    BASE_URL: 'https://search.shop.example',
    DATA_DIR: '/var/lib/lookalike',
  })
})

test.each(['/srv/my "own" files', "/srv/O'Neill/$HOME/`id`/\\n", '/srv/ # %h'])(
  'a value comes back as it was: %s',
  (path) => {
    expect(parseUnitFile(write({ MODEL_DIR: path }))['MODEL_DIR']).toBe(path)
  },
)

test('a value that would add a line is refused', () => {
  expect(() => write({ MODEL_DIR: '/srv/a\nEVIL=1' })).toThrow('MODEL_DIR has a line break')
})

test('the path of a folder does not depend on where the command runs', () => {
  expect(parseUnitFile(write({}, { 'data-dir': 'here' }))['DATA_DIR']).toBe(`${process.cwd()}/here`)
})

test('what the file has already stays, except what is chosen now', () => {
  const before =
    '# mine\nDATA_DIR=/srv/shop\nPORT=9000\nLOOKALIKE_UNPACK_DIR=/opt/parts\nSMTP_URL_FILE=/etc/smtp\nMAIL_FROM=\\\na@shop.example\n'
  const env = { ...parseUnitFile(before) }
  const after = write(env as Record<string, string>, { port: '9001' }, before)
  expect(after).toBe(
    '# mine\nDATA_DIR=/srv/shop\nLOOKALIKE_UNPACK_DIR=/opt/parts\nSMTP_URL_FILE=/etc/smtp\nMAIL_FROM=\\\na@shop.example\nPORT=9001\n',
  )
})

test('a value replaces the file that held it', () => {
  const before = 'SMTP_URL_FILE=/etc/smtp\nMAIL_FROM=a@shop.example\n'
  const env = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@shop.example' }
  expect(parseUnitFile(write(env, {}, before))).toMatchObject({ SMTP_URL: 'smtp://mail.example' })
  expect(write(env, {}, before)).not.toContain('SMTP_URL_FILE')
})
