import { Elysia } from 'elysia'
import {
  type Actor,
  type Caller,
  type Identity,
  may,
  needsPerson,
  type Permission,
  type StorePower,
} from '../core/actor.ts'
import type { Operator } from '../core/audit.ts'
import { type ApiError, missingPermission, signInFirst, superAdminOnly } from '../core/errors.ts'
import { hashSecret, isSecret } from '../core/secrets.ts'
import { type AuthDeps, createAuthentication, type Purpose, personNeeded, refuse } from './auth.ts'
import type { AddressBudgets } from './budgets/address-budget.ts'
import { rateHeaders } from './budgets/rate-headers.ts'
import type { WidgetWork } from './budgets/widget-budget.ts'
import { clientInfoPlugin, type Incoming } from './client-info.ts'
import { readCredential } from './credential.ts'
import type { Idempotency } from './idempotency.ts'
import { type WidgetGuardDeps, type WidgetUse, widgetGuard } from './widget-guard.ts'

/** The key of a route's declaration that says in words whom the route lets in. */
export const NEED = 'x-needs'

/** The header of every route behind a guard, for the API's document (contract 4.7). */
export const ACTIVE_TENANT = {
  name: 'X-Service-Active-Tenant',
  in: 'header',
  required: false,
  description: 'Slug of the store to act for; by default the store of the credential.',
  schema: { type: 'string' },
} as const

/** How to call a route that takes every credential, for the API's document; the API page fetches the first by itself. */
const EVERY_CREDENTIAL = [{ oauth2: [] }, { bearer: [] }, { apiKey: [] }]

/** The same for a route that only people may call. */
const PERSONS_ONLY = [{ bearer: [] }]
const PERSON_NEEDED = 'Needs a signed-in person.'
const SUPER_ADMIN_NEEDED = 'Needs a super-admin who has signed in.'

/** The right that a route requires. */
type Need = Permission | StorePower

/**
 * The guards of the API. A routes file takes the ones it needs (`Pick<Guards, 'forStore'>`) and mounts each before its
 * routes; another kind of caller gets another guard here.
 *
 * A guard judges the credential before the body is read, so a stranger can neither upload anything nor learn a schema.
 */
export type Guards = ReturnType<typeof createGuards>

export interface GuardDeps extends AuthDeps, WidgetGuardDeps {
  budgets: AddressBudgets
  idempotency: Idempotency
  /** Judges a code of the set-up link. @throws ApiError `unauthorized`, `rate_limit_exceeded`. */
  admitSetupCode(code: string, address: string): void
  /** What commands on this machine show instead of a sign-in; without one no command is let in. */
  operatorKey?: string | undefined
  /** What proxies show to read the map of stores; without one no proxy is let in. */
  mapToken?: string | undefined
  /** Takes the events of a list from what a store may send in an hour. @throws ApiError `rate_limit_exceeded`. */
  spendEvents(caller: Caller, count: number): void
}

export function createGuards(deps: GuardDeps) {
  return {
    /** Lets in the machine grant, the people and the API keys of a store; requests count against the plan, except reads by people. */
    forStore: storeGuard(deps, 'api'),
    /** The same for what a store has set up: in the portal no change counts against the plan either. */
    forStoreSettings: storeGuard(deps, 'settings'),
    /** The same for searches, each of which counts against the plan. */
    forStoreSearch: storeGuard(deps, 'search'),
    /** The same for routes that guard the store: requests count against a budget of their own (see {@link Purpose}). */
    forStoreSecurity: storeGuard(deps, 'security'),
    /** The same for feedback of shoppers: requests count against a budget of their own. */
    forStoreFeedback: storeGuard(deps, 'feedback'),
    /** Lets in a signed-in person. A person who belongs to several stores names one. */
    forPerson: callerGuard(deps, 'if-ambiguous'),
    /** Lets in every credential, and each route says whether it needs a person. No store has to be named. */
    forCaller: callerGuard(deps, 'optional'),
    /** Lets in a signed-in person, and whoever sends the code of the set-up link in `X-Setup-Code`. */
    forPersonOrSetup: setupGuard(deps),
    /** Lets in super-admins who have signed in, and nobody else: no machine grant and no key. */
    forSuperAdmin: superAdminGuard(deps),
    /** Lets in super-admins who have signed in, and commands that can read the data folder of this service. */
    forOperator: operatorGuard(deps, 'operator'),
    /** The same, and who shows `MAP_TOKEN`: proxies that ask who lives where. */
    forMap: operatorGuard(deps, 'map', deps.mapToken),
    /** Lets in the pages of a widget key, for one use; each request counts against the budgets of key and visitor. */
    forWidget: (use: WidgetUse, work?: WidgetWork) => widgetGuard(deps, use, work),
    /** Lets everyone in, without a credential, and gives each route its `clientInfo`. */
    forAnyone: clientInfoPlugin(deps.readClientInfo),
    /** Limits what one address may send to a route that lets everyone in. */
    budgets: deps.budgets,
    /** Takes more units from the plan's budget, for a request that is worth several. */
    spendMore: createSpendMore(deps),
    /** Takes the events of a list from the budget of events. @throws ApiError `rate_limit_exceeded`. */
    spendEvents: deps.spendEvents,
    /** Executes a request only once, however often it is repeated with its `Idempotency-Key`. */
    idempotency: deps.idempotency,
  }
}

/**
 * Takes more units from the budget of the plan, and reports the rest in the rate limit headers of the answer.
 *
 * @returns how many units were given, and the refusal of the next one.
 */
function createSpendMore({ spendRequest }: Pick<AuthDeps, 'spendRequest'>) {
  return (
    { actor, set }: { actor: Actor; set: { headers: Record<string, unknown> } },
    units: number,
  ): { given: number; refusal?: ApiError } => {
    for (let given = 0; given < units; given++) {
      const spent = spendRequest(actor, 'search', 'write')
      if (!spent) return { given: units }
      Object.assign(set.headers, rateHeaders(spent.policy, spent.verdict))
      if (!spent.verdict.isAllowed) return { given, refusal: refuse(spent) }
    }
    return { given: units }
  }
}

/**
 * Gives every route `actor`. `can` names the permission, or the power over the store, that the route needs; `person` lets
 * in the people of the store, whatever their role.
 */
function storeGuard(deps: AuthDeps, purpose: Purpose) {
  const { authenticate, begin } = createAuthentication(deps, 'required', purpose)
  // Elysia drops the second of two plugins with one name.
  return new Elysia({ name: `http.guards.store.${purpose}` })
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      await authenticate({ request, set })
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => ({
      actor: (await begin({ request, set })) as Actor,
    }))
    .macro({
      can: (need: Need) => ({
        detail: {
          [NEED]: `Needs the permission \`${need}\`.${needsPerson(need) ? ` ${PERSON_NEEDED}` : ''}`,
          security: needsPerson(need) ? PERSONS_ONLY : EVERY_CREDENTIAL,
        },
        beforeHandle({ actor }: { actor?: Actor }) {
          if (!actor) throw missingPermission(need)
          actor.demand((identity) => demandRight(identity, need))
        },
      }),
      person: (_isAsked: true) => ({
        detail: { [NEED]: PERSON_NEEDED, security: PERSONS_ONLY },
        beforeHandle({ actor }: { actor?: Actor }) {
          if (actor?.kind !== 'person') throw personNeeded()
        },
      }),
    })
}

/** Checks one right more than a route names. @throws ApiError `permission_denied`. */
export function demandRight(identity: Identity, need: Need): void {
  if (identity.kind !== 'person' && needsPerson(need)) throw personNeeded()
  if (!may(identity, need)) throw missingPermission(need)
}

/** @throws ApiError `permission_denied` unless the caller is a super-admin. */
function demandSuperAdmin({ kind, isSuperAdmin }: Identity): void {
  if (kind !== 'person' || !isSuperAdmin) throw superAdminOnly()
}

/** Gives every route `caller`, who may act for no store. `anyCaller` takes every credential, `person` only a signed-in person. */
function callerGuard(deps: AuthDeps, rule: 'if-ambiguous' | 'optional') {
  const { authenticate, begin } = createAuthentication(deps, rule, 'security')
  return new Elysia({ name: `http.guards.caller.${rule}` })
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      await authenticate({ request, set })
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => ({ caller: await begin({ request, set }) }))
    .macro({
      anyCaller: (_isAsked: true) => ({
        detail: { [NEED]: 'Takes every credential.', security: EVERY_CREDENTIAL },
        beforeHandle({ caller }: { caller?: Caller }) {
          if (!caller) throw signInFirst()
        },
      }),
      person: (_isAsked: true) => ({
        detail: { [NEED]: PERSON_NEEDED, security: PERSONS_ONLY },
        beforeHandle({ caller }: { caller?: Caller }) {
          if (caller?.kind !== 'person') throw personNeeded()
        },
      }),
    })
}

/** For routes without a body: they get no caller, because a code names nobody. */
function setupGuard(deps: AuthDeps & Pick<GuardDeps, 'admitSetupCode'>) {
  const { authenticate } = createAuthentication(deps, 'optional', 'security')
  async function admit(incoming: Incoming): Promise<void> {
    const code = incoming.request.headers.get('x-setup-code')
    incoming.set.headers['cache-control'] = 'no-store'
    if (code !== null) return deps.admitSetupCode(code, deps.readClientInfo(incoming).address)
    if ((await authenticate(incoming)).kind !== 'person') throw personNeeded()
  }
  return new Elysia({ name: 'http.guards.person-or-setup' })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      await admit({ request, set })
      return {}
    })
    .macro({
      personOrSetup: (_isAsked: true) => ({
        detail: { [NEED]: 'Needs a signed-in person, or a set-up code.', security: PERSONS_ONLY },
      }),
    })
}

/** Gives every route `caller`, a super-admin; anybody else is refused before the body is read. */
function superAdminGuard(deps: AuthDeps) {
  const { authenticate } = createAuthentication(deps, 'optional', 'security')
  async function admit(incoming: Incoming): Promise<Caller> {
    const caller = await authenticate(incoming)
    caller.demand(demandSuperAdmin)
    return caller
  }
  return new Elysia({ name: 'http.guards.super-admin' })
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      await admit({ request, set })
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => ({ caller: await admit({ request, set }) }))
    .macro({
      superAdmin: (_isAsked: true) => ({
        detail: { [NEED]: SUPER_ADMIN_NEEDED, security: PERSONS_ONLY },
      }),
    })
}

/**
 * Gives every route `operator`: a super-admin who has signed in, or null for a command, which shows the key that the service
 * has written into its data folder. The key lasts as long as the process, and opens no other route.
 */
function operatorGuard(deps: AuthDeps & Pick<GuardDeps, 'operatorKey'>, name: string, token?: string) {
  const { authenticate } = createAuthentication(deps, 'optional', 'security')
  const keyHash = deps.operatorKey ? hashSecret(deps.operatorKey) : undefined
  const tokenHash = token ? hashSecret(token) : undefined
  async function admit(incoming: Incoming): Promise<Operator> {
    incoming.set.headers['cache-control'] = 'no-store'
    const { kind, text } = readCredential(incoming.request)
    if (kind === 'token' && (isSecret(text, keyHash) || isSecret(text, tokenHash))) return null
    const caller = await authenticate(incoming)
    caller.demand(demandSuperAdmin)
    return caller
  }
  return new Elysia({ name: `http.guards.${name}` })
    .onParse({ as: 'scoped' }, async ({ request, set }) => {
      await admit({ request, set })
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => ({ operator: await admit({ request, set }) }))
    .macro({
      operator: (_isAsked: true) => ({
        detail: { [NEED]: SUPER_ADMIN_NEEDED, security: PERSONS_ONLY },
        beforeHandle({ operator }: { operator?: Operator }) {
          // Null is a command; a route whose guard has not run lets nobody in.
          if (operator === undefined) throw superAdminOnly()
        },
      }),
    })
}
