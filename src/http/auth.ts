import { Elysia } from 'elysia'
import { type Actor, type Caller, may, type Permission, type StorePower, type Trace } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError, missingPermission, rateLimitExceeded, signInFirst } from '../core/errors.ts'
import type { RateVerdict } from '../core/rate-window.ts'
import { credentialOf } from './credential.ts'
import { rateHeaders } from './rate-headers.ts'
import type { Claims, Tokens } from './tokens.ts'
import type { Incoming, TraceOf } from './trace.ts'

/**
 * Which calls must name a store when the person has not exactly one (spec §5.3): all; those of people with several,
 * except super-admins; or none.
 */
export type StoreRule = 'always' | 'several' | 'never'

/**
 * What a route is for, which decides whose budget its calls spend.
 *
 * `use`: products and searches. They spend the budget of the store's plan (spec §8).
 * `guard`: credentials, sign-ins and access. They spend a budget of the person or of the machine grant that calls, never
 * the plan's: whoever drains that with a stolen key must not keep the owner from revoking the key. Only an API key,
 * which can guard nothing, spends the plan's here too.
 */
export type Purpose = 'use' | 'guard'

/** Whose budget a request has spent, and what is left of it. */
export interface Spending {
  policy: 'plan' | 'person' | 'security'
  verdict: RateVerdict
}

/** The store that a call names, and the rule of its route. */
export interface StoreChoice {
  /** The slug in `X-Service-Active-Tenant`. */
  slug: string | undefined
  rule: StoreRule
}

export interface AuthDeps {
  tokens: Pick<Tokens, 'read'>
  clock: Clock
  traceOf: TraceOf
  /**
   * Finds who calls with a token, and for which store (spec §5.3).
   *
   * @throws ApiError `unauthorized` for a revoked token or a store that is gone, `active_tenant_required`,
   * `not_a_member` for a foreign store, `ip_not_allowed`.
   */
  callerOfToken(claims: Claims, store: StoreChoice, trace: Trace): Caller
  /**
   * Finds who calls with an API key.
   *
   * @throws ApiError `unauthorized`, `api_key_expired`, `not_a_member`, `ip_not_allowed`.
   */
  callerOfKey(key: string, store: StoreChoice, trace: Trace): Caller
  /** Takes one request from the budget that it spends; undefined for no limit. */
  spendRequest(caller: Caller, purpose: Purpose): Spending | undefined
  /** Learns whose request it is, before its body is read: each store has its share of what is read at a time. */
  nameOwner?(request: Request, owner: string): void
}

/** The header of every signed-in route in the API's document (spec §5.3). */
export const ACTIVE_TENANT = {
  name: 'X-Service-Active-Tenant',
  in: 'header',
  required: false,
  description: 'Slug of the store to act for; by default the store of the credential.',
  schema: { type: 'string' },
} as const

/** Where a route's declaration says in words what it asks of its caller. */
export const NEED = 'x-needs'

/** How a signed-in route may be called, for the API's document. */
const SECURITY = [{ bearer: [] }, { apiKey: [] }]

export type AuthPlugin = ReturnType<typeof authPlugin>

/** What a route asks of its caller. */
export type Need = Permission | StorePower

/**
 * Makes a routes file signed-in: every route gets `actor`, and `can` names what it needs: a permission or a power over
 * the store.
 *
 * The credential is judged before the body is read, so a stranger can neither upload anything nor learn a schema.
 */
export function authPlugin(deps: AuthDeps, purpose: Purpose = 'use') {
  const authenticate = createAuthentication(deps, 'always', purpose)
  // Of two plugins with one name Elysia drops the second.
  return new Elysia({ name: `http.auth.${purpose}` })
    .onParse({ as: 'scoped' }, async (context) => {
      await authenticate(context)
    })
    .derive({ as: 'scoped' }, async (context) => ({ actor: (await authenticate(context)) as Actor }))
    .macro({
      can: (need: Need) => ({
        detail: { [NEED]: `Needs the permission \`${need}\`.`, security: SECURITY },
        beforeHandle({ actor }: { actor?: Actor }) {
          if (!actor || !may(actor, need)) throw missingPermission(need)
        },
      }),
    })
}

export type CallerPlugin = ReturnType<typeof callerPlugin>

/**
 * The same for what guards the caller and concerns no store: every route gets `caller`, whose store may be missing.
 * `anyone: true` takes every credential, `person: true` the login of a person.
 */
export function callerPlugin(deps: AuthDeps, rule: 'several' | 'never') {
  const authenticate = createAuthentication(deps, rule, 'guard')
  return new Elysia({ name: `http.caller.${rule}` })
    .onParse({ as: 'scoped' }, async (context) => {
      await authenticate(context)
    })
    .derive({ as: 'scoped' }, async (context) => ({ caller: await authenticate(context) }))
    .macro({
      anyone: (_isAsked: true) => ({
        detail: { [NEED]: 'Takes every credential.', security: SECURITY },
        beforeHandle({ caller }: { caller?: Caller }) {
          if (!caller) throw signInFirst()
        },
      }),
      person: (_isAsked: true) => ({
        detail: { [NEED]: 'Needs the login of a person.', security: [{ bearer: [] }] },
        beforeHandle({ caller }: { caller?: Caller }) {
          if (caller?.kind !== 'person') throw personNeeded()
        },
      }),
    })
}

function createAuthentication(
  { tokens, clock, traceOf, callerOfToken, callerOfKey, spendRequest, nameOwner }: AuthDeps,
  rule: StoreRule,
  purpose: Purpose,
) {
  /** Elysia asks twice for a request with a body: before parsing it and before the handler. */
  const known = new WeakMap<Request, Promise<Caller>>()

  async function judge(incoming: Incoming): Promise<Caller> {
    const { request, set } = incoming
    // What only its owner may see belongs into no cache.
    set.headers['cache-control'] = 'no-store'
    const credential = credentialOf(request)
    const slug = request.headers.get('x-service-active-tenant') ?? undefined
    const store = { slug, rule }
    const trace = traceOf(incoming)
    const caller =
      credential.kind === 'key'
        ? callerOfKey(credential.text, store, trace)
        : callerOfToken(await validClaims(credential.text), store, trace)
    nameOwner?.(request, caller.storeId ?? `person ${caller.userId}`)
    const spent = spendRequest(caller, purpose)
    if (spent) {
      const { policy, verdict } = spent
      Object.assign(set.headers, rateHeaders(policy, verdict))
      if (!verdict.isAllowed) throw rateLimitExceeded(REFUSALS[policy](verdict.limit), verdict)
    }
    return caller
  }

  async function validClaims(token: string): Promise<Claims> {
    const claims = await tokens.read(token)
    if (!claims) throw signInFirst()
    if (claims.exp * 1000 <= clock.now()) throw new ApiError('token_expired', 'The access token has expired')
    return claims
  }

  return function authenticate(incoming: Incoming): Promise<Caller> {
    const caller = known.get(incoming.request) ?? judge(incoming)
    known.set(incoming.request, caller)
    return caller
  }
}

/** How a spent budget is told, by its limit. */
const REFUSALS: Readonly<Record<Spending['policy'], (limit: number) => string>> = {
  plan: (limit) => `The plan allows ${limit} requests a minute`,
  person: (limit) => `A login allows ${limit} requests a minute about your account and the store’s security`,
  security: (limit) => `A machine grant allows ${limit} requests a minute about the store’s security`,
}

/** The refusal of what only a person may do, by a login. */
export const personNeeded = () =>
  new ApiError('permission_denied', 'Missing required permission: this needs the login of a person', {
    details: { required: 'person' },
  })
