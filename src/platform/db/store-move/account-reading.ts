import type { Row, Value } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'

/** What only this node can open. */
export interface MoveSecrets {
  /** @returns the plain text of a sealed column; undefined if it does not open. */
  open(storeId: string, table: string, row: Row, sealed: Uint8Array): string | undefined
  /** @returns the secret of a person's authenticator. */
  openFactor(userId: string, sealed: Uint8Array): string | undefined
}

/** Reads the accounts of members, as a node without them makes them. */
export function createAccountReader(db: Db, { openFactor }: Pick<MoveSecrets, 'openFactor'>) {
  const account = db.prepare<[string], Row>(`
    SELECT id, name, password_hash, verified_at, created_at, password_changed_at FROM users WHERE id = ?`)
  const factor = db.prepare<[string], { sealed: Buffer; created: number; enabled: number }>(`
    SELECT sealed_secret AS sealed, created_at AS created, enabled_at AS enabled FROM two_factor
    WHERE user_id = ? AND enabled_at IS NOT NULL`)
  return {
    read(userId: string): Value {
      const found = factor.get(userId)
      const secret = found && openFactor(userId, found.sealed)
      const second =
        secret === undefined ? null : { secret, created_at: found?.created, enabled_at: found?.enabled }
      return JSON.stringify({ ...account.get(userId), factor: second })
    },
  }
}
