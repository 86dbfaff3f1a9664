import { describe, expect, test } from 'bun:test'
import { schemaVersion } from '../../../../src/platform/db/open.ts'
import type { Ports } from '../../../../src/ports.ts'
import { version } from '../../../../src/version.ts'
import { testApp } from '../../../support/app.ts'
import { DIMENSION, fakeEmbedder } from '../../../support/embedder.ts'

const ready = async (ports: Partial<Ports> = {}) => {
  const app = testApp(ports)
  const answer = await app.call('GET', '/health/ready')
  await app.close()
  return answer
}

const embedder = (status: ReturnType<ReturnType<typeof fakeEmbedder>['status']>) => ({
  ...fakeEmbedder(),
  status: () => status,
})

const fine = { ok: true }

describe('GET /health (contract 8.1)', () => {
  test('200 for everyone, whatever else is broken', async () => {
    const app = testApp({ embedder: embedder({ state: 'starting' }) })
    const answer = await app.call('GET', '/health')
    expect([answer.status, answer.body as object]).toEqual([200, { status: 'ok' }])
    await app.close()
  })

  test('it answers HEAD, names its methods, and carries the headers of every answer', async () => {
    const app = testApp()
    const get = await app.call('GET', '/health', { headers: { 'x-request-id': 'monitor-1' } })
    expect(Object.fromEntries(get.headers)).toEqual({
      'content-type': 'application/json;charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'monitor-1',
      'x-service-version': version,
    })
    const head = await app.http.handle(new Request('http://lookalike.test/health?x=1', { method: 'HEAD' }))
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await app.http.handle(new Request('http://lookalike.test/health', { method: 'POST' }))
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(post.headers.get('x-service-version')).toBe(version)
    await app.close()
  })
})

describe('GET /health/ready (contract 8.1)', () => {
  test('200 ready when database, vectors, model and disk are', async () => {
    const { status, body } = await ready()
    expect([status, body as object]).toEqual([
      200,
      { status: 'ready', checks: { database: fine, vectors: fine, model: fine, disk: fine, backup: fine } },
    ])
  })

  test.each<[string, Partial<Ports>, string, string]>([
    ['the model starts', { embedder: embedder({ state: 'starting' }) }, 'model', 'the model is starting'],
    [
      'the model failed',
      { embedder: embedder({ state: 'failed', reason: 'the self-test failed' }) },
      'model',
      'the self-test failed',
    ],
    [
      'the disk is nearly full',
      { readFreeDiskShare: async () => 0.0499 },
      'disk',
      'less than 5 % of the disk is free',
    ],
    [
      'the disk cannot be asked',
      { readFreeDiskShare: () => Promise.reject(new Error('EIO /var/secret')) },
      'disk',
      'the data folder cannot be read',
    ],
  ])('503 not_ready when %s, with the reason at that check alone', async (_, ports, check, reason) => {
    const { status, body } = await ready(ports)
    expect(status).toBe(503)
    const sound = { database: fine, vectors: fine, model: fine, disk: fine, backup: fine }
    const checks = { ...sound, [check]: { ok: false, reason } }
    expect(body as object).toEqual({ status: 'not_ready', checks })
  })

  test('503 not_ready when the database is gone, without a word of SQLite', async () => {
    const app = testApp()
    app.db.close()
    const { status, body } = await app.call('GET', '/health/ready')
    expect(status).toBe(503)
    expect(body['checks']).toEqual({
      database: { ok: false, reason: 'the database cannot be written' },
      vectors: { ok: false, reason: 'the vector extension does not answer' },
      model: fine,
      disk: fine,
      backup: { ok: true, warning: 'the list of backups cannot be read' },
    })
    await app.close()
  })

  test('5 % of the disk is enough', async () => {
    expect((await ready({ readFreeDiskShare: async () => 0.05 })).status).toBe(200)
  })
})

describe('GET /version (contract 1.2)', () => {
  test('tells service, supported majors, schema and model', async () => {
    const app = testApp()
    expect((await app.call('GET', '/version')).body as object).toEqual({
      version,
      api: ['v1'],
      schema: schemaVersion,
      model: { id: 'fake', hash: 'f'.repeat(64), dimension: DIMENSION },
    })
    await app.close()
  })
})
