import type { Actor } from '../../core/actor.ts'
import { type Atomically, actOf, type RecordEvent } from '../../core/audit.ts'
import { type Clock, isoTime } from '../../core/clock.ts'
import type { Ids } from '../../core/ids.ts'
import type { ClientSecretQueries } from './queries.ts'
import type { NewClientSecret } from './schema.ts'

export interface ClientSecretDeps {
  queries: ClientSecretQueries
  clock: Clock
  ids: Ids
  hashSecret(secret: string): Buffer
  atomically: Atomically
  record: RecordEvent
}

const SECRET_BYTES = 32

export type ClientSecretService = ReturnType<typeof clientSecretService>

export function clientSecretService({
  queries,
  clock,
  ids,
  hashSecret,
  atomically,
  record,
}: ClientSecretDeps) {
  return {
    /**
     * Gives the store a new secret (spec §5.2.6). The old one ends at once, and so do the tokens that were made with
     * it, but for the one that asks: whoever rotates must be able to go on.
     */
    rotate(actor: Actor): NewClientSecret {
      const client_secret = ids.secret(SECRET_BYTES)
      const keptJti = actor.kind === 'machine' ? (actor.token?.jti ?? null) : null
      atomically(() => {
        queries.rotate(actor.storeId, hashSecret(client_secret), keptJti)
        record(actOf(actor, 'client_secret.rotated'))
      })
      return { client_id: actor.storeId, client_secret, rotated_at: isoTime(clock.now()) }
    },
  }
}
