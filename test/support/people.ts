import type { Permission, Role } from '../../src/core/actor.ts'
import { type Answer, type TestApp, testApp } from './app.ts'
import { shownCode } from './authenticator.ts'
import { addMembership, insertRow, storeId } from './seed.ts'

export const PASSWORD = 'a long password'

export interface Person {
  id: string
  email: string
}

interface Place {
  store: string
  role: Role
  /** The permissions of each new group of that store that the person joins. */
  groups?: Permission[][]
}

/** Creates a program behind a proxy, so that a request names its address with {@link from}. */
export const proxiedApp = (
  ports: Parameters<typeof testApp>[0] = {},
  settings: Record<string, string> = {},
) => testApp(ports, { TRUSTED_PROXIES: '127.0.0.1/32', ...settings })

/** The header of a request from an address. */
export const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

let addresses = 0

/** Gives an unused address. It rotates through 512 networks, because each may send only so many sign-ins a minute. */
export function freshAddress(): string {
  const n = ++addresses
  return `198.${18 + (n & 1)}.${(n >> 1) & 255}.${n >> 9}`
}

/** Status and code of an answer, the promise of most refusals. */
export const refusal = ({ status, body }: Pick<Answer, 'status' | 'body'>): [number, unknown] => [
  status,
  body['error'],
]

/** Everything in an answer that a client could compare: all except its request id. */
export function fingerprint({ status, headers, body }: Answer): string {
  const shown = Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id'))
  return JSON.stringify({ status, headers: shown, body })
}

/** Creates a verified person with the password {@link PASSWORD}; `places` names stores by their slugs. */
export async function addPerson(
  app: TestApp,
  name: string,
  places: Place[] = [],
  { isSuperAdmin = false } = {},
): Promise<Person> {
  const person = { id: app.ids.uuid(), email: `${name}@people.test` }
  const now = app.clock.now()
  insertRow(app, 'users', {
    ...person,
    name,
    password_hash: await app.passwords.hash(PASSWORD),
    is_super_admin: Number(isSuperAdmin),
    verified_at: now,
    created_at: now,
  })
  for (const place of places) join(app, person.id, place)
  return person
}

/** Adds a person to an existing store. */
export function join(app: TestApp, userId: string, { store, role, groups = [] }: Place): void {
  const now = app.clock.now()
  addMembership(app, userId, store, role, now)
  for (const permissions of groups) {
    const id = app.ids.uuid()
    insertRow(app, 'user_groups', {
      id,
      store_id: storeId(app, store),
      name: `group ${id}`,
      permission_names: JSON.stringify(permissions),
      created_at: now,
    })
    insertRow(app, 'user_group_members', { group_id: id, user_id: userId })
  }
}

/** Sends a sign-in. */
export const sendSignIn = (
  app: TestApp,
  email: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> =>
  app.call('POST', '/oauth/login', { body: { email, password: PASSWORD, ...more }, headers })

/** Signs a person in and returns the access token. Behind a trusted proxy, each sign-in has its own address. */
export async function getToken(
  app: TestApp,
  { email }: Pick<Person, 'email'>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await sendSignIn(app, email, more, from(freshAddress()))
  if (answer.status !== 200) throw new Error(`the sign-in was answered with ${JSON.stringify(answer.body)}`)
  return String(answer.body['access_token'])
}

/** A program behind a proxy, and a person who signs in. */
export interface SignInWorld {
  app: TestApp
  anna: Person
  /** Sends a sign-in of anna, by default from an address that nobody has used. */
  signIn(more?: Record<string, unknown>, address?: string): Promise<Answer>
}

/** Creates the stores of `places`, and anna, who belongs to them and has not signed in yet. */
export async function signInWorld(
  places: Place[] = [],
  ports: Parameters<typeof testApp>[0] = {},
): Promise<SignInWorld> {
  const app = proxiedApp(ports)
  for (const { store } of places) await app.store(store)
  const anna = await addPerson(app, 'anna', places)
  const signIn = (more: Record<string, unknown> = {}, address = freshAddress()) =>
    sendSignIn(app, anna.email, more, from(address))
  return { app, anna, signIn }
}

/** The authenticator of a person, and the recovery codes. */
export interface Authenticator {
  recoveryCodes: string[]
  /** The code that it shows now, or some steps of 30 seconds away. */
  code(steps?: number): string
}

/** Enables two-factor authentication through its endpoints, which uses up the code of this time step. */
export async function enableTwoFactor(app: TestApp, token: string): Promise<Authenticator> {
  const { body: setup } = await app.call('POST', '/v1/security/2fa/setup', { token })
  const code = (steps = 0) => shownCode(String(setup['secret']), app.clock.now(), steps)
  const enabled = await app.call('POST', '/v1/security/2fa/enable', { token, body: { totp_code: code() } })
  if (enabled.status !== 200) throw new Error(`enabling was answered with ${JSON.stringify(enabled.body)}`)
  return { recoveryCodes: enabled.body['recovery_codes'] as string[], code }
}
