import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ListedApiKey, ListedWidgetKey } from '../../../src/features/access/api-keys/operator.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { startService } from '../../robustness/service.ts'
import { ENV, PROGRAM } from './program.ts'

const PASSWORD = 'correct horse battery'
const KEYS = '/v1/security/api-keys'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-key-'))
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

async function newStore(name: string) {
  const words = ['--email', 'me@shop.test', '--password', PASSWORD, '--store', name, '--json']
  return JSON.parse((await run(['setup', ...words])).stdout) as Record<
    'slug' | 'client_id' | 'client_secret',
    string
  >
}

const widgetKey = async (slug: string) =>
  JSON.parse(
    (await run(['key', 'create', '--store', slug, '--origin', 'https://shop.test', '--json'])).stdout,
  ) as { id: string; key: string }

const listed = async (...words: string[]) =>
  JSON.parse((await run(['key', 'list', '--json', ...words])).stdout) as (ListedApiKey | ListedWidgetKey)[]

/** A service with a store and a way to call it as its machine grant. */
async function serve() {
  const { client_id, client_secret } = await newStore('My shop')
  const service = await startService({ dataDir }, { untilReady: false })
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const granted = await fetch(`${service.address}/oauth/token`, { method: 'POST', body: form })
  const { access_token } = (await granted.json()) as { access_token: string }
  async function call(method: string, path: string, token = access_token, body?: unknown) {
    const answer = await fetch(service.address + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  async function makeKey(name = 'Nightly sync') {
    const body = { name, scopes: { products: ['read', 'write'] }, expires_in_days: 30 }
    return (await call('POST', KEYS, access_token, body)).body as { id: string; key: string; prefix: string }
  }
  return { storeId: client_id, service, call, makeKey }
}

const acts = () => {
  const db = openDatabase(dataDir)
  const rows = db
    .prepare<[], { action: string; details: string }>(
      `SELECT action, actor_kind, store_id, user_id, details, address FROM audit_events
       WHERE action IN ('api_key.revoked', 'public_key.deleted') ORDER BY id`,
    )
    .all()
  db.close()
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as unknown }))
}

describe('lookalike key revoke', () => {
  test('ends keys of both kinds beside a running service, with the next request', async () => {
    const { storeId, service, call, makeKey } = await serve()
    try {
      const [first, second] = [await makeKey('First'), await makeKey('Second')]
      const widget = await widgetKey('my-shop')
      expect((await call('GET', '/v1/products', first.key)).status).toBe(200)

      const byPrefix = await run(['key', 'revoke', first.prefix])
      expect(byPrefix).toEqual({
        code: 0,
        stderr: '',
        stdout: `The API key ${first.prefix} "First" of my-shop has been revoked\n`,
      })
      expect((await call('GET', '/v1/products', first.key)).status).toBe(401)
      expect((await call('GET', '/v1/products', second.key)).status).toBe(200)

      expect(await run(['key', 'revoke', second.id])).toMatchObject({ code: 0 })
      expect((await call('GET', '/v1/products', second.key)).status).toBe(401)

      const gone = await run(['key', 'revoke', widget.key])
      expect(gone.stdout).toBe(
        `The widget key ${widget.key.slice(0, 12)} "widget" of my-shop has been revoked\n`,
      )
      expect((await call('GET', '/v1/security/public-keys')).body).toMatchObject({ count: 0 })
      expect(await listed()).toEqual([])

      const act = { actor_kind: 'operator', store_id: storeId, user_id: null, address: null }
      const key = { id: first.id, name: 'First', prefix: first.prefix }
      expect(acts()).toEqual([
        { ...act, action: 'api_key.revoked', details: key },
        {
          ...act,
          action: 'api_key.revoked',
          details: { ...key, id: second.id, name: 'Second', prefix: second.prefix },
        },
        {
          ...act,
          action: 'public_key.deleted',
          details: { id: widget.id, name: 'widget', prefix: widget.key.slice(0, 12) },
        },
      ])
    } finally {
      await service.stop()
    }
  }, 90_000)

  test('knows a leaked key by its value, also by the one before its rotation', async () => {
    const { service, call, makeKey } = await serve()
    try {
      const { id, key } = await makeKey()
      const rotated = await call('POST', `${KEYS}/${id}/rotate`, undefined, { grace_seconds: 600 })
      expect((await call('GET', '/v1/products', key)).status).toBe(200)
      expect(await run(['key', 'revoke', key])).toMatchObject({ code: 0 })
      for (const value of [key, String(rotated.body['key'])]) {
        expect((await call('GET', '/v1/products', value)).status).toBe(401)
      }
    } finally {
      await service.stop()
    }
  }, 60_000)

  test('does nothing where a prefix fits several, and lists them', async () => {
    await newStore('My shop')
    const [one, other] = [await widgetKey('my-shop'), await widgetKey('my-shop')]
    const db = openDatabase(dataDir)
    db.prepare("UPDATE public_keys SET prefix = 'pk_live_same'").run()
    db.close()
    const ended = await run(['key', 'revoke', 'pk_live_same'])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toStartWith('2 keys match, and none was revoked. Name one by its ID:\n')
    for (const { id } of [one, other]) expect(ended.stderr).toContain(id)
    expect([(await listed()).length, acts()]).toEqual([2, []])
    expect(await run(['key', 'revoke', one.id.toUpperCase()])).toMatchObject({ code: 0 })
    expect((await listed()).map(({ id }) => id)).toEqual([other.id])
  }, 60_000)

  test.each([
    [['key', 'revoke', 'sk_live_none'], 1, 'No such key'],
    [['key', 'revoke', ''], 1, 'No such key'],
    [['key', 'revoke', '%'], 1, 'No such key'],
    [['key', 'revoke', 'sk_live_'], 1, 'No such key'],
    [['key', 'revoke'], 2, 'takes ID|PREFIX, but got none'],
    [['key', 'list', 'all'], 2, 'takes no arguments'],
    [['key', 'list', '--store', 'nowhere'], 1, 'There is no store "nowhere"'],
  ])(
    '%j ends with %d and says why',
    async (words, code, reason) => {
      await newStore('My shop')
      const ended = await run(words)
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(reason)
      expect(ended.stderr).not.toMatch(/\n\s+at /)
    },
    30_000,
  )
})

describe('lookalike key list', () => {
  test('tells both kinds apart, of a store or of all, and shows the value of widget keys alone', async () => {
    const { storeId, service, call, makeKey } = await serve()
    try {
      const key = await makeKey()
      await call('GET', '/v1/products', key.key)
      await newStore('Other')
      const widget = await widgetKey('other')
      const expected = {
        kind: 'api_key',
        id: key.id,
        store_id: storeId,
        store: 'my-shop',
        name: 'Nightly sync',
        prefix: key.prefix,
        scopes: ['products:read', 'products:write'],
        effective_scopes: ['products:read', 'products:write'],
        maker: 'machine',
        is_expired: false,
        last_used_ip: '127.0.0.1',
      }
      const all = await listed()
      expect(all).toMatchObject([
        expected,
        {
          kind: 'widget_key',
          id: widget.id,
          key: widget.key,
          store: 'other',
          origins: ['https://shop.test'],
        },
      ])
      expect(await listed('--store', 'my-shop')).toMatchObject([expected])
      expect((await listed('--store', 'other')).map(({ id }) => id)).toEqual([widget.id])

      const { stdout } = await run(['key', 'list'])
      const [head, first, second, ...rest] = stdout.trimEnd().split('\n')
      expect(head).toMatch(/^KIND +KEY +STORE +ID +NAME +WHAT IT MAY DO$/)
      expect(first).toMatch(
        new RegExp(
          `^API key +${key.prefix} +my-shop +${key.id} +"Nightly sync" +products:read, products:write$`,
        ),
      )
      expect(second).toMatch(
        new RegExp(`^widget key +${widget.key} +other .* "widget" +text, upload, url, feedback from https:`),
      )
      expect(rest).toEqual([])
      for (const text of [stdout, JSON.stringify(all)]) {
        expect(text).not.toContain(key.key.slice(12))
      }
    } finally {
      await service.stop()
    }
  }, 90_000)

  test('says of a key that can do nothing why', async () => {
    const { service, call, makeKey } = await serve()
    const powers = async () =>
      (await run(['key', 'list'])).stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split('"').at(-1)?.trim())
    try {
      await makeKey()
      const login = await fetch(`${service.address}/oauth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'me@shop.test', password: PASSWORD }),
      })
      const { access_token } = (await login.json()) as { access_token: string }
      const made = await call('POST', KEYS, access_token, { name: 'mine', scopes: { products: 'delete' } })
      expect(await powers()).toEqual(['products:read, products:write', 'products:delete'])

      const db = openDatabase(dataDir)
      db.exec("UPDATE users SET is_super_admin = 0; UPDATE memberships SET role = 'viewer'")
      expect(await powers()).toEqual([
        'products:read, products:write',
        'nothing: its creator lacks the permissions',
      ])
      const denied = await call('DELETE', '/v1/products/none', String(made.body['key']))
      expect([denied.status, denied.body['details']]).toMatchObject([403, { required: 'products:delete' }])

      db.exec('DELETE FROM memberships; UPDATE api_keys SET expires_at = 1 WHERE made_by_machine = 1')
      db.close()
      expect(await powers()).toEqual(['nothing: it has expired', 'nothing: its creator has left the store'])
    } finally {
      await service.stop()
    }
  }, 90_000)

  test('says that there is none', async () => {
    await newStore('My shop')
    expect(await run(['key', 'list'])).toMatchObject({ code: 0, stdout: 'There are no keys.\n', stderr: '' })
    expect(await listed()).toEqual([])
  }, 30_000)
})

test.each(['key list', 'key revoke'])(
  '%s --help shows an example',
  async (command) => {
    const { stdout, code } = await run([...command.split(' '), '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Example\n  lookalike ${command}`)
  },
  30_000,
)
