import { type Static, Type } from '@sinclair/typebox'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { listModels } from '../db/models.ts'
import type { Db } from '../db/open.ts'

/** The most similar pictures of one, by its stored vector. */
const StoredAnswer = Type.Object({
  store: Type.String(),
  model: Type.String(),
  /** Row of the picture. */
  picture: Type.Integer(),
  hits: Type.Array(Type.Object({ picture: Type.Integer(), score: Type.Number() }), { maxItems: 10 }),
})
type StoredAnswer = Static<typeof StoredAnswer>

/** What a backup says of its database beside the counts, in `details` of the manifest. */
export const BackupDetails = Type.Object({
  has_secrets: Type.Boolean(),
  models: Type.Array(Type.Object({ name: Type.String(), hash: Type.String(), vectors: Type.Integer() })),
  answers: Type.Array(StoredAnswer, { maxItems: 100 }),
})
export type BackupDetails = Static<typeof BackupDetails>

/** What can be compared between a database and its copy. */
export interface DatabaseFacts extends Pick<BackupDetails, 'models' | 'answers'> {
  schema: number
  /** Rows by table, and `vectors` of all models together. */
  counts: Record<string, number>
}

const ANSWERS = 3
const HITS = 10
/** Another processor may add up in another order. */
const TOLERANCE = 1e-4

/**
 * Reads what a copy must have in common with the database: the rows of every table, the vectors, and the answers of three
 * searches. Inside a transaction these are the facts of one moment.
 */
export function readFacts(db: Db): DatabaseFacts {
  const counts: Record<string, number> = {}
  for (const name of listTables(db)) counts[name] = countRows(db, name)
  counts['vectors'] = 0
  const models: DatabaseFacts['models'] = []
  const answers: StoredAnswer[] = []
  for (const { id: name, hash, vectors } of counts['models'] === undefined
    ? []
    : listModels(db).toReversed()) {
    const count = vectors.count()
    counts['vectors'] += count
    models.push({ name, hash, vectors: count })
    for (const { storeId, rowid, vector } of vectors.samples(ANSWERS - answers.length)) {
      const hits = vectors
        .nearest(storeId, vector, HITS)
        .map(({ rowid: picture, score }) => ({ picture, score }))
      answers.push({ store: storeId, model: hash, picture: rowid, hits })
    }
  }
  return { schema: db.pragma('user_version', { simple: true }) as number, counts, models, answers }
}

/** Plain tables of ours: neither those of SQLite nor those that a virtual table keeps for itself. */
const listTables = (db: Db): string[] =>
  db
    .prepare<[], string>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY name`,
    )
    .pluck()
    .all()

const countRows = (db: Db, table: string): number =>
  db
    .prepare<[], number>(`SELECT count(*) FROM "${table.replaceAll('"', '""')}"`)
    .pluck()
    .get() as number

/** Schema and rows of some tables of a database that may be damaged; undefined if it cannot be read. */
export function countFileRows(
  path: string,
  tables: readonly string[],
): Pick<DatabaseFacts, 'schema' | 'counts'> | undefined {
  try {
    const db = new Database(path, { fileMustExist: true })
    try {
      const schema = db.pragma('user_version', { simple: true }) as number
      return { schema, counts: Object.fromEntries(tables.map((table) => [table, countRows(db, table)])) }
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return undefined
    throw error
  }
}

/** Changes a table of an unpacked database, if its schema has that table. */
export function changeCopy(path: string, table: string, change: (db: Db) => void): void {
  const db = new Database(path, { fileMustExist: true })
  try {
    if (listTables(db).includes(table)) change(db)
  } finally {
    db.close()
  }
}

const PROBLEMS_MAX = 20

/**
 * Opens the copy of a database and tries it.
 *
 * @returns the first thing that is wrong with it; undefined for a good one.
 */
export function findFault(path: string, expected: DatabaseFacts): string | undefined {
  const db = new Database(path, { fileMustExist: true })
  try {
    db.loadExtension(sqliteVec.getLoadablePath())
    const lines = db.pragma(`integrity_check(${PROBLEMS_MAX})`) as { integrity_check: string }[]
    const damage = lines.find(({ integrity_check: line }) => line !== 'ok')
    if (damage) return `the database in it is damaged: ${damage.integrity_check}`
    const [stray] = db.pragma('foreign_key_check') as { table: string; parent: string }[]
    if (stray) return `a row of ${stray.table} names one of ${stray.parent} that is not there`
    return compareFacts(expected, readFacts(db))
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    return `the database in it cannot be read: ${error.message}`
  } finally {
    db.close()
  }
}

/** @returns the first difference in words. */
export function compareFacts(expected: DatabaseFacts, found: DatabaseFacts): string | undefined {
  if (expected.schema !== found.schema)
    return `the database in it has schema ${found.schema}, not ${expected.schema}`
  for (const table of new Set([...Object.keys(expected.counts), ...Object.keys(found.counts)])) {
    const [before = 0, after = 0] = [expected.counts[table], found.counts[table]]
    if (before !== after) return `it holds ${after} rows of ${table}, not ${before}`
  }
  if (expected.answers.length !== found.answers.length) return 'a search in it cannot be repeated'
  return expected.answers.every((answer, n) => isSameAnswer(answer, found.answers[n] as StoredAnswer))
    ? undefined
    : 'a search in it answers differently'
}

function isSameAnswer(before: StoredAnswer, after: StoredAnswer): boolean {
  const isClose = (a: number | undefined, b: number | undefined) =>
    a !== undefined && b !== undefined && Math.abs(a - b) <= TOLERANCE
  if (before.picture !== after.picture || before.hits.length !== after.hits.length) return false
  const scores = new Map(before.hits.map(({ picture, score }) => [picture, score]))
  const last = before.hits.at(-1)?.score
  return after.hits.every(
    ({ picture, score }, n) =>
      isClose(score, before.hits[n]?.score) &&
      // Equals may change places, and at the end with one that was not shown.
      (scores.has(picture) ? isClose(score, scores.get(picture)) : isClose(score, last)),
  )
}
