import { afterEach, describe, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE, openDatabase } from '../../../../src/platform/db/open.ts'
import { createPictureFiles } from '../../../../src/platform/pictures/kept.ts'
import type { Ports } from '../../../../src/ports.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { makeReadOnly, readColumn } from '../../../support/seed.ts'

const PAGE = 4096
const folders: string[] = []
let app: TestApp
afterEach(async () => {
  await app.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-storage-'))
  folders.push(folder)
  return folder
}

const readiness = async () => {
  const { status, body } = await app.call('GET', '/health/ready')
  const checks = body['checks'] as Record<string, { ok: boolean; reason?: string }>
  const problems = Object.entries(checks).flatMap(([name, { reason }]) =>
    reason ? [`${name}: ${reason}`] : [],
  )
  return [status, ...problems]
}

const dataUri = (axis: number) =>
  `data:image/jpeg;base64,${Buffer.from(pictureBytes(axis)).toString('base64')}`
const post = async (token: string, id: string, image_url: string) => {
  const { status, body } = await app.call('POST', '/v1/products', {
    token,
    body: { product_id: id, image_url },
  })
  return [status, body['error']]
}

describe('a database that takes no writes', () => {
  test('503 read_only for writes, readiness says so, reads go on, and both heal', async () => {
    app = testApp()
    const token = await app.signIn()
    expect(await readiness()).toEqual([200])
    const mend = makeReadOnly(app)
    expect(await post(token, 'p', app.picture('p', 1))).toEqual([503, 'read_only'])
    expect(await readiness()).toEqual([
      503,
      'database: the database cannot be written: the data folder is read-only',
    ])
    expect((await app.call('GET', '/v1/products', { token })).status).toBe(200)
    mend()
    app.clock.advance(1_000)
    expect(await readiness()).toEqual([200])
    expect(await post(token, 'p', app.picture('p', 1))).toEqual([201, undefined])
  })

  test('a fault outside a request is seen as well: in the search history and in tidying', async () => {
    app = testApp()
    const token = await app.signIn()
    await post(token, 'p', app.picture('p', 1))
    await readiness()
    await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    const mend = makeReadOnly(app)
    app.history.flush()
    expect((await readiness())[0]).toBe(503)
    mend()
    app.clock.advance(1_000)
    expect((await readiness())[0]).toBe(200)
    makeReadOnly(app)
    await expect(app.tidy()).rejects.toThrow('readonly')
    expect((await readiness())[0]).toBe(503)
  })
})

describe('a folder of pictures that takes no writes', () => {
  test('503 storage_failed for the upload alone, readiness says so until a file can be written', async () => {
    let isBroken = true
    const files = createPictureFiles(newFolder(), () => app.ids.uuid())
    const broken = async () => {
      throw Object.assign(new Error('i/o error, fsync'), { code: 'EIO' })
    }
    app = testApp({
      files: {
        ...files,
        write: (...args) => (isBroken ? broken() : files.write(...args)),
        probe: () => (isBroken ? broken() : files.probe()),
      },
    })
    const token = await app.signIn()
    expect(await readiness()).toEqual([200])
    expect(await post(token, 'p', dataUri(1))).toEqual([503, 'storage_failed'])
    expect(await post(token, 'q', app.picture('q', 2))).toEqual([201, undefined])
    expect(await readiness()).toEqual([503, 'disk: pictures cannot be stored: the disk reports a fault'])
    isBroken = false
    expect(await readiness()).toEqual([200])
    expect(await post(token, 'p', dataUri(1))).toEqual([201, undefined])
  })
})

describe('a damaged page', () => {
  /** An install of which some pages of a table are garbage; the service is started on it. */
  async function damaged(table: string, ports: Partial<Ports> = {}) {
    const folder = newFolder()
    app = testApp({ db: openDatabase(folder) })
    const { client_id, client_secret } = await app.store()
    const token = await app.signToken({ sub: client_id, jti: 'long', user_type: 'client' }, 86_400)
    await post(token, 'p', app.picture('p', 1))
    const pages = readColumn<number>(app, 'sqlite_schema', 'rootpage', { tbl_name: table })
    await app.close()
    const file = openSync(join(folder, DATABASE_FILE), 'r+')
    for (const page of pages.filter((page) => page > 0))
      writeSync(file, Buffer.alloc(PAGE, 0xee), 0, PAGE, (page - 1) * PAGE)
    closeSync(file)
    app = testApp({ db: openDatabase(folder), ...ports })
    return { token, client_id, client_secret }
  }

  test('of the stores: POST /oauth/token answers 503 storage_failed, so does every signed-in call, and readiness tells', async () => {
    const { token, client_id, client_secret } = await damaged('stores', {
      findDamage: async () => ['Tree 5 page 5: btreeInitPage() returns error code 11'],
    })
    expect(await readiness()).toEqual([200])
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const grant = await app.call('POST', '/oauth/token', { body })
    expect([grant.status, grant.body['error'], grant.headers.get('retry-after')]).toEqual([
      503,
      'storage_failed',
      '60',
    ])
    // A credential is judged while the body is parsed: that must not pass for a bad body.
    expect(await post(token, 'q', app.picture('q', 2))).toEqual([503, 'storage_failed'])
    expect((await app.call('GET', '/v1/products', { token })).body['error']).toBe('storage_failed')
    await app.storage.inspect()
    expect(await readiness()).toEqual([503, 'database: the database is damaged: restore a backup'])
    expect((await app.call('GET', '/health')).status).toBe(200)
  })

  test('of the vectors: the service starts, searches answer 503 storage_failed, and everything else works', async () => {
    const { token } = await damaged('vectors_1_vector_chunks00', {
      findDamage: async () => ['Page 9: garbage'],
    })
    expect(app.loadIndex()).toBe(0)
    await app.storage.inspect()
    const search = await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    expect([search.status, search.body['error']]).toEqual([503, 'storage_failed'])
    expect(await post(token, 'q', app.picture('q', 2))).toEqual([503, 'storage_failed'])
    expect((await app.call('GET', '/v1/products/p', { token })).status).toBe(200)
    expect(await readiness()).toEqual([
      503,
      'database: the database is damaged: restore a backup',
      'vectors: the vectors could not be read at the start',
    ])
  })
})
