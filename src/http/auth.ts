import type { Caller, CallerStore, ClientInfo, Identity } from '../core/actor.ts'
import { isForeignAct } from '../core/audit.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError, rateLimitExceeded, signInFirst } from '../core/errors.ts'
import type { RateVerdict } from '../core/rate-window.ts'
import { type Claims, peekClientId, type Tokens } from './access-tokens.ts'
import { rateHeaders } from './budgets/rate-headers.ts'
import type { Incoming, ReadClientInfo } from './client-info.ts'
import { readCredential } from './credential.ts'
import { type Moments, type Stand, standFor } from './standing.ts'
import { isStoppedBySuspension, type Suspension, storeSuspended } from './suspension.ts'
import type { RequestGate } from './write-gate.ts'

/**
 * Which requests must name a store, unless the person belongs to exactly one (contract 4.7): all (`required`), those of
 * people with several stores except super-admins (`if-ambiguous`), or none (`optional`).
 */
export type StoreRule = 'required' | 'if-ambiguous' | 'optional'

/**
 * The purpose of a route, which decides whose budget its requests spend.
 *
 * `api`: products, and all that belongs to them. Requests spend the budget of the store's plan (contract 6.2), but reads by a
 * person, and deletions in the portal, spend budgets of the person and of the store's people: somebody who looks around must
 * not stop the shop.
 *
 * `settings`: what a store has set up. The same, but in the portal no change spends the plan.
 *
 * `search`: searches, which spend the plan's budget even where a person reads them with GET: they cost the model. Those in the
 * portal spend budgets of the person and of the store's people, which are smaller than those for reads.
 *
 * `security`: credentials, sign-ins and access. Requests spend a budget of the person or of the machine grant that calls,
 * never the plan's: a thief who drains the plan with a stolen key must not keep the owner from revoking the key. Only an
 * API key, which can guard nothing, spends the plan's budget here too.
 *
 * `feedback`: feedback of shoppers. Requests spend a budget of their own, which is ten times the plan's: no search waits for
 * clicks, and no click for searches.
 */
export type Purpose = 'api' | 'settings' | 'search' | 'security' | 'feedback'

/** What a request does, as its method says. */
export type Effect = 'read' | 'delete' | 'write'

/** Whose budget a request has spent, and how much of it is left. */
export interface Spending {
  policy: 'plan' | 'reads' | 'people' | 'searches' | 'people_searches' | 'person' | 'security' | 'feedback'
  verdict: RateVerdict
}

/** The store that a request names, and the rule of its route. */
export interface StoreChoice {
  /** The slug in `X-Service-Active-Tenant`. */
  slug: string | undefined
  rule: StoreRule
}

export interface AuthDeps extends Moments {
  tokens: Pick<Tokens, 'read'>
  clock: Clock
  readClientInfo: ReadClientInfo
  /**
   * Finds the caller of a token, and the store to act for (contract 4.7).
   *
   * @throws ApiError `unauthorized` for a revoked token or a store that is gone, `active_tenant_required`,
   * `not_a_member` for another store, `ip_not_allowed`.
   */
  findCallerByToken(claims: Claims, store: StoreChoice, clientInfo: ClientInfo): Identity
  /** Refuses a token that this service has not signed. @param clientId what the token says; nothing vouches for it. */
  refuseForeignToken?(clientId: string): ApiError
  /**
   * Finds the caller of an API key.
   *
   * @throws ApiError `unauthorized`, `api_key_expired`, `not_a_member`, `ip_not_allowed`.
   */
  findCallerByKey(key: string, store: StoreChoice, clientInfo: ClientInfo): Identity
  /** Takes one request from its budget; undefined for no limit. */
  spendRequest(caller: Identity, purpose: Purpose, effect: Effect): Spending | undefined
  /** Reads why a store is suspended. */
  readSuspension(store: CallerStore): Suspension
  /** Records a change that a super-admin makes in a store without being a member. */
  recordForeignAct(caller: Caller, method: string, path: string): void
  /** Holds back the writes of a store that moves. */
  gate?: Pick<RequestGate, 'enter'> | undefined
  /** Records whose request it is before its body is read: each store has its share of the bytes read at a time. */
  nameOwner?(request: Request, owner: string): void
  /** Records which credential of a store a request came with: an API key, or the machine grant by the id of the store. */
  nameCredential?(request: Request, storeId: string, credentialId: string): void
}

/**
 * Judges the credential of a request: whose it is, for which store it acts, and whether its budget is spent. A second call,
 * once the body has arrived, finds the caller again if anything has changed, and spends nothing: a client decides how long
 * its body takes, so a right must end although the body began before it was withdrawn.
 *
 * @param rule whether the request must name a store.
 * @param purpose decides which budget the request spends.
 */
export function createAuthentication(deps: AuthDeps, rule: StoreRule, purpose: Purpose) {
  const { tokens, clock, readClientInfo, findCallerByToken, findCallerByKey, spendRequest, nameOwner } = deps
  // A search changes nothing that a request waits for.
  const mayWrite = purpose !== 'search'
  /** Elysia asks twice about a request with a body: before parsing it and before the handler. */
  const known = new WeakMap<Request, Promise<Stand>>()

  async function judge(incoming: Incoming): Promise<Stand> {
    const { request, set } = incoming
    // Never cache answers to signed-in callers.
    set.headers['cache-control'] = 'no-store'
    const credential = readCredential(request)
    const slug = request.headers.get('x-service-active-tenant') ?? undefined
    const store = { slug, rule }
    const clientInfo = readClientInfo(incoming)
    const claims = credential.kind === 'key' ? undefined : await validClaims(credential.text)
    const stand = standFor(() => {
      const found = claims
        ? findCallerByToken(claims, store, clientInfo)
        : findCallerByKey(credential.text, store, clientInfo)
      demandWorkingStore(found, request, slug !== undefined)
      return found
    }, deps)
    const { caller } = stand
    nameOwner?.(request, caller.storeId ?? `person ${caller.userId}`)
    if (caller.storeId !== null && caller.kind !== 'person')
      deps.nameCredential?.(request, caller.storeId, caller.keyId ?? caller.storeId)
    const spent = spendRequest(caller, purpose, readEffect(request))
    if (spent) {
      Object.assign(set.headers, rateHeaders(spent.policy, spent.verdict))
      if (!spent.verdict.isAllowed) throw refuse(spent)
    }
    recordForeignAct(caller, request)
    return stand
  }

  /** @throws ApiError `store_suspended`. */
  function demandWorkingStore({ kind, store }: Identity, request: Request, isNamed: boolean): void {
    if (!store || store.suspendedAt === null) return
    const path = new URL(request.url).pathname
    if (isStoppedBySuspension({ kind, rule, isNamed, path })) {
      throw storeSuspended(store, deps.readSuspension(store))
    }
  }

  /** Routes that guard a store write their own events, and a search changes nothing. */
  function recordForeignAct(caller: Caller, { method, url }: Request): void {
    const isRecorded = purpose === 'api' || purpose === 'settings'
    if (!isRecorded || readEffect({ method }) === 'read' || !isForeignAct(caller)) return
    deps.recordForeignAct(caller, method, new URL(url).pathname)
  }

  async function validClaims(token: string): Promise<Claims> {
    const claims = await tokens.read(token)
    if (!claims) throw refuseForeign(token)
    if (claims.exp * 1000 <= clock.now()) throw new ApiError('token_expired', 'The access token has expired')
    return claims
  }

  /** A node to which a proxy still leads the requests of a store says where it is, whoever has signed the token. */
  function refuseForeign(token: string): ApiError {
    const clientId = peekClientId(token)
    return (clientId === undefined ? undefined : deps.refuseForeignToken?.(clientId)) ?? signInFirst()
  }

  async function authenticate(incoming: Incoming): Promise<Caller> {
    const before = known.get(incoming.request)
    if (before) return (await before).again()
    const judged = judge(incoming)
    known.set(incoming.request, judged)
    return (await judged).caller
  }

  /** The same, when the body is there and the work begins: a write waits while its store accepts none. */
  async function begin(incoming: Incoming): Promise<Caller> {
    const caller = await authenticate(incoming)
    if (!mayWrite || caller.storeId === null || readEffect(incoming.request) === 'read') return caller
    const waiting = deps.gate?.enter(incoming.request, caller.storeId)
    if (!waiting) return caller
    await waiting
    return authenticate(incoming)
  }

  return { authenticate, begin }
}

function readEffect({ method }: Pick<Request, 'method'>): Effect {
  if (method === 'GET' || method === 'HEAD') return 'read'
  return method === 'DELETE' ? 'delete' : 'write'
}

/** The message for a spent budget, by its limit. */
const REFUSALS: Readonly<Record<Spending['policy'], (limit: number) => string>> = {
  plan: (limit) => `The plan allows ${limit} requests a minute`,
  reads: (limit) => `A person may send ${limit} requests a minute outside the plan`,
  people: (limit) => `All people of a store together may send ${limit} requests a minute outside the plan`,
  searches: (limit) => `A person may search ${limit} times a minute in the portal`,
  people_searches: (limit) =>
    `All people of a store together may search ${limit} times a minute in the portal`,
  person: (limit) =>
    `A sign-in allows ${limit} requests a minute about your account and the store’s security`,
  feedback: (limit) => `The plan allows ${limit} requests with feedback a minute`,
  security: (limit) => `A machine grant allows ${limit} requests a minute about the store’s security`,
}

/** Refuses a request whose budget is spent. */
export const refuse = ({ policy, verdict }: Spending): ApiError =>
  rateLimitExceeded(REFUSALS[policy](verdict.limit), verdict)

/** Refuses a caller at a route that only a signed-in person may call. */
export const personNeeded = () =>
  new ApiError('permission_denied', 'Missing required permission: sign in as a person', {
    details: { required: 'person' },
  })
