import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { mailServer } from '../../platform/mail/mail-server.ts'
import { ENV, PROGRAM } from './program.ts'

const EMAIL = 'anna@shop.test'
const PASSWORD = 'a long password'
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-command-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (words: string[], env: Record<string, string> = {}) =>
  Bun.spawn([...PROGRAM, ...words], {
    cwd: folder,
    env: { ...ENV, DATA_DIR: folder, LOG_LEVEL: 'error', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Runs a command to its end. */
async function run(words: string[], env?: Record<string, string>) {
  const child = start(words, env)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

async function serve(env: Record<string, string> = {}) {
  const child = start(['serve', '--port', '0'], env)
  const { value } = await child.stdout.getReader().read()
  const address = /^listening on (\S+)\n$/.exec(new TextDecoder().decode(value))?.[1] ?? ''
  const post = async (path: string, body: object) => {
    const answer = await fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return {
    address,
    post,
    login: (password: string) => post('/oauth/login', { email: EMAIL, password }),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** An install without anybody. */
const makeInstall = (): void => void openDatabase(folder).close()

const setup = () => run(['setup', '--email', EMAIL, '--password', PASSWORD, '--store', 'My shop'])

describe('beside a running service without a mail server', () => {
  test('outbox shows the link, and the link activates the account', async () => {
    const service = await serve()
    expect((await run(['outbox'])).stdout).toBe('No mails are waiting.\n')
    const body = { client_name: 'My shop', email: EMAIL, password: PASSWORD }
    expect(await service.post('/register', body)).toMatchObject({ status: 202, body: { email_sent: false } })
    expect(await service.login(PASSWORD)).toMatchObject({
      status: 403,
      body: { error: 'account_not_verified' },
    })
    const shown = await run(['outbox'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain(`To       ${EMAIL}\nSubject  Confirm your e-mail address\n`)
    const [link = '', token] =
      new RegExp(`${service.address}/verify#token=([\\w-]{43})`).exec(shown.stdout) ?? []
    expect(shown.stdout).toContain(`${service.address}/verify/cancel#token=${token}`)
    expect(JSON.parse((await run(['outbox', '--json'])).stdout)).toEqual([
      expect.objectContaining({ recipient: EMAIL, text: expect.stringContaining(link), last_error: null }),
    ])
    expect(await service.post('/verify', { token, password: PASSWORD })).toMatchObject({
      status: 200,
      body: { status: 'verified', slug: 'my-shop' },
    })
    expect((await service.login(PASSWORD)).status).toBe(200)
    await service.stop()
  }, 60_000)

  test('user verify activates an account without its link', async () => {
    const service = await serve()
    await service.post('/register', { client_name: 'My shop', email: EMAIL, password: PASSWORD })
    expect(await run(['user', 'verify', EMAIL])).toMatchObject({
      code: 0,
      stdout: `${EMAIL} can sign in; the store is my-shop\n`,
    })
    expect((await service.login(PASSWORD)).status).toBe(200)
    const again = await run(['user', 'verify', EMAIL])
    expect([again.code, again.stderr]).toEqual([1, `${EMAIL} already has an account\n`])
    await service.stop()
  }, 60_000)

  test('user verify activates no stranger’s account: of several registrations the operator names one', async () => {
    const service = await serve()
    const body = { client_name: 'My shop', email: EMAIL, password: PASSWORD }
    await service.post('/register', body)
    const foreign = { ...body, client_name: 'Stranger', password: 'the stranger’s password' }
    await service.post('/register', foreign)
    const { stdout, stderr, code } = await run(['user', 'verify', EMAIL])
    expect([stdout, code]).toEqual(['', 1])
    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC'
    const listed = new RegExp(
      `^${EMAIL} has 2 open registrations\\..*\n  ([0-9a-f]{8})  ${time}  "My shop"\n  [0-9a-f]{8}  ${time}  "Stranger"\n$`,
    ).exec(stderr)
    expect((await run(['user', 'verify', EMAIL, '--store', 'Other'])).code).toBe(1)
    expect(await run(['user', 'verify', EMAIL, '--id', listed?.[1] ?? ''])).toMatchObject({
      code: 0,
      stdout: `${EMAIL} can sign in; the store is my-shop\n`,
    })
    expect((await service.login(PASSWORD)).status).toBe(200)
    await service.stop()
  }, 60_000)

  test('user reset-password and user unlock let somebody in again', async () => {
    await setup()
    const service = await serve()
    for (let n = 0; n < 5; n++) await service.login('not the password')
    expect((await service.login(PASSWORD)).status).toBe(429)
    expect(await run(['user', 'unlock', EMAIL])).toMatchObject({ code: 0 })
    expect((await service.login(PASSWORD)).status).toBe(200)
    const reset = (await run(['user', 'reset-password', EMAIL])).stdout
    const made =
      /^New password of anna@shop\.test: ([\w-]{20}) {3}\(shown only now\)\n$/.exec(reset)?.[1] ?? ''
    expect((await service.login(made)).status).toBe(200)
    const json = JSON.parse((await run(['user', 'reset-password', EMAIL, '--json'])).stdout)
    expect(json).toEqual({ email: EMAIL, password: expect.stringMatching(/^[\w-]{20}$/) })
    expect((await service.login(json.password)).status).toBe(200)
    const given = await run(['user', 'reset-password', EMAIL, '--password', 'chosen by the operator'])
    expect(given).toMatchObject({ code: 0, stdout: `${EMAIL} has a new password\n` })
    expect((await service.login('chosen by the operator')).status).toBe(200)
    // The first account of an install is its only super-admin, and the only owner of its store.
    const last = await run(['user', 'super-admin', EMAIL, '--take-away'])
    expect(last).toMatchObject({ code: 1, stderr: expect.stringContaining('the only super-admin') })
    const kept = await run(['user', 'delete', EMAIL, '--confirm', EMAIL])
    expect(kept).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('user super-admin EMAIL --take-away'),
    })
    const dashed = await run(['store', 'rename', '--', 'my-shop', '--json'])
    expect(dashed).toMatchObject({ code: 0, stdout: expect.stringContaining('--json') })
    await service.stop()
  }, 60_000)

  test('user invite prints what /register asks for', async () => {
    const service = await serve({ REGISTRATION: 'invite' })
    const body = { client_name: 'My shop', email: EMAIL, password: PASSWORD }
    expect((await service.post('/register', body)).status).toBe(403)
    const { stdout, code } = await run(['user', 'invite', EMAIL])
    expect(code).toBe(0)
    expect(stdout).toContain('The mail is waiting in the outbox.')
    expect(stdout).toContain(`${service.address}/register`)
    const invite = / {2}invite {2}([\w-]{43}) /.exec(stdout)?.[1]
    expect((await service.post('/register', { ...body, invite })).status).toBe(202)
    const again = JSON.parse((await run(['user', 'invite', 'bert@shop.test', '--json'])).stdout)
    expect(again).toEqual({
      email: 'bert@shop.test',
      invite: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.stringMatching(/Z$/),
      email_sent: false,
    })
    await service.stop()
  }, 60_000)
})

test('a command with a mail server sends its mail itself; OFFLINE keeps it in the outbox', async () => {
  makeInstall()
  const server = await mailServer()
  const mail = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'Shop search <search@shop.test>' }
  const offline = await run(['user', 'invite', EMAIL], { ...mail, OFFLINE: '1' })
  expect([offline.code, server.connections()]).toEqual([0, 0])
  expect(offline.stdout).toContain('The mail is waiting in the outbox.')
  expect(JSON.parse((await run(['outbox', '--json'])).stdout)).toEqual([
    expect.objectContaining({ recipient: EMAIL, last_error: expect.stringContaining('is offline') }),
  ])
  const online = await run(['user', 'invite', 'bert@shop.test'], mail)
  expect(online.stdout).toContain('The mail has been sent.')
  expect(server.mails).toEqual([
    expect.objectContaining({ from: 'search@shop.test', to: ['bert@shop.test'] }),
  ])
  await server.close()
}, 60_000)

describe('exit codes', () => {
  test.each([
    ['an address that nobody registered', ['user', 'verify', EMAIL], 1, 'has not registered'],
    ['no address', ['user', 'verify', 'anna'], 2, 'must be a mail address'],
    ['nobody’s address', ['user', 'reset-password', EMAIL], 1, 'has no account'],
    ['nobody’s address', ['user', 'unlock', EMAIL], 1, 'has no account'],
    ['a missing word', ['user', 'invite'], 2, 'takes EMAIL'],
    ['a stray word', ['outbox', 'all'], 2, 'takes no arguments'],
    [
      'a bad mail server',
      ['user', 'invite', EMAIL, '--smtp-url', 'smtp://me:hunter2%@mail.test', '--mail-from', 'a@b.test'],
      2,
      'SMTP_URL has a user name or password',
    ],
  ])(
    '%s: %j ends with %d',
    async (_, words, code, reason) => {
      makeInstall()
      const ended = await run(words)
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(reason)
      expect(ended.stderr).not.toMatch(/\n\s+at |hunter2/)
    },
    30_000,
  )

  test('a weak password is refused and not repeated', async () => {
    await setup()
    const ended = await run(['user', 'reset-password', EMAIL, '--password', 'password123'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toBe('The password is one of the most used passwords; choose another\n')
  }, 30_000)

  test.each(['user verify', 'user invite', 'user reset-password', 'user unlock', 'outbox'])(
    '%s --help shows an example',
    async (command) => {
      const { stdout, code } = await run([...command.split(' '), '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Example\n  lookalike ${command}`)
    },
    30_000,
  )
})
