import type { ClientInfo } from '../../../core/actor.ts'
import { tooManyRequests } from '../../../core/errors.ts'
import { storeNotHere } from '../../../core/move-errors.ts'
import { isSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { IpAllowlistService } from '../ip-allowlist/service.ts'
import { invalidClient, readCredentials } from './client-credentials.ts'
import type { AccessToken, TokenForm } from './schema.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface MachineGrantDeps extends Pick<Base, 'clock' | 'log' | 'record'> {
  storeRows: Pick<StoreQueries, 'findStore' | 'findMoved'>
  issuer: TokenIssuer
  /** Failures of known client ids (contract 5.6). Unknown ids count apart, so that a flood of them pushes out no known id. */
  clientFailures: Throttle
  unknownFailures: Throttle
  admitAddress: IpAllowlistService['admit']
  /** Notes that a client secret was used. */
  noteSecretUse(storeId: string, address: string): void
  /** Writes a little later, so that the time of an answer does not reveal the write. */
  enqueueWrite(write: () => void, undone: undefined, storeId: string): void
}

export type MachineGrant = ReturnType<typeof createMachineGrant>

export function createMachineGrant(deps: MachineGrantDeps) {
  const { storeRows, issuer, clock, clientFailures, unknownFailures, admitAddress } = deps

  /** While nothing can be written, the right secret still gets its token. */
  function forgive(clientId: string): void {
    try {
      clientFailures.reset(clientId)
    } catch (err) {
      deps.log.warn({ err }, 'failed sign-ins of a client could not be reset')
    }
  }

  /** Records the failure later, because its time would tell a known client_id from an unknown one. */
  function recordFailure(storeId: string, isAllowed: boolean, clientInfo: ClientInfo): void {
    const event = {
      actorKind: 'anyone',
      storeId,
      userId: null,
      keyId: null,
      details: {},
      clientInfo,
    } as const
    deps.enqueueWrite(
      () => {
        deps.record({ ...event, action: 'client_secret.refused' })
        if (!isAllowed) deps.record({ ...event, action: 'client_secret.locked' })
      },
      undefined,
      storeId,
    )
  }

  return {
    /**
     * Exchanges a client id and its secret for an access token (contract 4.4, RFC 6749 §4.4).
     *
     * @param basic the Authorization header, which may carry the credentials instead of the form (RFC 6749 §2.3.1).
     * @throws ApiError `invalid_request`, `unsupported_grant_type`, `credential_ambiguous`, `unauthorized`, `store_not_here`,
     * `ip_not_allowed`, or `too_many_requests` for a wrong secret after ten of one client_id in a quarter of an hour. A
     * right secret always passes: anyone can send wrong ones, and nobody guesses 256 bits.
     */
    async grant(form: TokenForm, basic: string | undefined, clientInfo: ClientInfo): Promise<AccessToken> {
      const { clientId, clientSecret } = readCredentials(form, basic)
      // No await from here to the count, so that a burst of guesses cannot slip past it.
      const store = storeRows.findStore(clientId)
      const moved = store ? undefined : storeRows.findMoved(clientId)
      // Whatever the secret: the other node judges it.
      if (moved) throw storeNotHere(moved.slug, moved.url)
      const counted = store ? clientFailures : unknownFailures
      const isRight = isSecret(clientSecret, store?.clientSecretHash)
      const verdict = counted.peek(clientId, clock.now())
      if (!isRight || !store) {
        if (!verdict.isAllowed) throw tooManyRequests(verdict)
        counted.add(clientId, clock.now())
        const { isAllowed } = counted.peek(clientId, clock.now())
        if (store) recordFailure(store.id, isAllowed, clientInfo)
        throw invalidClient()
      }
      if (verdict.remaining < verdict.limit) forgive(clientId)
      admitAddress(store.id, clientInfo.address)
      deps.noteSecretUse(store.id, clientInfo.address)
      return issuer.issueForStore(store, issuer.createJti())
    },
  }
}
