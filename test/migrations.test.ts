import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../src/core/operator-error.ts'
import { migrations } from '../src/platform/db/migrations/list.ts'
import { DATABASE_FILE, type Db, migrate, openDatabase, schemaVersion } from '../src/platform/db/open.ts'
import { recordBar } from './robustness/bars.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-migrations-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const versionOf = (db: Db) => db.pragma('user_version', { simple: true })

const schemaOf = (db: Db): string =>
  db
    .prepare<[], { sql: string }>(
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name',
    )
    .all()
    .map(({ sql }) => sql)
    .join(';\n\n')

/** Opens the file without bringing it up to date. */
function raw(): Db {
  const db = new Database(join(folder, DATABASE_FILE))
  db.pragma('foreign_keys = ON')
  return db
}

describe('every version of the schema', () => {
  const latest = schemaOf(openDatabase(':memory:'))
  /** The database at each version, of one walk through all of them. */
  const versions: Buffer[] = []

  beforeAll(() => {
    const db = new Database(':memory:')
    for (const n of migrations.keys()) {
      migrate(db, n)
      versions.push(db.serialize())
    }
    db.close()
  })

  test.each([...migrations.keys()])('a database of version %d gets the schema of a new one', (n) => {
    const db = new Database(versions[n])
    db.pragma('foreign_keys = ON')
    expect(versionOf(db)).toBe(n)
    migrate(db)
    expect(versionOf(db)).toBe(schemaVersion)
    expect(schemaOf(db)).toBe(latest)
    db.close()
    recordBar({
      bar: 33,
      part: 'forward',
      on: 'process',
      n: 1,
      measured: 'the schema of today',
      isMet: true,
    })
  })

  test('the schema of today', () => {
    expect(schemaOf(openDatabase(':memory:'))).toMatchSnapshot()
  })

  test('all tables are STRICT, but for virtual ones, which cannot be', () => {
    const loose = openDatabase(':memory:').prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    expect(loose.all()).toEqual([])
  })

  test('opening twice changes nothing', () => {
    openDatabase(folder).close()
    const again = openDatabase(folder)
    expect(versionOf(again)).toBe(schemaVersion)
    again.close()
  })
})

describe('who counts as proven', () => {
  test('is everybody but those whose link was opened without a password, unless they set a new one by mail', () => {
    const db = raw()
    const target = migrations.findIndex((sql) => sql.includes('proven_at'))
    migrate(db, target)
    const person = db.prepare(
      "INSERT INTO users (id, email, name, password_hash, created_at, password_changed_at) VALUES (?, ?, '', '', 1, ?)",
    )
    const event = db.prepare(`
      INSERT INTO audit_events (id, action, actor_kind, user_id, details, created_at) VALUES (?, ?, ?, ?, '{}', 1)`)
    for (const [n, [id, changedAt, ...events]] of (
      [
        ['of setup', null],
        ['of setup, with a new password', 2],
        ['by its link', null, 'account.verified anyone'],
        ['by its link, password changed', 2, 'account.verified anyone', 'password.changed person'],
        ['by its link, password set by mail', 2, 'account.verified anyone', 'password.reset anyone'],
        ['by the operator', null, 'account.verified operator'],
      ] as [string, number | null, ...string[]][]
    ).entries()) {
      person.run(id, id, changedAt)
      for (const [m, name] of events.entries()) event.run(`${n} ${m}`, ...name.split(' '), id)
    }
    // Somebody whom the audit log does not name must not hide the others.
    event.run('x', 'account.verified', 'anyone', null)
    migrate(db)
    expect(db.prepare('SELECT id, proven_at FROM users ORDER BY id').raw().all()).toEqual([
      ['by its link', null],
      ['by its link, password changed', null],
      ['by its link, password set by mail', 2],
      ['by the operator', 1],
      ['of setup', 1],
      ['of setup, with a new password', 2],
    ])
    db.close()
  })
})

describe('a database that this program must not touch', () => {
  test('of a newer program is refused, in words, and left as it is', () => {
    const newer = openDatabase(folder)
    newer.pragma(`user_version = ${schemaVersion + 1}`)
    newer.close()
    expect(() => openDatabase(folder)).toThrow(OperatorError)
    expect(() => openDatabase(folder)).toThrow(
      `The database has schema ${schemaVersion + 1}, but this program only knows schema ${schemaVersion}: use a newer lookalike`,
    )
    const db = raw()
    expect(versionOf(db)).toBe(schemaVersion + 1)
    db.close()
    const measured = 'refused in words, and left as it is'
    recordBar({ bar: 33, part: 'newer schema', on: 'process', n: 1, measured, isMet: true })
  })
})

describe('a migration that fails', () => {
  test('leaves the version and the schema before it, and can be repeated', () => {
    const db = raw()
    migrate(db, 1)
    const before = schemaOf(db)
    // The second migration makes other things before it meets this table, so it fails half way.
    db.exec('CREATE TABLE kept_pictures (in_the_way INTEGER)')
    expect(() => migrate(db)).toThrow('kept_pictures')
    expect(versionOf(db)).toBe(1)
    db.exec('DROP TABLE kept_pictures')
    expect(schemaOf(db)).toBe(before)
    migrate(db)
    expect(versionOf(db)).toBe(schemaVersion)
    db.close()
  })

  test('leaves the old version also when the process dies in the middle of it', async () => {
    const first = raw()
    first.pragma('journal_mode = WAL')
    migrate(first, 1)
    const before = schemaOf(first)
    first.close()
    const script = `
      import Database from 'better-sqlite3'
      import { migrations } from ${JSON.stringify(join(import.meta.dir, '../src/platform/db/migrations/list.ts'))}
      const db = new Database(${JSON.stringify(join(folder, DATABASE_FILE))})
      db.exec('BEGIN IMMEDIATE')
      db.exec(migrations[1])
      db.pragma('user_version = 2')
      process.kill(process.pid, 'SIGKILL')`
    const file = join(folder, 'dies.ts')
    await Bun.write(
      file,
      script.replace("'better-sqlite3'", JSON.stringify(import.meta.resolve('better-sqlite3'))),
    )
    const { signalCode } = Bun.spawnSync([process.execPath, file], { stderr: 'inherit' })
    expect(signalCode).toBe('SIGKILL')

    const db = raw()
    expect(versionOf(db)).toBe(1)
    expect(schemaOf(db)).toBe(before)
    db.close()
    const healed = openDatabase(folder)
    expect(versionOf(healed)).toBe(schemaVersion)
    expect(healed.pragma('integrity_check', { simple: true })).toBe('ok')
    const measured = 'killed amid a step: the old schema, then the new one'
    recordBar({ bar: 33, part: 'interrupted', on: 'process', n: 1, measured, isMet: true })
    healed.close()
  })
})

describe('several processes at once', () => {
  const OPEN = join(import.meta.dir, '../src/platform/db/open.ts')

  /** Starts processes that open the database of the folder in the same moment. @returns what each printed. */
  async function openedAtOnce(count: number): Promise<string[]> {
    const script = join(folder, 'opens.ts')
    await Bun.write(
      script,
      `import { existsSync, writeFileSync } from 'node:fs'
      import { openDatabase } from ${JSON.stringify(OPEN)}
      writeFileSync(process.argv[2] + '.ready', '')
      while (!existsSync(${JSON.stringify(join(folder, 'go'))}));
      openDatabase(${JSON.stringify(folder)}).close()
      console.log('opened')`,
    )
    const children = Array.from({ length: count }, (_, n) =>
      Bun.spawn([process.execPath, script, join(folder, String(n))], { stdout: 'pipe', stderr: 'pipe' }),
    )
    while (children.some((_, n) => !existsSync(join(folder, `${n}.ready`)))) await Bun.sleep(5)
    writeFileSync(join(folder, 'go'), '')
    return Promise.all(
      children.map(async (child) =>
        (await new Response(child.stdout).text()).concat(await new Response(child.stderr).text()).trim(),
      ),
    )
  }

  test.each([0, 1, schemaVersion])(
    'all bring a database of version %d up to date',
    async (n) => {
      if (n > 0) {
        const db = raw()
        migrate(db, n)
        db.close()
      }
      expect(await openedAtOnce(4)).toEqual(Array.from({ length: 4 }, () => 'opened'))
      const db = raw()
      expect(versionOf(db)).toBe(schemaVersion)
      expect(schemaOf(db)).toBe(schemaOf(openDatabase(':memory:')))
      db.close()
    },
    60_000,
  )

  test('a step that another process has made meanwhile is not made again', () => {
    const slow = raw()
    const quick = raw()
    migrate(quick, 1)
    // The other process is done between this connection's look and its transaction.
    const transaction = slow.transaction.bind(slow)
    slow.transaction = ((work: () => void) => {
      migrate(quick)
      return transaction(work)
    }) as typeof slow.transaction
    migrate(slow)
    expect(versionOf(slow)).toBe(schemaVersion)
    slow.close()
    quick.close()
  })

  test('waits for a writer that holds the database, and goes on when it is done', async () => {
    const holder = join(folder, 'holds.ts')
    await Bun.write(
      holder,
      `import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))}
      const db = new Database(${JSON.stringify(join(folder, DATABASE_FILE))})
      db.exec('BEGIN IMMEDIATE; CREATE TABLE waited_for (n INTEGER) STRICT')
      console.log('holds')
      await Bun.sleep(300)
      db.exec('COMMIT')`,
    )
    const db = raw()
    db.pragma('journal_mode = WAL')
    db.close()
    const child = Bun.spawn([process.execPath, holder], { stdout: 'pipe' })
    await child.stdout.getReader().read()
    const opened = openDatabase(folder)
    expect(versionOf(opened)).toBe(schemaVersion)
    // It waited: what the other one wrote is there.
    expect(opened.prepare('SELECT count(*) AS n FROM waited_for').get()).toEqual({ n: 0 })
    opened.close()
    expect(await child.exited).toBe(0)
  }, 30_000)

  test.each(migrations.map((_, n) => n + 1))(
    'a process killed after step %d leaves work for the next one',
    async (n) => {
      const script = join(folder, 'dies.ts')
      await Bun.write(
        script,
        `import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))}
      import { migrate } from ${JSON.stringify(OPEN)}
      const db = new Database(${JSON.stringify(join(folder, DATABASE_FILE))})
      db.pragma('journal_mode = WAL')
      migrate(db, ${n})
      process.kill(process.pid, 'SIGKILL')`,
      )
      const { signalCode } = Bun.spawnSync([process.execPath, script], { stderr: 'inherit' })
      expect(signalCode).toBe('SIGKILL')
      const db = openDatabase(folder)
      expect([versionOf(db), db.pragma('integrity_check', { simple: true })]).toEqual([schemaVersion, 'ok'])
      const measured = 'killed after a step: the next start brings it up to date'
      recordBar({ bar: 33, part: 'interrupted', on: 'process', n: 1, measured, isMet: true })
      db.close()
    },
  )
})
