import { type Db, openDatabase } from '../../src/platform/db/open.ts'

let migrated: Buffer | undefined

/**
 * Opens an empty database in memory. The migrations run once per process; a copy of their result takes a sixth of the
 * time. A statement is compiled when it is first used: an app prepares hundreds, of which a test uses few, and compiling
 * them took half of its start. `eagerDatabase` compiles each at once, as the program does.
 */
export function memoryDatabase(): Db {
  const db = eagerDatabase()
  const prepare = db.prepare.bind(db) as (sql: string) => object
  db.prepare = ((sql: string) => lazyStatement(() => prepare(sql))) as Db['prepare']
  return db
}

/** Opens an empty database in memory that refuses wrong SQL when it is prepared. */
export function eagerDatabase(): Db {
  migrated ??= serializeDatabase()
  return openDatabase(migrated)
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

function serializeDatabase(): Buffer {
  const db = openDatabase(':memory:')
  try {
    return db.serialize()
  } finally {
    db.close()
  }
}
