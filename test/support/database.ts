import { registerModel } from '../../src/platform/db/models.ts'
import { type Db, openDatabase } from '../../src/platform/db/open.ts'
import type { ModelFingerprint } from '../../src/platform/embedder/embedder.ts'

/** What a process copies, by the model that it knows. */
const images = new Map<string, Buffer>()

/**
 * Opens an empty database in memory. The migrations run once per process; a copy of their result takes a sixth of the
 * time. With a model, the copy has the tables of its vectors, too, as after the first start of the program.
 */
export function memoryDatabase(known?: KnownModel): Db {
  const key = known ? `${known.model.id} ${known.model.hash} ${known.model.dimension}` : 'none'
  const image = images.get(key) ?? serializeDatabase(known)
  images.set(key, image)
  return openDatabase(image)
}

/** Opens an empty database in memory that refuses wrong SQL when it is prepared, and not only when it is used. */
export function eagerDatabase(): Db {
  const db = memoryDatabase()
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    const statement = prepare(sql)
    void statement.reader
    return statement
  }) as Db['prepare']
  return db
}

/** A model, and when it was first seen, in Unix ms. */
interface KnownModel {
  model: ModelFingerprint
  since: number
}

function serializeDatabase(known: KnownModel | undefined): Buffer {
  const db = openDatabase(':memory:')
  try {
    if (known) registerModel(db, known.model, known.since)
    return db.serialize()
  } finally {
    db.close()
  }
}
