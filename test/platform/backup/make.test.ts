import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest } from '../../../src/platform/archives/bundle-reader.ts'
import { compareFacts, type DatabaseFacts, findFault, readFacts } from '../../../src/platform/backup/facts.ts'
import { type BackupOrder, makeBackup } from '../../../src/platform/backup/make.ts'
import { BACKUP, unpackBackup } from '../../../src/platform/backup/unpack.ts'
import { registerModel } from '../../../src/platform/db/models.ts'
import { type Db, openDatabase } from '../../../src/platform/db/open.ts'

let root: string
let order: BackupOrder
let db: Db

const PICTURE = Buffer.from('a picture')
const HASH = createHash('sha256').update(PICTURE).digest()
const picturePath = `pictures/${HASH.toString('hex').slice(0, 2)}/${HASH.toString('hex')}`

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lookalike-backup-'))
  const dataDir = join(root, 'data')
  mkdirSync(join(dataDir, 'secrets'), { recursive: true })
  writeFileSync(join(dataDir, 'secrets', 'data'), 'the key')
  mkdirSync(join(dataDir, picturePath, '..'), { recursive: true })
  writeFileSync(join(dataDir, picturePath), PICTURE)
  db = openDatabase(dataDir)
  db.exec(
    `INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES ('s1', 'one', 'One', 'free', x'00', 1)`,
  )
  db.prepare(
    `INSERT INTO kept_pictures (address, store_id, content_hash, content_type, bytes, created_at) VALUES ('a', 's1', ?, 'image/jpeg', 9, 1)`,
  ).run(HASH)
  const { vectors } = registerModel(db, { id: 'clip', hash: 'h', dimension: 8 }, 1)
  for (let n = 1; n <= 100; n++)
    vectors.put(
      's1',
      n,
      Float32Array.from({ length: 8 }, (_, at) => Math.sin(n * (at + 1))),
    )
  order = { dataDir, folder: join(root, 'backups'), name: 'one.tar.zst', hasSecrets: true, version: '0.1.0' }
})
afterEach(() => {
  db.close()
  rmSync(root, { recursive: true })
})

const make = (
  changes: Partial<BackupOrder> = {},
  tell: () => void = () => {},
  stop = new AbortController(),
) => makeBackup({ ...order, ...changes }, { tell, stop: stop.signal, now: () => 0 })

describe('a backup', () => {
  test('holds the database of one moment, the pictures and the secrets, and unpacks to them', async () => {
    // Another connection writes at every step.
    const made = await make({}, () => db.exec('UPDATE stores SET name = name || 1'))
    expect(made).toMatchObject({
      path: join(order.folder, 'one.tar.zst'),
      counts: { stores: 1, vectors: 100 },
    })
    expect(statSync(made.path)).toMatchObject({ size: made.bytes, mode: 0o100600 })
    expect(createHash('sha256').update(readFileSync(made.path)).digest('hex')).toBe(made.sha256)
    expect(readdirSync(order.folder)).toEqual(['one.tar.zst'])

    const manifest = await unpackBackup(made.path, join(root, 'new'), {})
    expect(manifest.parts.map(({ path }) => path)).toEqual(['lookalike.db', 'secrets/data', picturePath])
    expect(readFileSync(join(root, 'new', picturePath))).toEqual(PICTURE)
    expect(readFileSync(join(root, 'new/secrets/data'), 'utf8')).toBe('the key')
    const { answers } = manifest.details as { answers: { hits: { picture: number }[]; picture: number }[] }
    expect(answers.map(({ picture, hits }) => [hits[0]?.picture === picture, hits.length])).toEqual([
      ...[
        [true, 10],
        [true, 10],
      ],
    ])
  })

  // Only root can make somebody else the owner of a file.
  test.skipIf(process.getuid?.() !== 0)(
    'by root belongs to the owner of the data folder, in its folder alone',
    async () => {
      chownSync(order.dataDir, 12_345, 12_346)
      const inside = join(order.dataDir, 'backups')
      const { path } = await make({ folder: inside })
      const elsewhere = await make()
      expect([inside, path, elsewhere.path].map((made) => statSync(made).uid)).toEqual([12_345, 12_345, 0])
    },
  )

  test('leaves the secrets out when it is told to', async () => {
    const { path } = await make({ hasSecrets: false })
    const { parts } = await readManifest(path, BACKUP)
    expect(parts.map(({ path }) => path)).toEqual(['lookalike.db', picturePath])
  })

  test('does not count where the pictures are lost, and is made where few are', async () => {
    rmSync(join(order.dataDir, 'pictures'), { recursive: true })
    await expect(make()).rejects.toThrow(/^1 of 1 kept pictures have no file in .*put the folder back/)
    expect(readdirSync(order.folder)).toEqual([])
    const add = db.prepare(
      `INSERT INTO kept_pictures (address, store_id, content_hash, content_type, bytes, created_at) VALUES (?, 's1', ?, 'image/jpeg', 9, 1)`,
    )
    for (const name of ['b', 'c', 'd', 'e']) {
      const hash = createHash('sha256').update(name).digest()
      const folder = join(order.dataDir, 'pictures', hash.toString('hex').slice(0, 2))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, hash.toString('hex')), name)
      add.run(name, hash)
    }
    const { parts } = await readManifest((await make()).path, BACKUP)
    expect(parts.filter(({ path }) => path.startsWith('pictures/'))).toHaveLength(4)
  })

  test('of which one is made at a time', async () => {
    const first = make()
    await expect(make({ name: 'two.tar.zst' })).rejects.toThrow('Another backup or restore is under way')
    await first
    await expect(make()).rejects.toThrow('is there already')
  })

  test('that is stopped leaves nothing', async () => {
    const stop = new AbortController()
    await expect(make({}, () => stop.abort(), stop)).rejects.toThrow()
    expect(readdirSync(order.folder)).toEqual([])
    await make()
  })

  test('takes the place of what a killed one left', async () => {
    await make()
    const [left] = [
      join(
        order.folder,
        `.lookalike-${createHash('sha256').update(order.dataDir).digest('hex').slice(0, 12)}`,
      ),
    ]
    mkdirSync(join(left as string, 'held'), { recursive: true })
    await make({ name: 'two.tar.zst' })
    expect(existsSync(left as string)).toBe(false)
  })
})

describe('the trial of a copy', () => {
  const change = (sql: string) => {
    const facts = readFacts(db)
    db.pragma('foreign_keys = OFF')
    db.exec(sql)
    db.pragma('wal_checkpoint(TRUNCATE)')
    return findFault(join(order.dataDir, 'lookalike.db'), facts)
  }

  test('finds nothing in an equal one', () => expect(change('SELECT 1')).toBeUndefined())

  test('finds rows that are missing', () =>
    expect(change('DELETE FROM kept_pictures')).toBe('it holds 0 rows of kept_pictures, not 1'))

  test('finds rows that name what is not there', () =>
    expect(change(`UPDATE kept_pictures SET store_id = 'gone'`)).toBe(
      'a row of kept_pictures names one of stores that is not there',
    ))

  test('finds vectors that are others', () =>
    expect(change('UPDATE vectors_1_vector_chunks00 SET vectors = zeroblob(length(vectors))')).toBe(
      'a search in it answers differently',
    ))

  test('finds a damaged page', () => {
    const facts = readFacts(db)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    const path = join(order.dataDir, 'lookalike.db')
    const bytes = readFileSync(path)
    bytes.fill(0xff, 8_192, 200_000)
    writeFileSync(path, bytes)
    expect(findFault(path, facts)).toMatch(/damaged|cannot be read/)
  })

  test('takes equal hits in another order, and other sums of another processor', () => {
    const answer = (hits: [number, number][]): DatabaseFacts => ({
      ...{ schema: 1, counts: {}, models: [] },
      answers: [
        { store: 's', model: 'h', picture: 1, hits: hits.map(([picture, score]) => ({ picture, score })) },
      ],
    })
    const before = answer([
      [1, 1],
      [2, 0.5],
      [3, 0.5],
    ])
    expect(
      compareFacts(
        before,
        answer([
          [1, 1],
          [3, 0.500_001],
          [2, 0.5],
        ]),
      ),
    ).toBeUndefined()
    expect(
      compareFacts(
        before,
        answer([
          [1, 1],
          [2, 0.5],
          [4, 0.5],
        ]),
      ),
    ).toBeUndefined()
    expect(
      compareFacts(
        before,
        answer([
          [1, 1],
          [2, 0.5],
          [3, 0.4],
        ]),
      ),
    ).toBe('a search in it answers differently')
    expect(
      compareFacts(
        before,
        answer([
          [2, 1],
          [1, 0.5],
          [3, 0.5],
        ]),
      ),
    ).toBe('a search in it answers differently')
  })
})
