import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../../src/main.ts')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Examines a folder. @returns the state of each check, by name. */
async function examine(env: Record<string, string> = {}, ...words: string[]) {
  const child = Bun.spawn([process.execPath, MAIN, 'doctor', '--json', '--port', '0', ...words], {
    ...{ cwd: folder, stdout: 'pipe', stderr: 'inherit' },
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: join(folder, 'data'), ...env },
  })
  const text = await new Response(child.stdout).text()
  const checks = JSON.parse(text) as { name: string; state: string; text: string }[]
  return { checks, code: await child.exited }
}

test('doctor: a machine where the service can start, and no install is made', async () => {
  const { checks, code } = await examine({ REGISTRATON: 'closed' })
  expect(code).toBe(0)
  expect(checks[0]).toMatchObject({
    name: 'settings',
    state: 'warning',
    text: expect.stringContaining('REGISTRATION?'),
  })
  expect(checks.map(({ name }) => name)).toEqual([
    'settings',
    'folder',
    'disk',
    'port',
    'model',
    'clock',
    'mail',
  ])
  expect(checks.find(({ name }) => name === 'model')?.text).toContain('has passed its self-test')
  expect(existsSync(join(folder, 'data'))).toBe(false)
}, 90_000)

test('doctor: exit code 1 for a mail server that is not there and an address that is not ours', async () => {
  // Nothing listens on this port: it has just been free.
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  const mail = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'a@b.example' }
  const { checks, code } = await examine({ ...mail, HOST: '300.1.1.1' })
  expect(code).toBe(1)
  const errors = checks.filter(({ state }) => state === 'error').map(({ name }) => name)
  expect(errors).toEqual(['port', 'mail'])
}, 90_000)

test('doctor: a running service is asked how it is', async () => {
  const service = Bun.spawn([process.execPath, MAIN, 'serve', '--port', '0'], {
    ...{ cwd: folder, stdout: 'pipe', stderr: 'ignore' },
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: join(folder, 'data') },
  })
  const { value } = await service.stdout.getReader().read()
  const address = /^listening on (\S+)$/m.exec(new TextDecoder().decode(value))?.[1]
  const { checks } = await examine()
  expect(checks.find(({ name }) => name === 'service')?.text).toContain(`It runs at ${address}`)
  expect(checks.map(({ name }) => name)).not.toContain('port')
  service.kill('SIGTERM')
  await service.exited
}, 90_000)
