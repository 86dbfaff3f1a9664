import {
  deriveMemberRights,
  may,
  needsPerson,
  PERMISSIONS,
  type Permission,
  type Role,
  STORE_POWERS,
  type StorePower,
} from '../../src/core/actor.ts'
import { BASE_URL, type TestApp } from '../support/app.ts'
import { addPerson, from, getToken, type Person } from '../support/people.ts'
import {
  deleteUser,
  makeSuperAdmin,
  removeMembership,
  setGroupPermissions,
  setRole,
  updateRows,
} from '../support/seed.ts'
import type { Sent, World } from './callers.ts'

/** A caller whose right is about to be lost. */
interface Holder {
  headers: Record<string, string>
  person?: Person
  token?: string
  /** Of the API key or the widget key. */
  keyId?: string
}

/** A way to lose a right. */
interface Way {
  /** Whether a request for this need, at this path, can lose its right so. */
  concerns(needs: string, path: string): boolean
  holder(world: World, needs: string): Promise<Holder>
  lose(world: World, holder: Holder): unknown
  /** Status and code of the refusal. */
  refusal: string
  /** Undoes what would concern the next request. */
  restore?(world: World): unknown
}

const [HERE, THERE] = ['203.0.113.7', '203.0.113.99'] as const
const IP_LIST = '/v1/security/ip-whitelist'

const isPermission = (needs: string): needs is Permission => PERMISSIONS.some((name) => name === needs)
const isPower = (needs: string): needs is StorePower => STORE_POWERS.some((name) => name === needs)
const isOfStore = (needs: string) => isPermission(needs) || isPower(needs) || needs === 'a member'
const isOfPeople = (needs: string) => isOfStore(needs) || needs === 'a person'
/** Nobody answers for a machine or a key. */
const isOfMachines = (needs: string) =>
  isPermission(needs) || (isPower(needs) && !needsPerson(needs as StorePower))

/** Whether an owner who becomes a viewer loses a right. */
const isLostByViewers = (needs: string) =>
  (isPermission(needs) || isPower(needs)) && !may(deriveMemberRights('viewer', []), needs)

async function person(world: World, role: Role, groups: Permission[][] = []): Promise<Holder> {
  const place = { store: 'mine', role, groups }
  const added = await addPerson(world.app, world.fresh(), [place])
  const token = await getToken(world.app, added)
  return { headers: { authorization: `Bearer ${token}`, ...from(HERE) }, person: added, token }
}

const owner = (world: World) => person(world, 'owner')

async function superAdmin(world: World): Promise<Holder> {
  const added = await addPerson(world.app, world.fresh(), [], { isSuperAdmin: true })
  const token = await getToken(world.app, added)
  const headers = { authorization: `Bearer ${token}`, 'x-service-active-tenant': 'mine', ...from(HERE) }
  return { headers, person: added, token }
}

async function machine(world: World): Promise<Holder> {
  const client_id = world.app.stores.requireBySlug('mine').id
  const grant = { grant_type: 'client_credentials', client_id, client_secret: world.clientSecret() }
  const { body } = await world.app.call('POST', '/oauth/token', { body: new URLSearchParams(grant) })
  const token = String(body['access_token'])
  return { headers: { authorization: `Bearer ${token}`, ...from(HERE) }, token }
}

const SCOPES = {
  products: ['read', 'write', 'delete', 'bulk'],
  search: ['execute', 'read', 'write'],
}

async function apiKey(world: World): Promise<Holder> {
  const maker = await owner(world)
  const { body } = await world.app.call('POST', '/v1/security/api-keys', {
    headers: maker.headers,
    body: { name: world.fresh(), scopes: SCOPES },
  })
  const headers = { 'x-api-key': String(body['key']), ...from(HERE) }
  return { ...maker, headers, keyId: String(body['id']) }
}

async function widgetKey(world: World): Promise<Holder> {
  const made = await world.asMachine('POST', '/v1/security/public-keys', {
    name: world.fresh(),
    origins: ['https://shop.test'],
  })
  const headers = { 'x-service-key': String(made['key']), origin: 'https://shop.test' }
  return { headers, keyId: String(made['id']) }
}

const revoke = ({ app }: World, { token = '' }: Holder) =>
  app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token }) })

async function endOtherSessions({ app }: World, { person: who }: Holder): Promise<unknown> {
  return app.call('DELETE', '/v1/me/sessions', { token: await getToken(app, who as Person) })
}

/** Lets nobody but another address in. */
async function allowOnlyThere(world: World): Promise<void> {
  const { token = '' } = await owner(world)
  const body = { ip_address: THERE }
  const { status } = await world.app.call('POST', IP_LIST, { token, headers: from(THERE), body })
  if (status !== 201) throw new Error(`The IP list was answered with ${status}`)
}

async function allowEverywhere(world: World): Promise<void> {
  const { token = '' } = await owner(world)
  const sent = { token, headers: from(THERE) }
  const { body } = await world.app.call('GET', IP_LIST, sent)
  for (const { id } of body['entries'] as { id: string }[])
    await world.app.call('DELETE', `${IP_LIST}/${id}`, sent)
}

const suspend = ({ app }: World) => void updateRows(app, 'stores', { suspended_at: 1 }, { slug: 'mine' })
const resume = ({ app }: World) => void updateRows(app, 'stores', { suspended_at: null }, { slug: 'mine' })
const idOf = (who: Person | undefined): string => who?.id ?? 'nobody'
const isSuspendable = (needs: string, path: string) => isOfStore(needs) && !path.startsWith('/v1/billing')

/** Every way of losing a right, and who can lose it so. */
export const WAYS: Readonly<Record<string, Way>> = {
  'removed from the store': {
    concerns: isOfStore,
    holder: owner,
    lose: ({ app }, { person: who }) => void removeMembership(app, idOf(who)),
    refusal: '403 not_a_member',
  },
  'role lowered': {
    concerns: isLostByViewers,
    holder: owner,
    lose: ({ app }, { person: who }) => setRole(app, idOf(who), 'viewer'),
    refusal: '403 permission_denied',
  },
  'group emptied': {
    concerns: isPermission,
    holder: (world, needs) => person(world, 'developer', [[needs as Permission]]),
    lose: ({ app }, { person: who }) => setGroupPermissions(app, idOf(who), []),
    refusal: '403 permission_denied',
  },
  'signed out elsewhere': {
    concerns: isOfPeople,
    holder: owner,
    lose: endOtherSessions,
    refusal: '401 unauthorized',
  },
  'token revoked': {
    concerns: isOfPeople,
    holder: owner,
    lose: revoke,
    refusal: '401 unauthorized',
  },
  'account deleted': {
    concerns: isOfPeople,
    holder: owner,
    lose: ({ app }, { person: who }) => deleteUser(app, idOf(who)),
    refusal: '401 unauthorized',
  },
  'address no longer listed': {
    concerns: isOfStore,
    holder: owner,
    lose: allowOnlyThere,
    refusal: '403 ip_not_allowed',
    restore: allowEverywhere,
  },
  'store suspended': {
    concerns: isSuspendable,
    holder: owner,
    lose: suspend,
    refusal: '403 store_suspended',
    restore: resume,
  },
  'super-admin no more': {
    concerns: (needs) => isPermission(needs) || isPower(needs),
    holder: superAdmin,
    lose: ({ app }, { person: who }) => makeSuperAdmin(app, idOf(who), false),
    refusal: '403 not_a_member',
  },
  'super-admin over stores no more': {
    concerns: (needs) => needs === 'a super-admin',
    holder: async (world) => {
      const holder = await superAdmin(world)
      return { ...holder, headers: { authorization: `Bearer ${holder.token}`, ...from(HERE) } }
    },
    lose: ({ app }, { person: who }) => makeSuperAdmin(app, idOf(who), false),
    refusal: '403 permission_denied',
  },
  'super-admin signed out': {
    concerns: (needs) => needs === 'a super-admin',
    holder: superAdmin,
    lose: endOtherSessions,
    refusal: '401 unauthorized',
  },
  'API key revoked': {
    concerns: isPermission,
    holder: apiKey,
    lose: ({ asMachine }, { keyId }) => asMachine('DELETE', `/v1/security/api-keys/${keyId}`),
    refusal: '401 unauthorized',
  },
  'maker of the API key removed': {
    concerns: isPermission,
    holder: apiKey,
    lose: ({ app }, { person: who }) => void removeMembership(app, idOf(who)),
    refusal: '403 permission_denied',
  },
  'client secret replaced': {
    concerns: isOfMachines,
    holder: machine,
    lose: ({ asOwner }) => asOwner('POST', '/v1/security/client-secret/rotate', {}),
    refusal: '401 unauthorized',
  },
  'token of the machine revoked': {
    concerns: isOfMachines,
    holder: machine,
    lose: revoke,
    refusal: '401 unauthorized',
  },
  'store of the machine suspended': {
    concerns: (needs, path) => isOfMachines(needs) && isSuspendable(needs, path),
    holder: machine,
    lose: suspend,
    refusal: '403 store_suspended',
    restore: resume,
  },
  'widget key deleted': {
    concerns: (needs) => needs === 'a widget key',
    holder: widgetKey,
    lose: ({ asMachine }, { keyId }) => asMachine('DELETE', `/v1/security/public-keys/${keyId}`),
    refusal: '401 unauthorized',
  },
  'origin of the widget key taken': {
    concerns: (needs) => needs === 'a widget key',
    holder: widgetKey,
    lose: ({ asMachine }, { keyId }) =>
      asMachine('PATCH', `/v1/security/public-keys/${keyId}`, { origins: ['https://other.test'] }),
    refusal: '403 origin_not_allowed',
  },
  'store of the widget suspended': {
    concerns: (needs) => needs === 'a widget key',
    holder: widgetKey,
    lose: suspend,
    refusal: '403 store_suspended',
    restore: resume,
  },
}

/** Status, and the code of a refusal. */
export interface LateAnswer {
  status: number
  refusal: string
  /** Whether the body was read at all. */
  isHeld: boolean
}

/** Sends a request whose last byte waits until something has happened. */
export async function sendLate(
  app: TestApp,
  [method, path]: readonly [method: string, path: string],
  { body, headers }: { body: Sent['body']; headers: Record<string, string> },
  meanwhile: () => unknown,
): Promise<LateAnswer> {
  const isJson = !(body instanceof FormData) && !(body instanceof URLSearchParams)
  const whole = isJson ? new Response(JSON.stringify(body)) : new Response(body as FormData)
  const type = isJson ? 'application/json' : String(whole.headers.get('content-type'))
  const bytes = await whole.bytes()
  let isHeld = false
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isHeld) {
          isHeld = true
          controller.enqueue(bytes.slice(0, -1))
          return
        }
        await meanwhile()
        controller.enqueue(bytes.slice(-1))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const answer = await app.http.handle(
    new Request(BASE_URL + path, {
      method,
      headers: { 'content-type': type, 'content-length': String(bytes.length), ...headers },
      body: stream,
      duplex: 'half',
    } as RequestInit),
  )
  const { error } = (await answer.json().catch(() => ({}))) as { error?: string }
  return { status: answer.status, refusal: `${answer.status} ${error}`, isHeld }
}
