import type { Actor } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { ApiError, signInFirst } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import { PLANS, type PlanName } from '../../core/plans.ts'
import type { Claims, Tokens } from '../../http/tokens.ts'
import type { AuthQueries } from './queries.ts'
import type { AccessToken, TokenForm } from './schema.ts'

export interface AuthServiceDeps {
  queries: AuthQueries
  tokens: Pick<Tokens, 'sign'>
  clock: Clock
  ids: Ids
  tokenLifetimeSeconds: number
  /** Constant-time comparison; an undefined hash never fits. */
  isSecret(secret: string, storedHash: Uint8Array | undefined): boolean
}

export type AuthService = ReturnType<typeof authService>

export function authService({
  queries,
  tokens,
  clock,
  ids,
  tokenLifetimeSeconds,
  isSecret,
}: AuthServiceDeps) {
  return {
    /**
     * The machine grant (spec §5.1, RFC 6749 §4.4): id and secret for an access token.
     *
     * @param basic the Authorization header, which may carry the credentials instead of the form (RFC 6749 §2.3.1).
     * @throws ApiError `invalid_request`, `unsupported_grant_type`, `credential_ambiguous` or `unauthorized`.
     */
    async grant(form: TokenForm, basic: string | undefined): Promise<AccessToken> {
      const { clientId, clientSecret } = credentials(form, basic)
      const store = queries.credential(clientId)
      if (!isSecret(clientSecret, store?.clientSecretHash) || !store) throw invalidClient()
      const { requestsPerMinute } = PLANS[store.plan]
      const access_token = await tokens.sign(
        {
          sub: store.id,
          jti: ids.uuid(),
          user_type: 'client',
          plan: store.plan,
          rate_limit: Number.isFinite(requestsPerMinute) ? requestsPerMinute : null,
        },
        tokenLifetimeSeconds,
      )
      return { access_token, token_type: 'Bearer', expires_in: tokenLifetimeSeconds }
    },

    /** Who acts with a token, and for which store (spec §5.3, §5.6). */
    actorFor(claims: Claims, storeSlug: string | undefined): Actor {
      if (queries.isRevoked(claims.jti) || claims.user_type !== 'client') throw signInFirst()
      const store = queries.credential(claims.sub)
      if (!store) throw signInFirst()
      if (storeSlug !== undefined && storeSlug !== store.slug) {
        throw new ApiError('not_a_member', 'This credential does not belong to that store')
      }
      return { storeId: store.id, userId: null, permissions: 'all' }
    },

    planOf: (storeId: string): PlanName => queries.credential(storeId)?.plan ?? 'free',

    /** Forgets revoked tokens that could not be refreshed any more either. */
    pruneRevoked: () => queries.pruneRevoked(clock.now()),
  }
}

interface Credentials {
  clientId: string
  clientSecret: string
}

function credentials(form: TokenForm, authorization: string | undefined): Credentials {
  if (!form.grant_type) throw missing('grant_type')
  if (form.grant_type !== 'client_credentials') {
    throw new ApiError('unsupported_grant_type', 'The token endpoint knows grant_type=client_credentials', {
      details: { oauth_error: 'unsupported_grant_type' },
    })
  }
  const basic = fromBasic(authorization)
  const isOtherId = form.client_id !== undefined && form.client_id !== basic?.clientId
  if (basic && (form.client_secret !== undefined || isOtherId)) {
    throw new ApiError(
      'credential_ambiguous',
      'Send the credentials in the form or by HTTP Basic, not both',
      {
        details: { oauth_error: 'invalid_request' },
      },
    )
  }
  if (basic) return basic
  if (!form.client_id) throw missing('client_id')
  if (!form.client_secret) throw missing('client_secret')
  return { clientId: form.client_id, clientSecret: form.client_secret }
}

/**
 * The credentials of HTTP Basic, both form-encoded inside the header (RFC 6749 §2.3.1); undefined for another scheme.
 * What cannot be decoded belongs to nobody.
 */
function fromBasic(authorization: string | undefined): Credentials | undefined {
  const encoded = /^Basic(?: +(.*))?$/i.exec(authorization ?? '')
  if (!encoded) return undefined
  const [id, ...rest] = Buffer.from(encoded[1] ?? '', 'base64')
    .toString('utf8')
    .split(':')
  return { clientId: fromForm(id ?? ''), clientSecret: fromForm(rest.join(':')) }
}

const fromForm = (text: string): string => new URLSearchParams(`v=${text}`).get('v') ?? ''

const missing = (name: string) =>
  new ApiError('invalid_request', `The parameter ${name} is missing`, {
    details: { parameter: name, oauth_error: 'invalid_request' },
  })

const invalidClient = () => {
  const description = 'The credentials are missing or not valid'
  return new ApiError('unauthorized', description, {
    details: { oauth_error: 'invalid_client' },
    fields: { error_description: description },
    headers: { 'www-authenticate': 'Basic realm="lookalike", charset="UTF-8"' },
  })
}
