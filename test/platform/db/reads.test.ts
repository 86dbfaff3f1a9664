import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE, type Db, openDatabase } from '../../../src/platform/db/open.ts'
import { createReads, type Reads } from '../../../src/platform/db/reads.ts'

let folder: string
let db: Db
let other: Db
let reads: Reads
let ran: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-reads-'))
  db = openDatabase(folder)
  db.exec('CREATE TABLE things (name TEXT UNIQUE)')
  other = openDatabase(folder)
  reads = createReads(db)
  ran = 0
})
afterEach(() => {
  other.close()
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

function list(): unknown[] {
  ran++
  return db.prepare('SELECT name FROM things ORDER BY name').pluck().all()
}
const remembered = () => reads.together(() => reads.remember('things', list))
const add = (to: Db, name: string) => to.prepare('INSERT INTO things VALUES (?)').run(name)

test('the version changes with commits of others, and stays the same among reads together', () => {
  const before = reads.readDataVersion()
  add(db, 'own')
  expect(reads.readDataVersion()).toBe(before)
  const [first, second] = reads.together(() => {
    const version = reads.readDataVersion()
    add(other, 'foreign')
    return [version, reads.readDataVersion()]
  })
  expect([first, second]).toEqual([before, before])
  expect(reads.readDataVersion()).not.toBe(before)
})

test('reads together see one state, and leave no transaction open, whether they succeed or not', () => {
  const seen = reads.together(() => {
    const first = list()
    add(other, 'meanwhile')
    return [first, list(), db.inTransaction]
  })
  expect(seen).toEqual([[], [], true])
  expect([list(), db.inTransaction]).toEqual([['meanwhile'], false])
  expect(() =>
    reads.together(() => {
      list()
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(db.inTransaction).toBe(false)
})

describe('a remembered read', () => {
  test('is run once while nothing changes, also when it found nothing', () => {
    const nothing = () => {
      ran++
      return undefined
    }
    for (let n = 0; n < 3; n++) expect(remembered()).toEqual([])
    for (let n = 0; n < 3; n++) {
      expect(reads.together(() => reads.remember<unknown>('nothing', nothing))).toBeUndefined()
    }
    expect(ran).toBe(2)
  })

  test.each<[string, (write: Db) => unknown]>([
    ['an insert', (write) => add(write, 'b')],
    ['an update', (write) => write.prepare("UPDATE things SET name = 'z'").run()],
    ['a deletion of all rows', (write) => write.exec('DELETE FROM things')],
    ['a replacement', (write) => write.exec("REPLACE INTO things VALUES ('a')")],
    [
      'an upsert',
      (write) => write.exec("INSERT INTO things VALUES ('a') ON CONFLICT DO UPDATE SET name = 'c'"),
    ],
    [
      'an insert with RETURNING',
      (write) => write.prepare("INSERT INTO things VALUES ('r') RETURNING name").all(),
    ],
    ['a transaction', (write) => write.transaction(() => add(write, 't')).immediate()],
  ])('is run again after %s, of this connection and of another', (_, change) => {
    for (const writer of [db, other]) {
      db.exec("DELETE FROM things; INSERT INTO things VALUES ('a')")
      expect(remembered()).toEqual(['a'])
      change(writer)
      expect(remembered()).toEqual(list())
      const before = ran
      expect(remembered()).toEqual(list())
      expect(ran).toBe(before + 1)
    }
  })

  test('is run again after a commit of another process, even in the same turn', () => {
    expect(remembered()).toEqual([])
    const path = JSON.stringify(join(folder, DATABASE_FILE))
    const { exitCode } = Bun.spawnSync([
      process.execPath,
      '-e',
      `new (require('bun:sqlite').Database)(${path}).exec("INSERT INTO things VALUES ('foreign')")`,
    ])
    expect(exitCode).toBe(0)
    expect(remembered()).toEqual(['foreign'])
  })

  test('keeps nothing of a transaction that writes, whose writes may be rolled back', () => {
    expect(remembered()).toEqual([])
    const write = db.transaction(() => {
      add(db, 'never')
      expect(remembered()).toEqual(['never'])
      throw new Error('rolled back')
    })
    expect(write).toThrow('rolled back')
    expect(remembered()).toEqual([])
    // A write between two reads of the same state, rolled back in a transaction of its own.
    db.exec("BEGIN; INSERT INTO things VALUES ('never')")
    expect(remembered()).toEqual(['never'])
    db.exec('ROLLBACK')
    expect(remembered()).toEqual([])
  })

  test('belongs to the state that the reads beside it see', () => {
    const seen = reads.together(() => {
      const first = reads.remember('things', list)
      add(other, 'meanwhile')
      return [first, reads.remember('things', list), list()]
    })
    expect(seen).toEqual([[], [], []])
    expect(remembered()).toEqual(['meanwhile'])
  })

  test('is run outside of `together`, and one that fails is not kept', () => {
    expect([reads.remember('things', list), reads.remember('things', list), ran]).toEqual([[], [], 2])
    const fail = () => {
      throw new Error('no')
    }
    expect(() => reads.together(() => reads.remember('things', fail))).toThrow('no')
    expect(remembered()).toEqual([])
    // What fails leaves nothing switched on.
    expect([reads.remember('things', list), ran]).toEqual([[], 4])
  })

  test('is forgotten when too many are kept', () => {
    remembered()
    reads.together(() => {
      for (let n = 0; n < 1_000; n++) reads.remember(`key ${n}`, () => n)
    })
    remembered()
    expect(ran).toBe(2)
  })
})

describe('recalled reads', () => {
  const recalled = () => reads.recall(() => reads.remember('things', list))

  test('run no transaction while everything is kept, and one as soon as something is not', () => {
    const seen: boolean[] = []
    const look = () =>
      reads.recall(() => {
        seen.push(db.inTransaction)
        return reads.remember('things', list)
      })
    expect([look(), look()]).toEqual([[], []])
    // The first look is begun again.
    expect(seen).toEqual([false, true, false])
    expect(ran).toBe(1)
  })

  test.each([
    ['this connection', () => db],
    ['another', () => other],
  ])('see a change by %s', (_, writer) => {
    expect([recalled(), recalled()]).toEqual([[], []])
    add(writer(), 'new')
    expect([recalled(), recalled()]).toEqual([['new'], ['new']])
    writer().exec('DELETE FROM things')
    expect(recalled()).toEqual([])
    expect(ran).toBe(3)
  })

  test('in a transaction that writes see its writes, and keep nothing of them', () => {
    expect(recalled()).toEqual([])
    const write = db.transaction(() => {
      add(db, 'never')
      expect(recalled()).toEqual(['never'])
      throw new Error('rolled back')
    })
    expect(write).toThrow('rolled back')
    expect(recalled()).toEqual([])
  })

  test('that fail throw their error, and leave nothing switched on', () => {
    const fail = (): never => {
      throw new Error('no')
    }
    expect(() => reads.recall(fail)).toThrow('no')
    expect(() => reads.recall(() => reads.remember('things', fail))).toThrow('no')
    expect([reads.remember('things', list), reads.remember('things', list), ran]).toEqual([[], [], 2])
  })

  test('see one state, also when a part of it was kept', () => {
    recalled()
    const both = () => reads.recall(() => [reads.remember('things', list), reads.remember('again', list)])
    expect(both()).toEqual([[], []])
    add(other, 'new')
    expect(both()).toEqual([['new'], ['new']])
  })
})

describe('one read behind a look', () => {
  const seen = () => reads.rememberSeen('things', list)
  const look = () => reads.recall(() => undefined)

  test('is run once, and again as soon as a look has found a change', () => {
    expect([seen(), seen(), ran]).toEqual([[], [], 1])
    for (const writer of [db, other]) {
      writer.exec("DELETE FROM things; INSERT INTO things VALUES ('new')")
      look()
      expect([seen(), seen()]).toEqual([['new'], ['new']])
    }
    expect(ran).toBe(3)
  })

  test('that found a change after the last look is not kept beyond the next one', () => {
    look()
    add(other, 'a')
    expect(seen()).toEqual(['a'])
    look()
    expect(seen()).toEqual(['a'])
    expect(ran).toBe(2)
  })

  test('in a transaction sees its writes, and keeps nothing of them', () => {
    const write = db.transaction(() => {
      add(db, 'never')
      expect(seen()).toEqual(['never'])
      throw new Error('rolled back')
    })
    expect(write).toThrow('rolled back')
    expect(seen()).toEqual([])
  })
})
