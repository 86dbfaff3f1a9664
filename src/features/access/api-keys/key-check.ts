import type { CallerStore, Permission } from '../../../core/actor.ts'
import { hashSecret, isSameHash } from '../../../core/secrets.ts'
import { createTouch } from '../../../core/touch.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { Base } from '../../module.ts'
import { deriveEffectiveScopes } from './effective.ts'
import { isAhead } from './lifetime.ts'
import type { ApiKeyQueries } from './queries.ts'

export interface KeyCheckDeps extends Pick<Base, 'clock' | 'log' | 'withoutFsync'> {
  queries: Pick<ApiKeyQueries, 'findByHash' | 'touch'>
  /** Reads something, unless the database is as it was when it was read last. */
  remember: Reads['remember']
}

/** A key that came with a request. */
export interface KnownKey {
  id: string
  store: CallerStore
  /** The permissions of the key at this moment. */
  scopes: Permission[]
  /** Unix ms; null if the key was never used. */
  lastUsedAt: number | null
  state: 'valid' | 'expired'
}

export type KeyCheck = ReturnType<typeof createKeyCheck>

/** Finds the key that a request came with. */
export function createKeyCheck(deps: KeyCheckDeps) {
  const { queries, remember } = deps
  const touch = createTouch({ ...deps, name: 'an API key' })

  return {
    /**
     * Finds a key by its present value, or by its previous one during the grace period. Any other text takes the same time
     * and gives undefined.
     *
     * @param now Unix ms.
     */
    find(key: string, now: number): KnownKey | undefined {
      const hash = hashSecret(key)
      const row = remember(`key ${hash.toString('base64')}`, () => queries.findByHash(hash))
      const isPresent = isSameHash(hash, row?.keyHash)
      const isPrevious = isSameHash(hash, row?.previousKeyHash ?? undefined)
      if (!row || !(isPresent || (isPrevious && isAhead(row.previousExpiresAt, now)))) return undefined
      const { id, store, lastUsedAt, expiresAt } = row
      return {
        id,
        store,
        lastUsedAt,
        scopes: deriveEffectiveScopes(row),
        state: expiresAt === null || isAhead(expiresAt, now) ? 'valid' : 'expired',
      }
    },

    /** Records when and from where a key was used, at most once a minute. */
    touch: ({ id, lastUsedAt: lastAt }: KnownKey, address: string): void =>
      touch({ lastAt, write: (now) => queries.touch(id, address, now) }),
  }
}
