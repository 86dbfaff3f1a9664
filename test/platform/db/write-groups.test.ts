import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { turn } from '../../../src/core/turns.ts'
import { type Db, openDatabase } from '../../../src/platform/db/open.ts'
import { createWriteGroups, type WriteTogether } from '../../../src/platform/db/write-groups.ts'

let folder: string
let db: Db
/** Another process, as it were: it sees only what is committed. */
let outside: Db
let now: number
let together: WriteTogether

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-groups-'))
  db = openDatabase(folder)
  outside = openDatabase(folder)
  db.exec(`CREATE TABLE notes (n INTEGER PRIMARY KEY, filling BLOB);
    CREATE TABLE bound (n INTEGER REFERENCES notes (n) DEFERRABLE INITIALLY DEFERRED)`)
  now = 0
  together = createWriteGroups(db, { now: () => 0, monotonic: () => now })
})
afterEach(() => {
  db.close()
  outside.close()
  rmSync(folder, { recursive: true })
})

const add = (n: number) => db.prepare('INSERT INTO notes (n) VALUES (?)').run(BigInt(n))
const seen = (from = outside): number[] =>
  from
    .prepare<[], { n: number }>('SELECT n FROM notes ORDER BY n')
    .all()
    .map(({ n }) => n)
const isSynced = () => db.pragma('synchronous', { simple: true }) === 2
const codeOf = (result: PromiseSettledResult<unknown> | undefined) =>
  result?.status === 'rejected' ? (result.reason.code ?? result.reason.message) : 'kept'

describe('what is queued in one turn', () => {
  test('is one transaction: others see all of it or nothing, and what follows comes after the commit', async () => {
    const told: unknown[] = []
    const writes = [1, 2, 3].map((n) =>
      together({
        write() {
          add(n)
          told.push(['write', n, seen()])
          return n * 10
        },
        committed: (result) => void told.push(['committed', result, seen()]),
      }),
    )
    expect(told).toEqual([])
    expect(await Promise.all(writes)).toEqual([10, 20, 30])
    const all = [1, 2, 3]
    expect(told).toEqual([...all.map((n) => ['write', n, []]), ...all.map((n) => ['committed', n * 10, all])])
  })

  test('sees what was written before it in the group', async () => {
    const counts = [1, 2, 3].map((n) => together({ write: () => [add(n), seen(db).length][1] }))
    expect(await Promise.all(counts)).toEqual([1, 2, 3])
  })

  test('fails alone: nothing of it stays, it is undone before the next one, and the others are kept', async () => {
    const order: string[] = []
    const results = await Promise.allSettled([
      together({ write: () => void add(1) }),
      together({
        write() {
          add(2)
          add(1)
        },
        committed: () => order.push('committed'),
        undone: () => order.push('undone'),
      }),
      together({ write: () => void order.push('next') }),
      together({ write: () => void add(3), undone: () => order.push('wrongly undone') }),
    ])
    expect(results.map(codeOf)).toEqual(['kept', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'kept', 'kept'])
    expect(order).toEqual(['undone', 'next'])
    expect(seen()).toEqual([1, 3])
  })

  test('waits for the disk if one of it does', async () => {
    const ask = (isUnsynced: boolean) => together({ write: isSynced, isUnsynced })
    expect(await Promise.all([ask(true), ask(true)])).toEqual([false, false])
    expect(isSynced()).toBe(true)
    expect(await Promise.all([ask(true), ask(false), ask(true)])).toEqual([true, true, true])
    expect(isSynced()).toBe(true)
  })

  test('a step after the commit that throws fails alone, and the write stays', async () => {
    const fault = () => {
      throw new Error('a bug')
    }
    const undone: number[] = []
    const results = await Promise.allSettled([
      together({ write: () => void add(1), committed: fault, undone: () => undone.push(1) }),
      together({ write: () => void add(2) }),
    ])
    expect(results.map(codeOf)).toEqual(['a bug', 'kept'])
    expect([seen(), undone]).toEqual([[1, 2], []])
  })
})

describe('a commit that fails', () => {
  test('fails every write of the group with its error, undoes each once, and leaves the next group alone', async () => {
    const undone: string[] = []
    const results = await Promise.allSettled([
      together({ write: () => void add(1), undone: () => undone.push('kept so far') }),
      together({
        write: () => {
          throw new Error('refused')
        },
        undone: () => undone.push('refused'),
      }),
      // Only the commit finds that this note does not exist.
      together({ write: () => void db.exec('INSERT INTO bound VALUES (99)') }),
    ])
    // The one that was refused may owe that to another one, which has failed as well.
    expect(results.map(codeOf)).toEqual(Array(3).fill('SQLITE_CONSTRAINT_FOREIGNKEY'))
    expect(undone).toEqual(['refused', 'kept so far'])
    expect([seen(), db.inTransaction, isSynced()]).toEqual([[], false, true])
    await together({ write: () => void add(2) })
    expect(seen()).toEqual([2])
  })

  test('for want of room: nobody is told that it was kept, and nothing of the group stays', async () => {
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 2}`)
    const fill = (n: number) => ({
      write: () => void db.prepare('INSERT INTO notes VALUES (?, zeroblob(40000))').run(BigInt(n)),
    })
    const results = await Promise.allSettled([together({ write: () => void add(1) }), together(fill(2))])
    const told = results.map(codeOf)
    expect(told[1]).toBe('SQLITE_FULL')
    expect(seen()).toEqual(told[0] === 'kept' ? [1] : [])
    db.pragma('max_page_count = 1000000')
    await together(fill(2))
    expect(seen()).toContain(2)
  })

  test('a lock that is not given: everybody gets it, and nothing is undone twice', async () => {
    db.pragma('busy_timeout = 1')
    outside.exec('BEGIN IMMEDIATE')
    const undone: number[] = []
    const results = await Promise.allSettled(
      [1, 2].map((n) => together({ write: () => void add(n), undone: () => undone.push(n) })),
    )
    expect(results.map(codeOf)).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY'])
    expect(undone).toEqual([1, 2])
    outside.exec('COMMIT')
    await together({ write: () => void add(1) })
    expect(seen()).toEqual([1])
  })

  test('a closed database', async () => {
    const write = together({ write: () => void add(1) })
    db.close()
    expect((await Promise.allSettled([write])).map(codeOf)).toEqual(['The database connection is not open'])
  })
})

describe('patient writes', () => {
  const patient = (n: number, told: number[] = []) =>
    together({ write: () => void add(n), committed: () => void told.push(n), isPatient: true })

  test('wait for others: nothing is written in the turns that follow', async () => {
    together = createWriteGroups(db, { now: () => 0, monotonic: () => now }, 60_000)
    const write = patient(1)
    for (let n = 0; n < 5; n++) await turn()
    expect(seen(db)).toEqual([])
    await together({ write: () => void add(2) })
    await write
    expect(seen()).toEqual([1, 2])
  })

  test('are written in the end where no others come', async () => {
    await patient(1)
    expect(seen()).toEqual([1])
  })

  test('go with the next write that is not patient, in the order of the queue', async () => {
    const told: number[] = []
    const writes = [patient(1, told), patient(2, told)]
    await together({ write: () => void add(3), committed: () => void told.push(3) })
    expect([told, seen()]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    await Promise.all(writes)
  })

  test('wait no longer once there are eight', async () => {
    const told: number[] = []
    const writes = Array.from({ length: 7 }, (_, n) => patient(n, told))
    await turn()
    expect(told).toEqual([])
    writes.push(patient(7, told))
    await turn()
    expect(told).toHaveLength(8)
    await Promise.all(writes)
  })
})

describe('a long queue', () => {
  /** Numbers of writes in each group, by the turns of the event loop in which they ran. */
  async function groupsOf(count: number, cost: number): Promise<number[]> {
    let turn = 0
    let isOver = false
    const count_turns = () => {
      turn++
      if (!isOver) setImmediate(count_turns)
    }
    const turns: number[] = []
    const writes = Array.from({ length: count }, (_, n) =>
      together({
        write() {
          add(n)
          now += cost
          turns.push(turn)
        },
      }),
    )
    setImmediate(count_turns)
    await Promise.all(writes)
    isOver = true
    expect(seen()).toEqual(Array.from({ length: count }, (_, n) => n))
    return [...Map.groupBy(turns, (each) => each).values()].map(({ length }) => length)
  }

  test('is written in groups of 64, with turns for others between them', async () => {
    expect(await groupsOf(150, 0)).toEqual([64, 64, 22])
  })

  test('a group ends after 8 ms', async () => {
    expect(await groupsOf(10, 3)).toEqual([3, 3, 3, 1])
  })

  test('what is queued by a step after the commit goes into the next group', async () => {
    const order: string[] = []
    let second: Promise<unknown> | undefined
    await together({
      write: () => void order.push('first'),
      committed() {
        second = together({ write: () => void order.push('second') })
        order.push('committed')
      },
    })
    await second
    expect(order).toEqual(['first', 'committed', 'second'])
  })
})
