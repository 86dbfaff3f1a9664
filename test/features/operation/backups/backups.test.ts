import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/clock.ts'
import type { BackupWorld } from '../../../../src/features/operation/backups/service.ts'
import type { BackupOrder } from '../../../../src/platform/backup/make.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person } from '../../../support/people.ts'

let app: TestApp
let root: Person
let store: string
let orders: BackupOrder[]
let removed: string[]
let fault: string | undefined
let isIdle: boolean

const world = (): BackupWorld => ({
  dataDir: '/data',
  isIdle: () => isIdle,
  isThere: async (path) => !removed.includes(path),
  remove: async (path) => void removed.push(path),
  async make(order, tell) {
    orders.push(order)
    tell({ step: 'packing', share: 0.5 })
    if (fault !== undefined) throw new Error(fault)
    const facts = { bytes: 5_000, sha256: 'ab'.repeat(32), madeAt: app.clock.now() }
    return { ...facts, path: `${order.folder}/${order.name}`, counts: { stores: 1, products: 40, jobs: 7 } }
  },
})

beforeEach(async () => {
  orders = []
  removed = []
  fault = undefined
  isIdle = true
  app = testApp({ backups: world() }, { BACKUP_EVERY_H: '24', BACKUP_KEEP: '2' })
  // The owner of the first store is a super-admin.
  store = await app.signIn('one')
  root = await addPerson(app, 'root', [], { isSuperAdmin: true })
})
afterEach(() => app.close())

/** Days pass, and a token lives for an hour. */
const call = async (method: string, path = '') =>
  app.call(method, `/v1/admin${path}`, { token: await getToken(app, root) })
const runChore = () => app.chores.find(({ name }) => name === 'making backups')?.run()
const readiness = async () =>
  ((await app.call('GET', '/health/ready')).body['checks'] as Record<string, unknown>)['backup']

describe('a backup that a super-admin asks for', () => {
  test('is answered at once, made afterwards, and counts when it was tried', async () => {
    const asked = await call('POST', '/backups')
    expect(asked).toMatchObject({
      status: 202,
      body: { state: 'running', started_by: 'operator', progress: 0, is_there: false, counts: null },
    })
    expect(orders).toEqual([])
    await app.settle()
    const id = String(asked.body['id'])
    expect((await call('GET', `/backups/${id}`)).body).toEqual({
      ...{ id, state: 'completed', started_by: 'operator', step: null, progress: 1 },
      ...{ started_at: '2030-01-01T00:00:00.000Z', finished_at: '2030-01-01T00:00:00.000Z' },
      made_at: '2030-01-01T00:00:00.000Z',
      file: '/data/backups/lookalike-20300101T000000000Z.tar.zst',
      ...{ is_there: true, bytes: 5_000, sha256: 'ab'.repeat(32), has_secrets: true, error: null },
      copy: null,
      counts: { stores: 1, users: 0, products: 40, kept_pictures: 0, vectors: 0 },
    })
    const { body } = await call('GET', '/audit?action=backup.started')
    expect(body['events']).toMatchObject([{ details: { backup_id: id } }])
  })

  test('is refused while another one is made, here or by a command', async () => {
    expect((await call('POST', '/backups')).status).toBe(202)
    expect((await call('POST', '/backups')).body).toMatchObject({ error: 'conflict' })
    await app.settle()
    isIdle = false
    expect((await call('POST', '/backups')).body).toMatchObject({ error: 'conflict' })
    expect((await call('GET', '/backups/unknown')).body).toMatchObject({ error: 'not_found' })
  })

  test('that a kill has ended is closed when nobody makes one any more', async () => {
    const { body } = await call('POST', '/backups')
    await app.settle()
    app.db.prepare("UPDATE backups SET state = 'running'").run()
    app.clock.advance(2 * MINUTE_MS)
    isIdle = false
    expect((await call('GET', `/backups/${body['id']}`)).body).toMatchObject({ state: 'running' })
    isIdle = true
    expect((await call('GET', `/backups/${body['id']}`)).body).toMatchObject({
      ...{ state: 'failed', error: 'The program ended before the backup was complete.' },
    })
  })
})

describe('the schedule', () => {
  test('begins a quarter of an hour after the start, and goes on a day later', async () => {
    await runChore()
    app.clock.advance(14 * MINUTE_MS)
    await runChore()
    expect(orders).toEqual([])
    app.clock.advance(MINUTE_MS)
    await runChore()
    app.clock.advance(23 * HOUR_MS)
    await runChore()
    expect(orders).toEqual([
      {
        ...{ dataDir: '/data', folder: '/data/backups', name: 'lookalike-20300101T001500000Z.tar.zst' },
        ...{ hasSecrets: true, version: expect.any(String) },
      },
    ])
    app.clock.advance(HOUR_MS)
    await runChore()
    expect(orders).toHaveLength(2)
    expect((await call('GET', '/backups')).body).toMatchObject({
      schedule: { every_hours: 24, keep: 2, folder: '/data/backups', next_at: '2030-01-03T00:15:00.000Z' },
      ...{ last_good_at: '2030-01-02T00:15:00.000Z', warning: null, count: 2, next_cursor: null },
      copies: null,
    })
  })

  test('deletes what is older than the good ones to keep, and nothing that lies elsewhere', async () => {
    await app.services.backups.run({ startedBy: 'command', folder: '/mnt' })
    for (let n = 0; n < 3; n++) {
      app.clock.advance(24 * HOUR_MS)
      await runChore()
    }
    expect(removed).toEqual(['/data/backups/lookalike-20300102T000000000Z.tar.zst'])
    fault = 'The disk is full.'
    app.clock.advance(24 * HOUR_MS)
    await runChore()
    expect(removed).toHaveLength(1)
    const { body } = await call('GET', '/backups?limit=3')
    const { backups, next_cursor } = body as { backups: { state: string }[]; next_cursor: string }
    expect(backups.map(({ state }) => state)).toEqual(['failed', 'completed', 'completed'])
    expect((await call('GET', `/backups?limit=3&cursor=${next_cursor}`)).body['backups']).toMatchObject([
      { started_by: 'command', file: '/mnt/lookalike-20300101T000000000Z.tar.zst' },
    ])
  })

  test('makes none when it is switched off, and then nobody is warned', async () => {
    app.close()
    app = testApp({ backups: world() }, { BACKUP_EVERY_H: '0' })
    app.clock.advance(1_000 * HOUR_MS)
    await runChore()
    expect(orders).toEqual([])
    expect(await readiness()).toEqual({ ok: true })
  })
})

test('a failure is told to webhooks of the operator, by one mail a day and by the health check', async () => {
  const other = await app.signIn('two')
  const hook = { url: 'https://root.test/hook', events: ['backup.failed'] }
  for (const token of [store, other])
    expect((await app.call('POST', '/v1/search/webhooks', { token, body: hook })).status).toBe(200)
  fault = 'The disk of /data/backups is full.'
  app.clock.advance(HOUR_MS)
  await runChore()
  await app.settle()
  expect(await readiness()).toEqual({ ok: true, warning: 'the last backup failed' })
  app.clock.advance(HOUR_MS)
  await runChore()
  await app.settle()
  expect(orders).toHaveLength(2)
  const told = app.mails.filter(({ subject }) => subject === 'A backup of Lookalike has failed')
  expect(told.map(({ to, text }) => [to, text.includes(String(fault))])).toEqual([
    ['one@shop.test', true],
    ['root@people.test', true],
  ])
  const deliveries = app.posts.map(({ body }) => JSON.parse(String(body)))
  expect(deliveries).toMatchObject([
    { event: 'backup.failed', data: { failed_at: '2030-01-01T01:00:00.000Z', reason: fault } },
    { event: 'backup.failed' },
  ])
})
