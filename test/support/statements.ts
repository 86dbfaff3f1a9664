import type { Db } from '../../src/platform/db/open.ts'

const RUNNERS = ['run', 'get', 'all', 'iterate'] as const

/**
 * Notes every prepared statement that a database runs. Begin, commit and PRAGMAs outside a prepared statement are not
 * among them.
 *
 * @param db to be passed in before anything is prepared on it.
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
    /** The statements that some work runs, in their order. */
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
