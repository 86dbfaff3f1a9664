import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, tooManyRequests } from '../../../core/errors.ts'
import { isSecret } from '../../../core/secrets.ts'
import { givenText } from '../../../core/text.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { Base } from '../../module.ts'
import type { TellOwners } from '../../stores/people/owner-notices.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import type { ClientSecret, ClientSecretRotation, NewClientSecret } from './schema.ts'
import type { SecretUses } from './uses.ts'

export interface ClientSecretDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  storeRows: Pick<StoreQueries, 'findStore' | 'findSecretTimes'>
  stores: Pick<StoreService, 'replaceSecret'>
  /** Wrong secrets by client_id, here and at the token endpoint (contract 5.6). */
  clientFailures: Throttle
  tellOwners: TellOwners
  uses: Pick<SecretUses, 'read' | 'forgetStore'>
}

export type ClientSecretService = ReturnType<typeof clientSecretService>

export function clientSecretService(deps: ClientSecretDeps) {
  const { storeRows, stores, clock, clientFailures, atomically, record, tellOwners, uses } = deps

  /**
   * Checks the present secret. With an access token alone, a thief could take over the store for good.
   *
   * @throws ApiError `permission_denied` for a missing or wrong secret, `too_many_requests` after ten wrong ones.
   */
  function assertKnown(actor: Actor, secret: string | undefined): void {
    if (secret === undefined)
      throw secretRefused(
        'Missing required permission: send the current client secret in the body, or sign in as a person',
      )
    if (isSecret(secret, storeRows.findStore(actor.storeId)?.clientSecretHash)) return
    const verdict = clientFailures.take(actor.storeId, clock.now())
    if (!verdict.isAllowed) throw tooManyRequests(verdict)
    atomically(() => {
      record(describeAct(actor, 'client_secret.refused'))
      if (verdict.remaining === 0) record(describeAct(actor, 'client_secret.locked'))
    })
    throw secretRefused('The client secret in the body is wrong')
  }

  return {
    /** When the secret was made and used, and from how many addresses; never the secret itself. */
    show(storeId: string): ClientSecret {
      const { madeAt = null, usedAt = null } = storeRows.findSecretTimes(storeId) ?? {}
      const inMemory = uses.read(storeId)
      return {
        client_id: storeId,
        rotated_at: timeOrNull(madeAt),
        last_used_at: timeOrNull(inMemory.usedAt ?? usedAt),
        addresses_last_hour: inMemory.addresses,
      }
    },

    /**
     * Gives the store a new secret (contract 4.9). The old secret ends at once, and so do the tokens issued with it, except
     * the caller's own, so that the caller can go on. A machine grant must send the present secret.
     *
     * @throws ApiError `permission_denied`, `too_many_requests`.
     */
    rotate(actor: Actor, shown: ClientSecretRotation): NewClientSecret {
      if (actor.kind !== 'person') assertKnown(actor, givenText(shown.client_secret))
      const keptJti = actor.kind === 'machine' ? (actor.token?.jti ?? null) : null
      const client_secret = atomically(() => {
        const secret = stores.replaceSecret(actor.storeId, keptJti)
        clientFailures.reset(actor.storeId)
        record(describeAct(actor, 'client_secret.rotated'))
        tellOwners(actor, 'client_secret_rotated')
        return secret
      })
      uses.forgetStore(actor.storeId)
      return { client_id: actor.storeId, client_secret, rotated_at: isoTime(clock.now()) }
    },
  }
}

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

const secretRefused = (message: string) =>
  new ApiError('permission_denied', message, {
    details: { required: 'client_secret' },
  })
