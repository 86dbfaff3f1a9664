import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Db } from '../../../src/platform/db/open.ts'
import { createThrottle } from '../../../src/platform/db/throttle.ts'
import { memoryDatabase } from '../../support/database.ts'
import { CLOCK_STEPS, referenceWindow } from '../../support/sliding-window.ts'

const MINUTE = 60_000
const START = Date.parse('2030-01-01T00:00:00Z')

let db: Db

beforeEach(() => {
  db = memoryDatabase()
})
afterEach(() => void db.close())

const rows = (bucket: string): unknown =>
  db.prepare('SELECT count(*) FROM throttle_events WHERE bucket = ?').pluck().get(bucket)

const logins = (limit = 2) => createThrottle(db, { bucket: 'logins', limit, windowMs: MINUTE })

describe('where the database cannot be written', () => {
  /** Lets writes fail as on a full disk, or as on a disk that is read-only. */
  const FAULTS = {
    full: {
      begin: () => void db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`),
      end: () => void db.pragma('max_page_count = 1000000'),
    },
    'read-only': {
      begin: () => void db.pragma('query_only = 1'),
      end: () => void db.pragma('query_only = 0'),
    },
  }

  /** Fills the pages that are there, so that the next row needs another one. */
  function fillPages(): void {
    db.exec('CREATE TABLE filling (bytes BLOB)')
    FAULTS.full.begin()
    const insert = db.prepare('INSERT INTO filling VALUES (zeroblob(?))')
    for (const size of [1_000, 10]) {
      for (;;) {
        try {
          insert.run(size)
        } catch {
          break
        }
      }
    }
    const padding = db.prepare("INSERT INTO throttle_events VALUES ('padding', ?, 0)")
    for (let n = 0; ; n++) {
      try {
        padding.run(`padding ${n} ${'x'.repeat(200)}`)
      } catch {
        return
      }
    }
  }

  test('the fault of a full disk is a real one', () => {
    fillPages()
    expect(() => db.prepare("INSERT INTO throttle_events VALUES ('a', ?, 0)").run('x'.repeat(900))).toThrow(
      expect.objectContaining({ code: 'SQLITE_FULL' }),
    )
  })

  test('on a full disk the limit holds, event by event', () => {
    const throttle = logins(5)
    fillPages()
    const long = 'x'.repeat(900)
    const verdicts = Array.from({ length: 20 }, (_, n) => throttle.take(long, START + n))
    expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(5)
    expect(verdicts[19]).toEqual({ isAllowed: false, limit: 5, remaining: 0, resetSeconds: 60 })
    expect(rows('logins')).toBe(0)
    expect(throttle.take(long, START + MINUTE).isAllowed).toBe(true)
  })

  test('what was counted before still counts, and what is counted meanwhile is written afterwards', () => {
    const throttle = logins(3)
    throttle.take('a', START)
    FAULTS['read-only'].begin()
    expect(throttle.take('a', START + 1_000)).toMatchObject({ isAllowed: true, remaining: 1 })
    expect(throttle.peek('a', START + 1_000)).toMatchObject({ isAllowed: true, remaining: 1 })
    expect(rows('logins')).toBe(1)
    FAULTS['read-only'].end()
    expect(throttle.take('a', START + 2_000)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(rows('logins')).toBe(3)
    expect(throttle.peek('a', START + 2_000)).toMatchObject({ isAllowed: false, resetSeconds: 58 })
    expect(logins(3).peek('a', START + 2_000)).toMatchObject({ isAllowed: false, resetSeconds: 58 })
  })

  test('a prune writes what is held, of every key', () => {
    const throttle = logins(3)
    FAULTS['read-only'].begin()
    for (const key of ['a', 'a', 'b']) throttle.add(key, START)
    throttle.prune(START)
    FAULTS['read-only'].end()
    throttle.prune(START + 1)
    expect(rows('logins')).toBe(3)
    expect(throttle.peek('a', START + 1)).toMatchObject({ remaining: 1 })
  })

  test('a reset forgives all the same, and for good', () => {
    const throttle = logins(2)
    throttle.add('a', START)
    throttle.add('a', START)
    FAULTS['read-only'].begin()
    throttle.reset('a')
    expect(throttle.peek('a', START)).toMatchObject({ isAllowed: true, remaining: 2 })
    expect(throttle.take('a', START)).toMatchObject({ isAllowed: true, remaining: 1 })
    FAULTS['read-only'].end()
    expect(throttle.take('a', START)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(rows('logins')).toBe(2)
    expect(throttle.take('a', START).isAllowed).toBe(false)
  })

  test('a clock that is set back meanwhile keeps nobody out for longer than the window', () => {
    const throttle = logins(1)
    throttle.add('kept', START)
    FAULTS['read-only'].begin()
    throttle.add('held', START)
    const now = START - 86_400_000
    expect(throttle.peek('held', now)).toMatchObject({ isAllowed: false, resetSeconds: 60 })
    expect(throttle.peek('held', now + MINUTE).isAllowed).toBe(true)
    // It can be neither moved nor left for later.
    expect(throttle.peek('kept', now).isAllowed).toBe(true)
  })

  test('memory is bounded: of a flood of keys the oldest give way', () => {
    const throttle = logins(1)
    FAULTS['read-only'].begin()
    for (let n = 0; n < 10_001; n++) throttle.take(`key ${n}`, START)
    expect(throttle.peek('key 10000', START).isAllowed).toBe(false)
    expect(throttle.peek('key 1', START).isAllowed).toBe(false)
    expect(throttle.peek('key 0', START).isAllowed).toBe(true)
  })

  test('another transaction is told, for it is lost with it', () => {
    const throttle = logins(1)
    FAULTS['read-only'].begin()
    expect(() => db.transaction(() => throttle.add('a', START))()).toThrow(/readonly/)
  })

  test('another fault is told', () => {
    const throttle = logins(1)
    db.exec(`CREATE TRIGGER broken BEFORE INSERT ON throttle_events BEGIN SELECT raise(ABORT, 'broken'); END`)
    expect(() => throttle.take('a', START)).toThrow('broken')
  })

  test('with faults and clock steps in any order it is judged as by a list of all events', () => {
    const verb = fc.constantFrom('take', 'take', 'take', 'peek', 'add', 'reset', 'prune', 'break', 'mend')
    const waitMs = fc.oneof({ weight: 15, arbitrary: fc.nat(25_000) }, fc.constantFrom(...CLOCK_STEPS))
    const step = fc.record({ verb, waitMs, key: fc.constantFrom('a', 'b', 'c') })
    let bucket = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { minLength: 1, maxLength: 60 }),
        (limit, schedule) => {
          const throttle = createThrottle(db, { bucket: `fault ${++bucket}`, limit, windowMs: MINUTE })
          const reference = referenceWindow(MINUTE)
          let now = START
          let isBroken = false
          const held = new Set<string>()
          const count = (key: string) => {
            if (isBroken) held.add(key)
            else {
              // What is held is written together with the event, at the latest as of now.
              if (held.delete(key)) reference.at(key, now)
              reference.purge(now, key)
            }
            reference.add(key, now)
          }
          const prune = () => {
            throttle.prune(now)
            if (isBroken) return
            reference.purge(now)
            reference.setBack(now)
          }
          for (const { verb: what, waitMs: ms, key } of schedule) {
            // Events that can be neither moved nor left for later are forgiven: another test.
            now += isBroken && ms < 0 ? 0 : ms
            if (what === 'break' || what === 'mend') {
              prune()
              isBroken = what === 'break'
              FAULTS['read-only'][isBroken ? 'begin' : 'end']()
            } else if (what === 'prune') prune()
            else if (what === 'reset') {
              throttle.reset(key)
              reference.reset(key)
            } else if (what === 'add') {
              throttle.add(key, now)
              count(key)
            } else {
              const before = reference.at(key, now)
              const verdict = throttle[what](key, now)
              const isAllowed = before.length < limit
              expect([verdict.isAllowed, verdict.limit]).toEqual([isAllowed, limit])
              if (what === 'take' && isAllowed) count(key)
              if (!isAllowed) {
                const blocking = before[before.length - limit] as number
                expect(verdict.resetSeconds).toBe(Math.ceil((blocking + MINUTE - now) / 1_000))
              }
            }
          }
          FAULTS['read-only'].end()
        },
      ),
      { numRuns: 500 },
    )
  })
})
