import type { TestApp } from '../../../support/app.ts'

export interface AuditRow {
  action: string
  store_id: string
  actor_kind: string
  user_id: string | null
  details: Record<string, unknown>
}

/** What the audit log holds about acts whose names begin like that, oldest first. */
export const auditOf = (app: TestApp, prefix: string): AuditRow[] =>
  app.db
    .prepare<[string], AuditRow & { details: string }>(
      'SELECT action, store_id, actor_kind, user_id, details FROM audit_events WHERE action GLOB ? ORDER BY id',
    )
    .all(`${prefix}*`)
    .map((row) => ({ ...row, details: JSON.parse(row.details) }))

/** From now on nothing can be written into the audit log. */
export const breakAuditLog = (app: TestApp): void =>
  void app.db.exec(
    `CREATE TRIGGER broken BEFORE INSERT ON audit_events BEGIN SELECT raise(ABORT, 'the log is broken'); END`,
  )

const ENCODINGS = ['latin1', 'hex', 'base64', 'base64url'] as const

/** Every value of the database as text, virtual tables by the tables that they consist of; bytes in each form that a secret could be read from. */
export function wholeDatabase(app: TestApp): string {
  const tables = app.db
    .prepare<[], { name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'vectors%' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
    )
    .all()
  return tables
    .flatMap(({ name }) => app.db.prepare<[], unknown[]>(`SELECT * FROM "${name}"`).raw().all().flat())
    .flatMap((value) =>
      value instanceof Uint8Array
        ? ENCODINGS.map((encoding) => Buffer.from(value).toString(encoding))
        : String(value),
    )
    .join('\n')
}
