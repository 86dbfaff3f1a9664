/** A version that works in an empty folder, and on an install migrates the database and fails. The test compiles it. */
import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const { DATA_DIR = '', PORT } = process.env
const path = join(DATA_DIR, 'lookalike.db')

if (process.argv[2] === 'version') {
  console.log(JSON.stringify({ version: '99.0.0', commit: 'f'.repeat(40), date: '2099-01-01' }))
} else if (existsSync(path)) {
  const db = new Database(path)
  const { user_version: schema } = db.query('PRAGMA user_version').get() as { user_version: number }
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  mkdirSync(join(DATA_DIR, 'snapshots'), { recursive: true })
  copyFileSync(path, join(DATA_DIR, 'snapshots', `schema-${schema}-20990101T000000000Z.db`))
  db.run('PRAGMA user_version = 999')
  db.close()
  console.error('the new version cannot go on')
  process.exitCode = 3
} else {
  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(PORT),
    fetch: () => Response.json({ status: 'ready', checks: {}, version: '99.0.0', schema: 999 }),
  })
}
