import { registerModel } from '../../src/platform/db/models.ts'
import { type Db, openDatabase } from '../../src/platform/db/open.ts'
import type { ModelFingerprint } from '../../src/platform/embedder/embedder.ts'

/** What a process copies, by the model that it knows. */
const images = new Map<string, Buffer>()

/**
 * Opens an empty database in memory. The migrations run once per process; a copy of their result takes a sixth of the
 * time. With a model, the copy has the tables of its vectors, too, as after the first start of the program.
 *
 * A statement is compiled when it is first used: an app prepares hundreds, of which a test uses few, and compiling them
 * took half of its start. `eagerDatabase` compiles each at once, as the program does.
 */
export function memoryDatabase(known?: KnownModel): Db {
  const db = copyDatabase(known)
  const prepare = db.prepare.bind(db) as (sql: string) => object
  db.prepare = ((sql: string) => lazyStatement(() => prepare(sql))) as Db['prepare']
  return db
}

/** Opens an empty database in memory that refuses wrong SQL when it is prepared. */
export const eagerDatabase = (): Db => copyDatabase()

/** A model, and when it was first seen, in Unix ms. */
interface KnownModel {
  model: ModelFingerprint
  since: number
}

function copyDatabase(known?: KnownModel): Db {
  const key = known ? `${known.model.id} ${known.model.hash} ${known.model.dimension}` : 'none'
  const image = images.get(key) ?? serializeDatabase(known)
  images.set(key, image)
  return openDatabase(image)
}

/** Methods that set a statement up and return it. */
const MODES: ReadonlySet<string | symbol> = new Set(['pluck', 'raw', 'expand', 'safeIntegers'])

function lazyStatement(compile: () => object): object {
  const modes: ((statement: object) => void)[] = []
  let compiled: object | undefined
  const statement = (): object => {
    if (compiled) return compiled
    compiled = compile()
    for (const enter of modes) enter(compiled)
    return compiled
  }
  return new Proxy(
    {},
    {
      get(own, name, lazy) {
        // What a test has put over a method.
        if (Object.hasOwn(own, name)) return Reflect.get(own, name)
        if (MODES.has(name)) {
          return (...settings: unknown[]) => {
            const enter = (of: object) => void Reflect.apply(Reflect.get(of, name), of, settings)
            if (compiled) enter(compiled)
            else modes.push(enter)
            return lazy
          }
        }
        const value = Reflect.get(statement(), name)
        return typeof value === 'function' ? value.bind(statement()) : value
      },
    },
  )
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
