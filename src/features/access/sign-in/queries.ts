import type { Permission } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { StoreRow } from '../../stores/stores/queries.ts'

/** The columns of a store that a token of its machine grant needs. */
export type TokenStore = Omit<StoreRow, 'clientSecretHash'>

export type SignInQueries = ReturnType<typeof signInQueries>

/** All SQL about ended tokens and the groups of members, and the reads that check a token. */
export function signInQueries(db: Db) {
  // One read finds the store and checks its token, because it runs with every request.
  const tokenStore = db.prepare<[storeId: string, jti: string], TokenStore>(`
    SELECT id, slug, name, plan, suspended_at AS suspendedAt, secret_generation AS secretGeneration,
      kept_jti AS keptJti
    FROM stores WHERE id = ? AND erasing_at IS NULL AND NOT EXISTS (SELECT 1 FROM revoked_tokens WHERE jti = ?)`)
  const groups = db.prepare<[userId: string, storeId: string], { permissionNames: string }>(`
    SELECT permission_names AS permissionNames
    FROM user_group_members JOIN user_groups ON user_groups.id = group_id
    WHERE user_id = ? AND store_id = ?`)
  const revoke = db.prepare('INSERT OR IGNORE INTO revoked_tokens (jti, expires_at) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM revoked_tokens WHERE expires_at < ?')

  return {
    /** Finds the store of a token; undefined if the token was revoked. */
    findTokenStore: (storeId: string, jti: string): TokenStore | undefined => tokenStore.get(storeId, jti),
    /** Lists the permissions of each group of the store that the person belongs to. */
    listGroups: (userId: string, storeId: string): Permission[][] =>
      groups.all(userId, storeId).map(({ permissionNames }) => JSON.parse(permissionNames)),
    /**
     * Ends a token before it expires. Of several calls at once, exactly one returns true.
     *
     * @param keepUntil Unix ms after which the token can no longer be refreshed.
     */
    revoke: (jti: string, keepUntil: number): boolean => revoke.run(jti, BigInt(keepUntil)).changes > 0,
    pruneRevoked: (now: number): void => void prune.run(BigInt(now)),
  }
}
