import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { shownCode } from '../../support/authenticator.ts'
import { ENV, PROGRAM } from './program.ts'

const LOGIN = { email: 'ann@shop.test', password: 'seven green kites over Bergen' }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-reset-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (...words: string[]) =>
  Bun.spawn([...PROGRAM, ...words], {
    cwd: folder,
    env: { ...ENV, DATA_DIR: folder, LOG_LEVEL: 'error' },
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function run(...words: string[]) {
  const child = start(...words)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

const setup = () =>
  run('setup', '--email', LOGIN.email, '--password', LOGIN.password, '--store', 'Shop', '--json')

describe('lookalike user reset-2fa (contract 8.6)', () => {
  test('beside a running service: the next login needs no code, and it is written down', async () => {
    await setup()
    await using service = start('serve', '--port', '0')
    const { value } = await service.stdout.getReader().read()
    const address = new TextDecoder().decode(value).trim().replace('listening on ', '')
    const post = async (path: string, body: object, token = '') => {
      const response = await fetch(address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, string> }
    }
    const token = (await post('/oauth/login', LOGIN)).body['access_token']
    const { secret = '' } = (await post('/v1/security/2fa/setup', {}, token)).body
    const code = { totp_code: shownCode(secret, Date.now()) }
    expect((await post('/v1/security/2fa/enable', code, token)).status).toBe(200)
    expect((await post('/oauth/login', LOGIN)).body['error']).toBe('requires_2fa')

    // As somebody types it who does not think of capitals.
    expect(await run('user', 'reset-2fa', 'Ann@Shop.test')).toEqual({
      stdout: 'ann@shop.test now signs in with the password alone; earlier sign-ins have ended\n',
      stderr: '',
      code: 0,
    })
    expect((await post('/v1/security/2fa/disable', {}, token)).status).toBe(401)
    expect((await post('/oauth/login', LOGIN)).status).toBe(200)
    expect(await run('user', 'reset-2fa', LOGIN.email)).toMatchObject({
      stdout: 'ann@shop.test does not use two-factor authentication; nothing was changed\n',
      code: 0,
    })
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)

    const db = openDatabase(folder)
    const events = db
      .prepare(
        "SELECT actor_kind, user_id = (SELECT id FROM users) AS is_ann FROM audit_events WHERE action = 'two_factor.reset'",
      )
      .all()
    db.close()
    expect(events).toEqual([{ actor_kind: 'operator', is_ann: 1 }])
  }, 60_000)

  test('shows an example', async () => {
    const { stdout, code } = await run('user', 'reset-2fa', '--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Example\n  lookalike user reset-2fa ann@shop.example')
  })

  test.each([
    ['an unknown address', ['nobody@shop.test'], 1, 'nobody@shop.test has no account'],
    ['no address', [], 2, 'EMAIL'],
  ])(
    '%s is told in a sentence',
    async (_what, words, code, reason) => {
      await setup()
      const ended = await run('user', 'reset-2fa', ...words)
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(reason)
      expect(ended.stderr).not.toMatch(/\n\s+at /)
    },
    30_000,
  )
})
