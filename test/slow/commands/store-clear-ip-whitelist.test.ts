import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { startService } from '../../robustness/service.ts'
import { ENV, PROGRAM } from './program.ts'

const SETUP = [
  'setup',
  '--email',
  'me@shop.test',
  '--password',
  'correct horse battery',
  '--store',
  'My shop',
]
const CLEAR = ['store', 'clear-ip-whitelist']
const PATH = '/v1/security/ip-whitelist'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-clear-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Runs a command to its end. */
async function run(words: string[]) {
  const child = Bun.spawn([...PROGRAM, ...words], {
    env: { ...ENV, DATA_DIR: dataDir },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

const cleared = () => {
  const db = openDatabase(dataDir)
  const rows = db
    .prepare<[], { details: string }>(
      `SELECT actor_kind, store_id, user_id, details, address, request_id FROM audit_events
       WHERE action = 'ip_whitelist.cleared'`,
    )
    .all()
  db.close()
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as unknown }))
}

describe('lookalike store clear-ip-whitelist', () => {
  test('lets a store that locked itself out in again, at its next call, beside a running service', async () => {
    const { client_id, email } = JSON.parse((await run([...SETUP, '--json'])).stdout)
    const service = await startService({ dataDir }, { untilReady: false })
    try {
      const login = await fetch(`${service.address}/oauth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: SETUP[4] }),
      })
      const { access_token } = (await login.json()) as { access_token: string }
      const call = async (method: string, body?: unknown) => {
        const answer = await fetch(service.address + PATH, {
          method,
          headers: {
            authorization: `Bearer ${access_token}`,
            'content-type': 'application/json',
            'x-forwarded-for': '198.51.100.1',
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const { error, details } = (await answer.json()) as Record<string, unknown>
        return { status: answer.status, error, details }
      }

      // Nobody configured a proxy, so the address is that of the connection.
      const refused = await call('POST', { ip_address: '198.51.100.1' })
      expect(refused).toMatchObject({ error: 'would_lock_out', details: { your_address: '127.0.0.1' } })
      expect(await call('POST', { ip_address: '198.51.100.1', force: true })).toMatchObject({ status: 201 })
      expect(await call('GET')).toMatchObject({ status: 403, error: 'ip_not_allowed' })

      const ended = await run([...CLEAR, 'my-shop'])
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(ended.stdout).toBe('my-shop can be reached from any address; entries deleted: 1\n')
      expect(await call('GET')).toMatchObject({ status: 200 })
    } finally {
      await service.stop()
    }
    const nobody = { user_id: null, address: null, request_id: null }
    const act = { actor_kind: 'operator', store_id: client_id, ...nobody, details: { entries: 1 } }
    expect(cleared()).toEqual([act])
  }, 60_000)

  test('on a stopped install; an empty list stays empty and is no act', async () => {
    await run(SETUP)
    const ended = await run([...CLEAR, 'my-shop'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toEndWith('entries deleted: 0\n')
    expect(cleared()).toEqual([])
  }, 60_000)

  test.each([
    [[...CLEAR, 'nowhere'], 1, 'There is no store "nowhere"'],
    [CLEAR, 2, 'takes SLUG, but got none'],
    [[...CLEAR, 'a', 'b'], 2, 'takes SLUG, but got "a", "b"'],
  ])(
    '%j ends with %d and says why',
    async (words, code, reason) => {
      openDatabase(dataDir).close()
      const ended = await run(words)
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(reason)
      expect(ended.stderr).not.toMatch(/\n\s+at /)
    },
    30_000,
  )
})
