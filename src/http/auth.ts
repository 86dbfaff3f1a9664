import { Elysia } from 'elysia'
import { type Actor, may, type Permission } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError, missingPermission, signInFirst } from '../core/errors.ts'
import type { RateVerdict } from '../core/rate-window.ts'
import { rateHeaders } from './rate-headers.ts'
import type { Claims, Tokens } from './tokens.ts'

export interface AuthDeps {
  tokens: Pick<Tokens, 'read'>
  clock: Clock
  /**
   * Finds who acts, and for which store (spec §5.3).
   *
   * @throws ApiError `unauthorized` for a revoked token or a store that is gone, `not_a_member` for a foreign store.
   */
  actorFor(claims: Claims, storeSlug: string | undefined): Actor
  /** Takes one request from the store's plan (spec §8); undefined when the plan is unlimited. */
  spendRequest(storeId: string): RateVerdict | undefined
}

/** The header of every signed-in route in the API's document (spec §5.3). */
export const ACTIVE_TENANT = {
  name: 'X-Service-Active-Tenant',
  in: 'header',
  required: false,
  description: 'Slug of the store to act for; by default the store of the credential.',
  schema: { type: 'string' },
} as const

export type AuthPlugin = ReturnType<typeof authPlugin>

interface Incoming {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

/**
 * Makes a routes file signed-in: every route gets `actor`, and `can` names the permission it needs.
 *
 * The bearer is judged before the body is read, so a stranger can neither upload anything nor learn a schema.
 */
export function authPlugin({ tokens, clock, actorFor, spendRequest }: AuthDeps) {
  /** Elysia asks twice for a request with a body: before parsing it and before the handler. */
  const known = new WeakMap<Request, Promise<Actor>>()

  async function judge({ request, set }: Incoming): Promise<Actor> {
    const claims = await tokens.read(bearer(request))
    if (!claims) throw signInFirst()
    if (claims.exp * 1000 <= clock.now()) throw new ApiError('token_expired', 'The access token has expired')
    const actor = actorFor(claims, request.headers.get('x-service-active-tenant') ?? undefined)
    const verdict = spendRequest(actor.storeId)
    if (verdict) {
      Object.assign(set.headers, rateHeaders('plan', verdict))
      if (!verdict.isAllowed) throw budgetSpent(verdict)
    }
    return actor
  }

  function authenticate(incoming: Incoming): Promise<Actor> {
    const actor = known.get(incoming.request) ?? judge(incoming)
    known.set(incoming.request, actor)
    return actor
  }

  return new Elysia({ name: 'http.auth' })
    .onParse({ as: 'scoped' }, async (context) => {
      await authenticate(context)
    })
    .derive({ as: 'scoped' }, async (context) => ({ actor: await authenticate(context) }))
    .macro({
      can: (permission: Permission) => ({
        detail: { description: `Needs the permission \`${permission}\`.`, security: [{ bearer: [] }] },
        beforeHandle({ actor }: { actor?: Actor }) {
          if (!actor || !may(actor, permission)) throw missingPermission(permission)
        },
      }),
    })
}

function bearer(request: Request): string {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (!token) throw signInFirst()
  return token
}

const budgetSpent = ({ limit, resetSeconds }: RateVerdict): ApiError =>
  new ApiError('rate_limit_exceeded', `The plan allows ${limit} requests a minute`, {
    retryAfterSeconds: resetSeconds,
    details: { limit, retry_after: resetSeconds },
  })
