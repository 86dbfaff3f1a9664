import type { Clock } from '../../core/clock.ts'
import type { Ids } from '../../core/ids.ts'
import { checksummedKey } from '../../core/keys.ts'
import type { SecurityQueries } from './queries.ts'

export interface SecurityDeps {
  queries: SecurityQueries
  clock: Clock
  ids: Ids
  hashSecret(secret: string): Buffer
}

/** An origin that cannot be one: told to whoever typed it. */
export class OriginError extends Error {
  override readonly name = 'OriginError'
}

export interface NewPublicKey {
  id: string
  name: string
  /** The key itself; it is not kept. */
  key: string
  origins: string[]
}

export type SecurityService = ReturnType<typeof securityService>

export function securityService({ queries, clock, ids, hashSecret }: SecurityDeps) {
  return {
    /**
     * Makes a public widget key that is bound to exact origins (spec §5.5).
     *
     * @throws OriginError for something that is no `scheme://host[:port]`.
     */
    createPublicKey(storeId: string, name: string, origins: string[]): NewPublicKey {
      const exact = [...new Set(origins.map(exactOrigin))]
      if (exact.length === 0) throw new OriginError('A widget key needs at least one origin')
      const key = checksummedKey('pk_live_', ids)
      const id = ids.uuid()
      const prefix = key.slice(0, 12)
      queries.addPublicKey({
        id,
        storeId,
        name,
        keyHash: hashSecret(key),
        prefix,
        origins: exact,
        createdAt: clock.now(),
      })
      return { id, name, key, origins: exact }
    },
  }
}

/** The form that browsers send: scheme, host and a port that is not the scheme's own. */
function exactOrigin(text: string): string {
  // The shape is checked in the text, for a URL parser repairs what should be refused.
  if (!/^https?:\/\/[^\s/\\?#@*]+\/?$/i.test(text) || !URL.canParse(text)) {
    throw new OriginError(`"${text}" is no origin: write it like https://shop.example`)
  }
  return new URL(text).origin
}
