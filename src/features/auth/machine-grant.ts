import type { Trace } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { tooManyRequests } from '../../core/errors.ts'
import type { Throttle } from '../../core/throttle.ts'
import { credentialsIn, invalidClient } from './client-credentials.ts'
import type { AuthQueries } from './queries.ts'
import type { AccessToken, TokenForm } from './schema.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface MachineGrantDeps {
  queries: Pick<AuthQueries, 'credential'>
  issuer: TokenIssuer
  clock: Clock
  /** Failures of one client_id (spec §8). */
  failures: Throttle
  /** Constant-time comparison; an undefined hash never fits. */
  isSecret(secret: string, storedHash: Uint8Array | undefined): boolean
  /** @throws ApiError `ip_not_allowed`. */
  admitAddress(storeId: string, address: string): void
}

export type MachineGrant = ReturnType<typeof machineGrant>

export function machineGrant({ queries, issuer, clock, failures, isSecret, admitAddress }: MachineGrantDeps) {
  return {
    /**
     * The machine grant (spec §5.1, RFC 6749 §4.4): id and secret for an access token.
     *
     * @param basic the Authorization header, which may carry the credentials instead of the form (RFC 6749 §2.3.1).
     * @throws ApiError `invalid_request`, `unsupported_grant_type`, `credential_ambiguous`, `unauthorized`,
     * `ip_not_allowed`, and `too_many_requests` after ten failures of one client_id in a quarter of an hour.
     */
    async grant(form: TokenForm, basic: string | undefined, trace: Trace): Promise<AccessToken> {
      const { clientId, clientSecret } = credentialsIn(form, basic)
      // No await from here to the count, so that a burst of guesses cannot slip past it.
      const verdict = failures.look(clientId, clock.now())
      if (!verdict.isAllowed) throw tooManyRequests(verdict)
      const store = queries.credential(clientId)
      if (!isSecret(clientSecret, store?.clientSecretHash) || !store) {
        failures.add(clientId, clock.now())
        throw invalidClient()
      }
      if (verdict.remaining < verdict.limit) failures.reset(clientId)
      admitAddress(store.id, trace.address)
      return issuer.forStore(store, issuer.newJti())
    },
  }
}
