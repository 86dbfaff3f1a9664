import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findWarnings } from '../../src/commands/warnings.ts'
import { flagOf, loadConfig, SETTING_NAMES, Settings, secretsAmong } from '../../src/config.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const SECRET = 'a secret of more than 32 bytes in all'

const about = (env: Record<string, string>) => findWarnings(loadConfig(env))

describe('settings of a service that are likely to be a mistake', () => {
  const MAIL = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@b.example' }

  test.each([{}, { HOST: 'localhost' }, { HOST: '127.0.0.1' }, { HOST: '127.9.9.9' }, { HOST: '::1' }])(
    'none with %j',
    (env) => expect(about(env)).toEqual([]),
  )

  test('mail without a public address', () => {
    expect(about(MAIL)).toEqual([
      expect.stringMatching(/^SMTP_URL is set and BASE_URL is empty: links in mails/),
    ])
  })

  test.each(['0.0.0.0', '::', '192.0.2.1', 'search.example', '127.example', '1127.0.0.1'])(
    'listening on %s without a public address',
    (HOST) => {
      expect(about({ HOST })).toEqual([expect.stringContaining(`HOST is ${HOST} and BASE_URL is empty`)])
      expect(about({ HOST, ...MAIL })).toHaveLength(2)
    },
  )

  test('none once there is one', () => {
    expect(about({ HOST: '0.0.0.0', BASE_URL: 'https://search.example', ...MAIL })).toEqual([])
  })
})

describe('secrets among the flags', () => {
  test.each([
    ['jwt-secret', SECRET, ['JWT_SECRET']],
    ['smtp-url', 'smtp://me:hunter2@mail.example', ['SMTP_URL']],
    ['smtp-url', 'smtps://:hunter2@mail.example:465/', ['SMTP_URL']],
    ['smtp-url', 'smtp://mail.example:587', []],
    ['smtp-url', 'smtp://me@mail.example:587', []],
    ['data-dir', '/var/lib/lookalike', []],
    ['jwt-secret', '', []],
  ] as const)('--%s %s', (flag, value, expected) => {
    expect(secretsAmong({ [flag]: value }) as readonly string[]).toEqual(expected)
  })

  test('every setting that is called a secret, a token or a key is marked as one', () => {
    const unmarked = SETTING_NAMES.filter(
      (name) =>
        /SECRET|TOKEN$|_KEY$|PASSWORD/.test(name) && Settings.properties[name]['secret'] === undefined,
    )
    expect(unmarked.map(flagOf)).toEqual([])
  })
})

describe('lookalike serve', () => {
  /** What it writes on stderr until it is listening, and then ends. */
  async function warningsOf(words: string[], env: Record<string, string> = {}): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-warnings-'))
    const child = Bun.spawn([process.execPath, MAIN, 'serve', '--port', '0', ...words], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: folder, LOG_LEVEL: 'warn', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    await child.stdout.getReader().read()
    child.kill('SIGTERM')
    const text = await new Response(child.stderr).text()
    expect(await child.exited).toBe(0)
    rmSync(folder, { recursive: true, force: true })
    return text
  }

  test('warns of secrets as flags by name and by the way out, never by value, and works', async () => {
    const smtp = 'smtp://me:hunter2@mail.example'
    const text = await warningsOf(['--jwt-secret', SECRET, '--smtp-url', smtp, '--mail-from', 'a@b.example'])
    expect(text).toContain('the value of --jwt-secret in the process list')
    expect(text).toContain('with JWT_SECRET_FILE')
    expect(text).toContain('the value of --smtp-url in the process list')
    expect(text).toContain('"msg":"SMTP_URL is set and BASE_URL is empty')
    expect(text).not.toMatch(/hunter2|more than 32 bytes/)
  }, 30_000)

  test('is silent about secrets from the environment and from files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-secret-'))
    writeFileSync(join(folder, 'jwt'), SECRET)
    const env = { JWT_SECRET_FILE: join(folder, 'jwt'), BASE_URL: 'https://search.example' }
    expect(await warningsOf([], env)).toBe('')
    rmSync(folder, { recursive: true })
  }, 30_000)
})
