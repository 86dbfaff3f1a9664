import type { TestApp } from '../../../support/app.ts'
import { type AuditEvent, failWrites, readAudit, readRows, tableNames } from '../../../support/seed.ts'

export type AuditRow = Pick<AuditEvent, 'action' | 'store_id' | 'actor_kind' | 'user_id' | 'details'>

/** What the audit log holds about acts whose names begin like that, oldest first. */
export const auditOf = (app: TestApp, prefix: string): AuditRow[] =>
  readAudit(app, `${prefix}*`).map(({ action, store_id, actor_kind, user_id, details }) => ({
    ...{ action, store_id, actor_kind, user_id, details },
  }))

/** Lets nothing be written into the audit log until the returned function is called. */
export const breakAuditLog = (app: TestApp): (() => void) =>
  failWrites(app, 'INSERT ON audit_events', 'the log is broken')

const ENCODINGS = ['latin1', 'hex', 'base64', 'base64url'] as const

/** Every value of the database as text, virtual tables by the tables that they consist of; bytes in each form that a secret could be read from. */
export function wholeDatabase(app: TestApp): string {
  return tableNames(app)
    .filter((name) => !name.startsWith('vectors'))
    .flatMap((name) => readRows(app, name).flatMap((row) => Object.values(row)))
    .flatMap((value) =>
      value instanceof Uint8Array
        ? ENCODINGS.map((encoding) => Buffer.from(value).toString(encoding))
        : String(value),
    )
    .join('\n')
}
