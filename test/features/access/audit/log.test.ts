import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type AuditEvent, describeAct } from '../../../../src/core/audit.ts'
import { type AuditRow, auditQueries } from '../../../../src/features/access/audit/queries.ts'
import { auditService } from '../../../../src/features/access/audit/service.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { countingIds, manualClock } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { STANDING } from '../../../support/permissions.ts'

const YEAR_MS = 31_536_000_000
const START = Date.parse('2030-01-01T00:00:00Z')

let db: Db
beforeEach(() => {
  db = memoryDatabase()
})
afterEach(() => void db.close())

const EVENT: AuditEvent = {
  action: 'api_key.created',
  actorKind: 'machine',
  storeId: 'store',
  userId: null,
  keyId: null,
  details: { id: 'k', name: 'Sync' },
  clientInfo: { address: '203.0.113.9', requestId: 'r1', userAgent: 'curl' },
}

/** Writes an event of some moment. */
function put(createdAt: number, more: Partial<AuditRow> = {}): void {
  const { clientInfo: _, ...event } = EVENT
  auditQueries(db).record({
    ...event,
    address: null,
    requestId: null,
    id: `at ${createdAt}`,
    createdAt,
    ...more,
  })
}

const moments = () => db.prepare('SELECT created_at FROM audit_events ORDER BY created_at').pluck().all()

describe('recording', () => {
  const build = () =>
    auditService({
      queries: auditQueries(db),
      clock: manualClock('2030-01-01T00:00:00Z'),
      ids: countingIds(),
    })
  const row = () => db.prepare('SELECT * FROM audit_events').get()

  test('keeps what was done, by whom, from where and when', () => {
    build().record(EVENT)
    expect(row()).toEqual({
      id: '01900000-0000-7000-8000-000000000001',
      store_id: 'store',
      action: 'api_key.created',
      actor_kind: 'machine',
      user_id: null,
      key_id: null,
      details: '{"id":"k","name":"Sync"}',
      address: '203.0.113.9',
      request_id: 'r1',
      created_at: START,
    })
  })

  test('at the command line there is no address and no request', () => {
    build().record({ ...EVENT, actorKind: 'operator', clientInfo: null })
    expect(row()).toMatchObject({ actor_kind: 'operator', address: null, request_id: null })
  })

  test('of a caller keeps the kind and ids of the credential, and nothing of its token', () => {
    const event = describeAct(
      {
        kind: 'key',
        userId: null,
        keyId: 'k',
        storeId: 'store',
        store: { id: 'store', slug: 'store', name: 'Store', plan: 'free', suspendedAt: null },
        role: null,
        isSuperAdmin: false,
        permissions: new Set(),
        powers: new Set(),
        token: { jti: 'the jti', exp: 1, sessionId: null, isPortal: false, amr: [] },
        clientInfo: { address: '203.0.113.9', requestId: 'r1', userAgent: 'curl' },
        ...STANDING,
      },
      'api_key.revoked',
    )
    build().record(event)
    expect(row()).toMatchObject({ actor_kind: 'key', key_id: 'k', store_id: 'store', details: '{}' })
    expect(JSON.stringify(row())).not.toContain('the jti')
  })

  test('is undone with the transaction that it was part of', () => {
    const { record } = build()
    const failing = db.transaction(() => {
      record(EVENT)
      throw new Error('the act failed')
    })
    expect(failing).toThrow('the act failed')
    expect(moments()).toEqual([])
  })
})

describe('the log is append-only', () => {
  test.each(['details', 'created_at', 'user_id', 'address', 'id', 'action'])('no update of %s', (column) => {
    put(START)
    const before = db.prepare('SELECT * FROM audit_events').get()
    expect(() => db.exec(`UPDATE audit_events SET ${column} = NULL`)).toThrow('audit events are append-only')
    expect(() => db.exec(`UPDATE audit_events SET ${column} = ${column}`)).toThrow('append-only')
    expect(db.prepare('SELECT * FROM audit_events').get()).toEqual(before)
  })

  test('no deletion of anything younger than a year', () => {
    put(START)
    put(START - YEAR_MS + 1)
    expect(() => db.exec('DELETE FROM audit_events')).toThrow('audit events are kept for a year')
    expect(() => db.exec(`DELETE FROM audit_events WHERE id = 'at ${START}'`)).toThrow('kept for a year')
    expect(moments()).toHaveLength(2)
  })

  describe('but for an e-mail address, in whose place the id of its person may come', () => {
    const EMAIL = 'anna@shop.test'
    const detailsOf = () =>
      db.prepare<[], string>('SELECT details FROM audit_events ORDER BY created_at').pluck().all()

    test('in every event that names the address, and in no other', () => {
      put(START, { details: { email: EMAIL, proven: true } })
      put(START + 1, { details: { email: 'bert@shop.test' } })
      put(START + 2, { details: { name: EMAIL } })
      auditQueries(db).forgetEmail('u1', EMAIL)
      expect(detailsOf().map((text) => JSON.parse(text))).toEqual([
        { proven: true, email_of: 'u1' },
        { email: 'bert@shop.test' },
        { name: EMAIL },
      ])
    })

    test.each([
      [
        'another detail changes as well',
        `json_set(json_remove(details, '$.email'), '$.email_of', 'u1', '$.proven', 0)`,
      ],
      ['nothing comes in its place', `json_remove(details, '$.email')`],
      ['the id is no text', `json_set(json_remove(details, '$.email'), '$.email_of', 1)`],
      ['the address stays', `json_set(details, '$.email_of', 'u1')`],
      ['it becomes another address', `json_set(details, '$.email', 'bert@shop.test')`],
    ])('not if %s', (_, details) => {
      put(START, { details: { email: EMAIL, proven: true } })
      const before = detailsOf()
      expect(() => db.exec(`UPDATE audit_events SET details = ${details}`)).toThrow('append-only')
      expect(detailsOf()).toEqual(before)
    })

    test.each([
      'user_id',
      'address',
      'action',
      'created_at',
      'key_id',
      'request_id',
      'store_id',
      'actor_kind',
    ])('not together with a change of %s', (column) => {
      put(START, { details: { email: EMAIL } })
      const details = `json_set(json_remove(details, '$.email'), '$.email_of', 'u1')`
      const other = column === 'created_at' ? '1' : column === 'actor_kind' ? "'anyone'" : "'x'"
      expect(() => db.exec(`UPDATE audit_events SET details = ${details}, ${column} = ${other}`)).toThrow(
        'append-only',
      )
    })

    test('along an index, and the pages of the log still go along theirs', () => {
      const plan = (sql: string) =>
        db
          .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map(({ detail }) => detail)
          .join()
      const named = "json_extract(details, '$.email')"
      expect(
        plan(`UPDATE audit_events SET key_id = 1 WHERE ${named} = 'a' AND ${named} IS NOT NULL`),
      ).toContain('audit_events_email')
      const page = "user_id = 'a' AND id < 'b'"
      expect(
        plan(`SELECT id FROM audit_events WHERE ${page} AND store_id IS NULL ORDER BY id DESC`),
      ).toContain('audit_events_user')
      expect(
        plan(`SELECT id FROM audit_events WHERE ${page} AND store_id IS NOT NULL ORDER BY id`),
      ).toContain('audit_events_acts')
    })
  })

  test('nor may one be written over by another of its id', () => {
    put(START)
    expect(() => put(START, { details: {} })).toThrow('append-only')
    const replace = `INSERT OR REPLACE INTO audit_events (id, action, actor_kind, details, created_at)
      VALUES ('at ${START}', 'login.failed', 'anyone', '{}', 0)`
    expect(() => db.exec(replace)).toThrow('append-only')
    expect(db.prepare('SELECT action FROM audit_events').pluck().all()).toEqual(['api_key.created'])
  })
})

describe('a prune', () => {
  test('deletes what is a year old, to the millisecond, and leaves the rest', () => {
    for (const age of [YEAR_MS + 1, YEAR_MS, YEAR_MS - 1, 0]) put(START - age)
    expect(auditQueries(db).prune(START)).toBe(2)
    expect(moments()).toEqual([START - YEAR_MS + 1, START])
  })

  test('keeps the last year of a service that was off for long: the age counts from the newest event', () => {
    for (const age of [YEAR_MS, YEAR_MS / 2, 0]) put(START - age)
    expect(auditQueries(db).prune(START + 10 * YEAR_MS)).toBe(1)
    expect(moments()).toEqual([START - YEAR_MS / 2, START])
  })

  test('does not believe an event of the future', () => {
    put(START - YEAR_MS / 2)
    put(START + 10 * YEAR_MS)
    expect(auditQueries(db).prune(START)).toBe(0)
  })

  test('of nothing does nothing', () => {
    expect(auditQueries(db).prune(START)).toBe(0)
  })

  test('stops after ten thousand, the oldest first, and goes on the next time', () => {
    db.transaction(() => {
      for (let n = 0; n < 10_005; n++) put(START - 2 * YEAR_MS + n)
      put(START)
    })()
    expect(auditQueries(db).prune(START)).toBe(10_000)
    expect(moments()[0]).toBe(START - 2 * YEAR_MS + 10_000)
    expect(auditQueries(db).prune(START)).toBe(5)
    expect(moments()).toEqual([START])
  }, 60_000)
})
