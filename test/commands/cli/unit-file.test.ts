import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseUnitFile, useUnitSettings } from '../../../src/commands/cli/unit-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-unit-'))
const path = join(folder, 'env')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settingsWith = (text: string, env: Record<string, string>, ...argv: string[]) => {
  writeFileSync(path, text)
  useUnitSettings(argv.length > 0 ? argv : ['store', 'list'], env, [path])
  return env
}

test('reads assignments as systemd does', () => {
  const text = [
    '# a comment',
    '; another',
    'DATA_DIR=/var/lib/lookalike',
    'BASE_URL="https://search.shop.example"',
    "MAIL_FROM='My shop <shop@mail.example>'",
    'SMTP_URL="smtp://me:a\\"b@mail.example"\r',
    '  PORT = 8081  ',
    'LOG_LEVEL=\\',
    'warn',
    'no assignment',
    'lower=1',
    'EMPTY=',
  ].join('\n')
  expect(parseUnitFile(text)).toEqual({
    DATA_DIR: '/var/lib/lookalike',
    BASE_URL: 'https://search.shop.example',
    MAIL_FROM: 'My shop <shop@mail.example>',
    SMTP_URL: 'smtp://me:a"b@mail.example',
    PORT: '8081',
    LOG_LEVEL: 'warn',
    EMPTY: '',
  })
})

test('gives commands the settings of the service, below those of the environment', () => {
  const unit =
    'DATA_DIR=/var/lib/lookalike\nPORT=8081\nPATH=/evil\nSMTP_URL=smtp://unit\nJWT_SECRET_FILE=/etc/jwt'
  expect(settingsWith(unit, { PORT: '9000', SMTP_URL_FILE: '/own', DATA_DIR: '' })).toEqual({
    PORT: '9000',
    SMTP_URL_FILE: '/own',
    DATA_DIR: '/var/lib/lookalike',
    JWT_SECRET_FILE: '/etc/jwt',
  })
})

test.each(['demo', 'version', 'openapi', 'licences'])(
  '%s has no install, so the unit does not matter',
  (name) => {
    expect(settingsWith('PORT=8081', {}, name)).toEqual({})
  },
)

test('a file that is missing or far too large gives nothing', () => {
  const env = {}
  expect(useUnitSettings(['serve'], env, [join(folder, 'none')])).toBeUndefined()
  expect(settingsWith(`PORT=8081\n${'#'.repeat(70_000)}`, env)).toEqual({})
})

test('whoever may not read the file is told so', () => {
  writeFileSync(path, 'PORT=8081')
  chmodSync(path, 0)
  const hint = useUnitSettings(['serve'], {}, [path])
  // Root may read everything.
  if (process.getuid?.() === 0) expect(hint).toBeUndefined()
  else expect(hint).toContain('run the command with sudo')
  chmodSync(path, 0o600)
})
