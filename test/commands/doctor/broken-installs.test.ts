import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examine } from '../../../src/commands/doctor/examination.ts'
import { loadDataSecret } from '../../../src/commands/service/data-secrets.ts'
import { loadConfig } from '../../../src/config.ts'
import { DAY_MS } from '../../../src/core/clock.ts'
import { systemIds } from '../../../src/core/ids.ts'
import { DATABASE_FILE, type Db, openDatabase } from '../../../src/platform/db/open.ts'
import { version } from '../../../src/version.ts'

/** An install of one store with one product, as the first start and one write leave it. */
let whole: string
let dataDir: string
let service: Bun.Server<undefined>
let isReady = true

const MODEL = "INSERT INTO models (id, name, hash, dimension, created_at) VALUES (1, 'fake', 'ff', 8, 0)"
const STORE =
  "INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES ('s1', 'my-shop', '', 'free', x'00', unixepoch() * 1000)"

beforeAll(() => {
  whole = mkdtempSync(join(tmpdir(), 'lookalike-whole-'))
  mkdirSync(join(whole, 'secrets'))
  writeFileSync(join(whole, 'secrets/data'), 'x'.repeat(48))
  const db = openDatabase(whole)
  db.exec(`${MODEL}; ${STORE}; CREATE TABLE vectors_1_rowids (rowid INTEGER PRIMARY KEY)`)
  addPicture(db, 1)
  db.exec('INSERT INTO vectors_1_rowids VALUES (1)')
  db.close()
  service = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch(request) {
      if (new URL(request.url).pathname === '/version')
        return new Response('{}', { headers: { 'x-service-version': version } })
      return new Response(
        JSON.stringify({
          checks: { database: { ok: isReady, ...(!isReady && { reason: 'it is read-only' }) } },
        }),
        { status: isReady ? 200 : 503 },
      )
    },
  })
})
afterAll(async () => {
  rmSync(whole, { recursive: true })
  await service.stop(true)
})
beforeEach(() => {
  isReady = true
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-broken-'))
  cpSync(whole, dataDir, { recursive: true })
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function addPicture(db: Db, id: number): void {
  db.prepare(
    `INSERT INTO products (id, store_id, product_id, vector_id, image_url, metadata, created_at, updated_at, indexed_at)
      VALUES (?, 's1', ?, ?, '', '{}', 0, 0, 0)`,
  ).run(id, `sku-${id}`, `v${id}`)
  db.prepare(
    `INSERT INTO pictures (id, product, store_id, position, image_url, model, content_hash, content_type, bytes, width,
      height, phash, palette) VALUES (?, ?, 's1', 0, '', 1, x'00', 'image/png', 1, 1, 1, '0', '[]')`,
  ).run(id, id)
}

/** Writes to the database of the broken install. */
function change(sql: string): void {
  const db = openDatabase(dataDir)
  db.exec(sql)
  db.close()
}

interface Given {
  settings?: Record<string, string>
  variables?: string[]
  isThorough?: boolean
}

/** Examines beside the service. @returns the findings that are not `ok`, without those about the disk of this machine. */
async function findTrouble({ settings = {}, variables = [], isThorough = false }: Given = {}) {
  const config = loadConfig({ DATA_DIR: dataDir, REGISTRATION: 'invite', ...settings })
  const address = `http://127.0.0.1:${service.port}`
  const checks = await Array.fromAsync(examine(config, { variables, address, isThorough }))
  for (const { state, text, cure } of checks) {
    expect(text).not.toMatch(/[.\n]$/)
    expect(cure === null).toBe(state === 'ok')
  }
  return checks.filter(({ name, state }) => state !== 'ok' && !/^disk/.test(name))
}

const closedPort = (): number => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}

test('a whole install has no trouble', async () => {
  const settings = { BASE_URL: `http://127.0.0.1:${service.port}` }
  expect(await findTrouble({ settings, isThorough: true })).toEqual([])
})

test('the model that the operator has chosen is looked at, and not the bundled one', async () => {
  change('INSERT INTO model_state (id, in_use, is_chosen) VALUES (1, 1, 1)')
  const config = loadConfig({ DATA_DIR: dataDir, PORT: '0' })
  const checks = await Array.fromAsync(examine(config, { variables: [], isThorough: false }))
  expect(checks.filter(({ name }) => name === 'model')).toMatchObject([
    {
      state: 'error',
      text: expect.stringContaining('The files of fake'),
      cure: expect.stringContaining('/models/fake'),
    },
  ])
})

describe('a broken install is found out:', () => {
  const expectOne = async (given: Given, name: string, state: string, text: RegExp) => {
    const found = await findTrouble(given)
    expect(found).toEqual([
      { name, state, text: expect.stringMatching(text), cure: expect.any(String) },
    ] as never)
  }

  test('1. a misspelt setting', () =>
    expectOne({ variables: ['SMPT_URL'] }, 'settings', 'warning', /did you mean SMTP_URL/))

  test('2. a database that is gone', async () => {
    rmSync(join(dataDir, DATABASE_FILE))
    await expectOne({}, 'folder', 'error', /has lost its database beside secrets\//)
  })

  test('3. a database of a newer program', async () => {
    change('PRAGMA user_version = 9999')
    await expectOne({}, 'database', 'error', /of a newer program \(schema 9999/)
  })

  test('4. a file that is no database', async () => {
    writeFileSync(join(dataDir, DATABASE_FILE), 'x'.repeat(8_192))
    await expectOne({}, 'database', 'error', /not a database/)
  })

  test('5. a damaged page', async () => {
    const path = join(dataDir, DATABASE_FILE)
    const bytes = readFileSync(path)
    // The page of an index or a table; its first byte is the kind of page.
    bytes.fill(0x5a, 4096 * 20, 4096 * 21)
    writeFileSync(path, bytes)
    await expectOne({ isThorough: true }, 'database', 'error', /The database is damaged/)
  })

  test('6. a picture that lost its vector', async () => {
    change('DELETE FROM vectors_1_rowids')
    await expectOne({ isThorough: true }, 'vectors', 'error', /1 of 1 pictures have no vector/)
  })

  test('7. a vector that lost its picture', async () => {
    change('INSERT INTO vectors_1_rowids VALUES (7)')
    await expectOne({ isThorough: true }, 'vectors', 'warning', /1 vectors belong to no picture/)
  })

  test('6a. kept pictures that lost their files', async () => {
    change(`INSERT INTO kept_pictures (address, store_id, content_hash, content_type, bytes, created_at)
      VALUES ('a', 's1', x'${'ab'.repeat(32)}', 'image/png', 1, 0)`)
    await expectOne({ isThorough: true }, 'pictures', 'error', /1 of 1 kept pictures have no file in/)
  })

  test('7a. a secret that is gone, cut short, or of another install, as the service would say', async () => {
    const db = openDatabase(dataDir)
    loadDataSecret(db, dataDir, systemIds)
    db.close()
    const file = join(dataDir, 'secrets/data')
    for (const [broken, text] of [
      ['short', /secrets\/data is truncated/],
      ['y'.repeat(48), /does not belong to this install/],
    ] as const) {
      writeFileSync(file, broken)
      await expectOne({}, 'secrets', 'error', text)
    }
    rmSync(file)
    await expectOne({}, 'secrets', 'error', /secrets\/data is missing/)
    writeFileSync(file, 'x'.repeat(48))
    writeFileSync(join(dataDir, 'secrets/jwt'), 'short')
    await expectOne({}, 'secrets', 'error', /secrets\/jwt is truncated/)
    expect(await findTrouble({ settings: { JWT_SECRET: 'z'.repeat(48) } })).toEqual([])
  })

  test('7b. a damaged page that the doctor itself needs', async () => {
    const path = join(dataDir, DATABASE_FILE)
    const bytes = readFileSync(path)
    const pages = bytes.length / 4096
    // Wherever it lies, the doctor goes on to its last finding.
    for (let page = 1; page < pages; page += 7) {
      const damaged = Buffer.from(bytes)
      damaged.fill(0x5a, 4096 * page, 4096 * Math.min(page + 7, pages))
      writeFileSync(path, damaged)
      const found = await findTrouble({ isThorough: true })
      expect(found.map(({ name }) => name)).toContain('database')
    }
  })

  test('7c. places of backups that are not there, or are no folders', async () => {
    const file = join(dataDir, 'a-file')
    writeFileSync(file, '')
    await expectOne(
      { settings: { BACKUP_DIR: file } },
      'backup',
      'warning',
      /^BACKUP_DIR: .*a-file is no folder/,
    )
    expect(await findTrouble({ settings: { BACKUP_DIR: join(dataDir, 'new') } })).toEqual([])
    const found = await findTrouble({ settings: { BACKUP_TO: '/nowhere/at/all' } })
    expect(found.map(({ name, text }) => [name, text])).toContainEqual([
      'copies',
      'BACKUP_TO: /nowhere/at/all is no folder that this user may write to',
    ])
  })

  test('8. a clock that was set back', async () => {
    const later = new Date(Date.now() + DAY_MS)
    utimesSync(join(dataDir, DATABASE_FILE), later, later)
    await expectOne({}, 'clock', 'error', /before the last change of the database/)
  })

  test('9. a service that is not ready', async () => {
    isReady = false
    await expectOne({}, 'service', 'error', /not ready: database: it is read-only/)
  })

  test('10. a mail server that is not there', () => {
    const settings = { SMTP_URL: `smtp://127.0.0.1:${closedPort()}`, MAIL_FROM: 'a@b.example' }
    return expectOne(
      { settings: { ...settings, BASE_URL: `http://127.0.0.1:${service.port}` } },
      'mail',
      'error',
      /connect/,
    )
  })

  test('11. a public address that leads nowhere', () =>
    expectOne(
      { settings: { BASE_URL: `http://127.0.0.1:${closedPort()}` } },
      'address',
      'error',
      /cannot be reached/,
    ))

  test('12. a public address that leads to another program', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('Welcome to nginx') })
    const settings = { BASE_URL: `http://127.0.0.1:${other.port}` }
    await expectOne({ settings }, 'address', 'error', /it is not this service/)
    await other.stop(true)
  })

  test('13. a public address that redirects, and one of another version', async () => {
    let headers: Record<string, string> = { location: 'https://elsewhere.example/' }
    let status = 301
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('', { status, headers }),
    })
    const settings = { BASE_URL: `http://127.0.0.1:${other.port}` }
    await expectOne({ settings }, 'address', 'error', /leads elsewhere \(301 to https:\/\/elsewhere/)
    headers = { 'x-service-version': '0.0.1' }
    status = 200
    await expectOne({ settings }, 'address', 'error', /a service of version 0\.0\.1/)
    await other.stop(true)
  })

  test('14. a clock that differs from that of the proxy', async () => {
    const headers = { 'x-service-version': version, date: new Date(Date.now() + 600_000).toUTCString() }
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('', { headers }) })
    const settings = { BASE_URL: `http://127.0.0.1:${other.port}` }
    await expectOne({ settings }, 'clock', 'warning', /[56]\d\d s behind/)
    await other.stop(true)
  })

  test.each(['0.0.0.0/0', '::/0', '10.0.0.0/6', '127.0.0.1/32, 8.0.0.0/8'])(
    '15. proxies that are strangers: %s',
    (TRUSTED_PROXIES) => expectOne({ settings: { TRUSTED_PROXIES } }, 'proxies', 'error', /strangers there/),
  )

  test('16. a webhook whose receiver no longer answers', async () => {
    change(`INSERT INTO webhooks (id, store_id, url, events, enabled, consecutive_failures, failing_since, created_at,
      updated_at) VALUES ('w1', 's1', 'https://hooks.shop.example/secret-path', '[]', 1, 4, 1000, 0, 0)`)
    await expectOne({}, 'webhooks', 'warning', /^A webhook fails: my-shop: hooks\.shop\.example since 1970/)
  })

  test('17. a feed that fails, without the key in its address', async () => {
    change(`INSERT INTO feeds (id, store_id, url, format, interval_minutes, delete_missing, next_run_at, created_at,
      updated_at, consecutive_failures, run) VALUES ('f1', 's1', 'https://shop.example/feed?key=abc', 'auto', 60, 0, 0, 0, 0,
      2, '{"error":{"error":"download_failed"}}')`)
    await expectOne({}, 'feeds', 'warning', /^A feed fails: my-shop: shop\.example with download_failed$/)
  })

  test('18. a backup that is too old, or failed', async () => {
    change(`INSERT INTO backups (id, state, started_by, path, has_secrets, is_rotated, started_at, made_at, error) VALUES
        ('b1', 'completed', 'schedule', '', 1, 1, 0, ${Date.now() - 3 * DAY_MS}, NULL)`)
    await expectOne({}, 'backup', 'warning', /^The last backup that counts is of/)
    change(`UPDATE backups SET made_at = ${Date.now()};
      INSERT INTO backups (id, state, started_by, path, has_secrets, is_rotated, started_at, error)
        VALUES ('b2', 'failed', 'schedule', '', 1, 1, 0, 'the disk is full')`)
    await expectOne({}, 'backup', 'warning', /the newest one failed: the disk is full$/)
    change("DELETE FROM backups WHERE id = 'b2'")
    expect(await findTrouble()).toEqual([])
  })

  test('19. no backup, long after the first store was made', async () => {
    change(`UPDATE stores SET created_at = ${Date.now() - 8 * DAY_MS}`)
    await expectOne({}, 'backup', 'warning', /^There is no backup that counts$/)
    const [found] = await findTrouble({ settings: { BACKUP_EVERY_H: '0' } })
    expect(found?.cure).toContain('Set BACKUP_EVERY_H')
  })

  test('20. a certificate that cannot be read', async () => {
    const TLS_CERT = join(dataDir, 'cert.pem')
    const settings = { TLS_CERT, TLS_KEY: join(dataDir, 'key.pem') }
    await expectOne({ settings }, 'certificate', 'error', /cannot be read \(ENOENT\)$/)
    writeFileSync(TLS_CERT, 'no certificate')
    writeFileSync(settings.TLS_KEY, 'no key')
    await expectOne({ settings }, 'certificate', 'error', /holds no certificate in PEM/)
  })

  test('21. copies of backups without a key, and one that failed', async () => {
    const settings = { BACKUP_TO: dataDir }
    await expectOne({ settings }, 'copies', 'warning', /there is no key/)
    writeFileSync(join(dataDir, 'backup-recipient'), 'age1x')
    change(`INSERT INTO backups (id, state, started_by, path, has_secrets, is_rotated, started_at, made_at, copy_state, copy_error)
        VALUES ('b1', 'completed', 'schedule', '', 1, 1, 0, ${Date.now()}, 'failed', 'The bucket is full.')`)
    await expectOne({ settings }, 'copies', 'warning', /the newest copy failed: The bucket is full$/)
    change("UPDATE backups SET copy_state = 'copied'")
    expect(await findTrouble({ settings })).toEqual([])
  })
})

test('it writes nothing to an install, and leaves nothing behind', async () => {
  const list = () => [...new Bun.Glob('**').scanSync({ cwd: dataDir, dot: true, onlyFiles: true })].toSorted()
  change('PRAGMA wal_checkpoint(TRUNCATE)')
  const before = { files: list(), bytes: readFileSync(join(dataDir, DATABASE_FILE)) }
  await findTrouble({ isThorough: true })
  expect(list().filter((name) => !/-(wal|shm)$/.test(name))).toEqual(
    before.files.filter((name) => !/-(wal|shm)$/.test(name)),
  )
  expect(readFileSync(join(dataDir, DATABASE_FILE)).equals(before.bytes)).toBe(true)
})
