import { type AnyElysia, Elysia } from 'elysia'
import type { Actor, ClientInfo, Permission, Standing } from '../../src/core/actor.ts'
import { signInFirst } from '../../src/core/errors.ts'
import { createTokens } from '../../src/http/access-tokens.ts'
import { errorPlugin } from '../../src/http/errors.ts'
import { createGuards, type Guards } from '../../src/http/guards.ts'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { createIdempotencyKeys } from '../../src/platform/db/idempotency.ts'
import { createSecretBox } from '../../src/platform/secret-box.ts'
import { countingIds, manualClock } from './app.ts'
import { memoryDatabase } from './database.ts'

export const NOWHERE: ClientInfo = { address: '127.0.0.1', requestId: '', userAgent: null }

/** Of a caller whose rights nobody takes away. */
export const STANDING: Standing = { demand: () => {}, demandStill: () => {} }

/** A person without permissions. */
export const PERSON: Actor = {
  kind: 'person',
  userId: 'person',
  keyId: null,
  storeId: 'store',
  store: { id: 'store', slug: 'store', name: 'Store', plan: 'enterprise', suspendedAt: null },
  role: 'viewer',
  isSuperAdmin: false,
  permissions: new Set(),
  powers: new Set(),
  token: null,
  clientInfo: NOWHERE,
  ...STANDING,
}

/** Remembers requests in a database of its own. */
export function freshIdempotency() {
  const box = createSecretBox('a secret that is only used in tests', countingIds())
  const stores = createIdempotencyKeys(memoryDatabase(), box)
  return createIdempotency({ stores, people: stores }, manualClock('2030-01-01T00:00:00Z'))
}

/** No widget is let in. */
export const NO_WIDGETS = {
  admitSetupCode() {},
  admitWidget() {
    throw signInFirst()
  },
  widgetBudget: { spend: () => {} },
  spendOfPerson: () => undefined,
  findAddress: () => NOWHERE.address,
}

/** No store is suspended, and nobody is a super-admin. */
export const WORKING_STORES = {
  readSuspension: () => ({ reason: null, deleteAt: null }),
  recordForeignAct: () => {},
  seenMoment: () => 0,
  readMoment: () => 0,
}

/** Unlimited budgets of addresses. */
export const UNLIMITED = { signIn: () => {}, refresh: () => {}, mail: () => {} }

/**
 * Serves routes behind the real authentication, for a person with only the given permissions.
 *
 * @returns a function that sends a request and returns status and body.
 */
export async function asPerson(permissions: Permission[], routes: (guards: Guards) => AnyElysia) {
  const clock = manualClock('2030-01-01T00:00:00Z')
  const tokens = createTokens('a secret that is only used in tests', clock)
  const guards = createGuards({
    ...NO_WIDGETS,
    ...WORKING_STORES,
    budgets: UNLIMITED,
    idempotency: freshIdempotency(),
    tokens,
    clock,
    readClientInfo: () => NOWHERE,
    findCallerByToken: ({ sub }) => ({
      ...PERSON,
      storeId: sub,
      store: { ...PERSON.store, id: sub },
      permissions: new Set(permissions),
    }),
    findCallerByKey: () => {
      throw signInFirst()
    },
    spendRequest: () => undefined,
    spendEvents: () => undefined,
  })
  const http = new Elysia()
    .use(
      errorPlugin({
        log: { error: () => {} },
        listMethods: () => [],
        findNearest: () => undefined,
        findProblems: () => undefined,
        baseUrl: () => '',
      }),
    )
    .use(routes(guards))
  const token = await tokens.sign({ sub: 'store', jti: 'token', user_type: 'user' }, 3600)

  return async (method: string, path: string, body?: unknown) => {
    const isForm = body instanceof FormData
    const response = await http.handle(
      new Request(`http://lookalike.test${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      }),
    )
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}
