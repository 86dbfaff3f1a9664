import type { Db } from '../../src/platform/db/open.ts'

const RUNNERS = ['run', 'get', 'all', 'iterate'] as const

/**
 * Records every prepared statement that a database runs, but not begin, commit and PRAGMAs outside a prepared statement.
 *
 * @param db a database on which nothing has been prepared yet.
 */
export function statementLog(db: Db) {
  const ran: string[] = []
  const alone: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    const statement = prepare(sql)
    for (const name of RUNNERS) {
      const original = statement[name].bind(statement) as (...values: unknown[]) => unknown
      Object.assign(statement, {
        [name](...values: unknown[]) {
          const line = sql.replace(/\s+/g, ' ').trim()
          ran.push(line)
          if (!db.inTransaction) alone.push(line)
          return original(...values)
        },
      })
    }
    return statement
  }) as Db['prepare']

  return {
    /** Runs work and returns its statements in order. */
    async during(work: () => Promise<unknown>): Promise<string[]> {
      ran.length = 0
      await work()
      return [...ran]
    },
    /** Those of them that open a transaction of their own. */
    async aloneDuring(work: () => Promise<unknown>): Promise<string[]> {
      alone.length = 0
      await work()
      return [...alone]
    },
  }
}
