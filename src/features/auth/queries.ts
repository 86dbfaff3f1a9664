import type { PlanName } from '../../core/plans.ts'
import type { Db } from '../../platform/db/open.ts'

export interface CredentialRow {
  id: string
  slug: string
  plan: PlanName
  clientSecretHash: Buffer
}

export type AuthQueries = ReturnType<typeof authQueries>

/** All SQL about credentials and tokens. */
export function authQueries(db: Db) {
  const credential = db.prepare<[clientId: string], CredentialRow>(
    'SELECT id, slug, plan, client_secret_hash AS clientSecretHash FROM stores WHERE id = ?',
  )
  const revoked = db.prepare<[jti: string], { found: 1 }>(
    'SELECT 1 AS found FROM revoked_tokens WHERE jti = ?',
  )
  const revoke = db.prepare('INSERT OR IGNORE INTO revoked_tokens (jti, expires_at) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM revoked_tokens WHERE expires_at < ?')

  return {
    credential: (clientId: string) => credential.get(clientId),
    isRevoked: (jti: string): boolean => revoked.get(jti) !== undefined,
    /** @param keepUntil Unix ms after which the token could not be refreshed either. */
    revoke: (jti: string, keepUntil: number): boolean => revoke.run(jti, BigInt(keepUntil)).changes > 0,
    pruneRevoked: (now: number): void => void prune.run(BigInt(now)),
  }
}
