import { expect, test } from 'bun:test'
import Database from 'better-sqlite3'
import { migrations } from '../../../src/platform/db/migrations/list.ts'
import { migrate } from '../../../src/platform/db/open.ts'

test('keys that a machine grant made before makers were told apart stay its own', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(
    db,
    migrations.findIndex((sql) => sql.includes('made_by_machine')),
  )
  db.exec(`
    INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES ('s', 's', 's', 'free', x'00', 1);
    INSERT INTO users (id, email, name, password_hash, created_at) VALUES ('u', 'u', 'u', 'h', 1);
    INSERT INTO api_keys (id, store_id, name, key_hash, prefix, scopes, created_at, created_by) VALUES
      ('by machine', 's', 'k', x'01', 'p', '[]', 1, NULL),
      ('by person', 's', 'k', x'02', 'p', '[]', 1, 'u')`)
  migrate(db)
  const makers = db.prepare('SELECT id, created_by, made_by_machine FROM api_keys ORDER BY id')
  expect(makers.all()).toEqual([
    { id: 'by machine', created_by: null, made_by_machine: 1 },
    { id: 'by person', created_by: 'u', made_by_machine: 0 },
  ])
  db.exec("DELETE FROM users WHERE id = 'u'")
  expect(makers.all()).toMatchObject([
    { made_by_machine: 1 },
    { id: 'by person', created_by: null, made_by_machine: 0 },
  ])
})
