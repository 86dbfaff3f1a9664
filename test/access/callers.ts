import { decodeJwt } from 'jose'
import { PERMISSIONS, type Role } from '../../src/core/actor.ts'
import { hashSecret } from '../../src/core/secrets.ts'
import { form, pictureBytes, type TestApp } from '../support/app.ts'
import {
  addPerson,
  freshAddress,
  from,
  getToken,
  PASSWORD,
  type Person,
  proxiedApp,
} from '../support/people.ts'
import { deleteRows, readColumn, updateRows } from '../support/seed.ts'

/** A program with the store `mine` that every request of the table is about, and the store `theirs`. */
export interface World {
  app: TestApp
  /** A text that nobody has used yet. */
  fresh(): string
  /** The client secret of `mine`, anew: whoever rotates it makes another. */
  clientSecret(): string
  /** Sends a request as the machine of `mine` and gives the answer's body. */
  asMachine(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** The same as an owner of `mine`. */
  asOwner(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
}

const CLIENT_SECRET = 'a client secret that is only used in tests'

export async function createWorld(): Promise<World> {
  const app = proxiedApp()
  for (const name of ['mine', 'theirs']) await app.store(name, 'enterprise')
  let n = 0
  async function as(token: string, method: string, path: string, body: unknown) {
    const answer = await app.call(method, path, { token, ...(body !== undefined && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return {
    app,
    fresh: () => `fresh-${++n}`,
    clientSecret() {
      updateRows(app, 'stores', { client_secret_hash: hashSecret(CLIENT_SECRET) }, { slug: 'mine' })
      return CLIENT_SECRET
    },
    asMachine: async (method, path, body) => as(await machineToken(app), method, path, body),
    async asOwner(method, path, body) {
      const owner = await addPerson(app, `owner-${++n}`, [{ store: 'mine', role: 'owner' }])
      return as(await getToken(app, owner), method, path, body)
    },
  }
}

/** Takes away what the requests of one caller have left and stores may have only so many of. */
export function clear({ app }: World): void {
  for (const table of [
    ...['api_keys', 'public_keys', 'ip_entries', 'webhooks', 'deliveries', 'feeds'],
    ...['user_groups', 'team_invites', 'memberships', 'throttle_events'],
  ])
    deleteRows(app, table)
}

/** What a caller shows. */
export interface Shown {
  headers: Record<string, string>
  /** The sign-in of a person. */
  sessionId?: string
}

/** A token as the machine grant gives it, also after the client secret was changed. */
function machineToken(app: TestApp): Promise<string> {
  const { id } = app.stores.requireBySlug('mine')
  const [generation = 0] = readColumn<number>(app, 'stores', 'secret_generation', { id })
  return app.signToken({ sub: id, jti: app.ids.uuid(), user_type: 'client', generation }, 3600)
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function signedIn({ app }: World, person: Person, store?: string): Promise<Shown> {
  const token = await getToken(app, person)
  const headers = { ...bearer(token), ...(store && { 'x-service-active-tenant': store }) }
  return { headers, sessionId: String(decodeJwt(token)['sid']) }
}

const member = (role: Role, groups: (typeof PERMISSIONS)[number][][] = []) =>
  async function signIn(world: World): Promise<Shown> {
    return signedIn(world, await addPerson(world.app, world.fresh(), [{ store: 'mine', role, groups }]))
  }

async function apiKey(world: World, isGranted: (permission: string) => boolean): Promise<Shown> {
  const body = { name: world.fresh(), scopes: scopesOf(PERMISSIONS.filter(isGranted)) }
  const { key } = await world.asMachine('POST', '/v1/security/api-keys', body)
  return { headers: { 'x-api-key': String(key) } }
}

function scopesOf(permissions: readonly string[]): Record<string, string[]> {
  const scopes: Record<string, string[]> = {}
  for (const permission of permissions) {
    const [resource = '', action = ''] = permission.split(':')
    scopes[resource] = [...(scopes[resource] ?? []), action]
  }
  return scopes
}

async function widgetKey(world: World): Promise<string> {
  const body = { name: world.fresh(), origins: ['https://shop.test'] }
  return String((await world.asMachine('POST', '/v1/security/public-keys', body))['key'])
}

async function ofTheirs(world: World): Promise<Person> {
  return addPerson(world.app, world.fresh(), [{ store: 'theirs', role: 'owner' }])
}

/** Every kind of caller with a way to become one; `needs` is what the route asks for. */
export const CALLERS = {
  nobody: async () => ({ headers: {} }),
  'machine grant': async ({ app }) => ({ headers: bearer(await machineToken(app)) }),
  owner: member('owner'),
  admin: member('admin'),
  developer: member('developer'),
  viewer: member('viewer'),
  'viewer in a group with every permission': member('viewer', [[...PERMISSIONS]]),
  'developer in a group with none': member('developer', [[]]),
  'super-admin, no member, naming the store': async (world) =>
    signedIn(world, await addPerson(world.app, world.fresh(), [], { isSuperAdmin: true }), 'mine'),
  'API key with every scope': (world) => apiKey(world, () => true),
  'API key with every scope but this': (world, needs) => apiKey(world, (permission) => permission !== needs),
  'owner of another store, naming this one': async (world) => signedIn(world, await ofTheirs(world), 'mine'),
  'owner of another store, naming none': async (world) => signedIn(world, await ofTheirs(world)),
  'widget key with its Origin': async (world) => ({
    headers: { 'x-service-key': await widgetKey(world), origin: 'https://shop.test' },
  }),
  'widget key as a bearer': async (world) => ({ headers: bearer(await widgetKey(world)) }),
  'owner whose token has expired': async (world) => {
    const shown = await member('owner')(world)
    world.app.clock.advance(3_600_000)
    return shown
  },
  'owner whose token was revoked': async (world) => {
    const shown = await member('owner')(world)
    const token = String(shown.headers.authorization).slice('Bearer '.length)
    await world.app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token }) })
    return shown
  },
} satisfies Record<string, (world: World, needs: string) => Promise<Shown>>

export type CallerName = keyof typeof CALLERS

export const CALLER_NAMES = Object.keys(CALLERS) as CallerName[]

/** What is sent beside the credential. */
export interface Sent {
  body?: unknown
  query?: string
  headers?: Record<string, string>
}

async function makeWebhook(world: World): Promise<string> {
  const body = { url: 'https://hooks.test/', events: ['product.indexed'] }
  return String((await world.asMachine('POST', '/v1/search/webhooks', body))['id'])
}

async function startCheckout(world: World): Promise<{ session_id: string; checkout_url: string }> {
  const { headers } = await member('owner')(world)
  const answer = await world.app.call('POST', '/v1/billing/checkout', {
    headers,
    body: { plan_name: 'basic' },
  })
  // Whoever confirmed the request before this one has changed the plan.
  if (answer.status === 409) {
    world.app.setPlan('mine', 'enterprise')
    return startCheckout(world)
  }
  return answer.body as { session_id: string; checkout_url: string }
}

/** Things of the store `mine`, made anew for a request that names one. */
export const THINGS = {
  async product(world: World): Promise<string> {
    const product_id = world.fresh()
    await world.asMachine('POST', '/v1/products', { product_id, image_url: world.app.picture(product_id, 1) })
    return product_id
  },
  /** A job that is over, with an item that failed. */
  async job(world: World): Promise<string> {
    const image_url = `https://img.test/${world.fresh()}`
    const products = [{ product_id: world.fresh(), image_url }]
    const { job_id } = await world.asMachine('POST', '/v1/products/bulk', { products })
    const { id } = world.app.stores.requireBySlug('mine')
    await world.app.jobs.waitUntilOver(id, String(job_id))
    return String(job_id)
  },
  async search(world: World): Promise<string> {
    return String((await world.asMachine('POST', '/v1/search/text', { query: 'mug' }))['search_id'])
  },
  async 'search check'(world: World): Promise<string> {
    const expect = [await THINGS.product(world)]
    const body = { name: world.fresh(), query: 'boots', expect, within: 3 }
    return String((await world.asMachine('POST', '/v1/search/checks', body))['id'])
  },
  async 'search rule'(world: World): Promise<string> {
    const body = { name: world.fresh(), then: [{ action: 'pin', product_id: 'any', position: 1 }] }
    return String((await world.asMachine('POST', '/v1/store/rules', body))['id'])
  },
  async replay(world: World): Promise<string> {
    const { replays } = await world.asMachine('GET', '/v1/search/replay')
    const [known] = replays as { job_id: string }[]
    const { job_id } = known ?? (await world.asMachine('POST', '/v1/search/replay', { settings: {} }))
    return String(job_id)
  },
  async 'API key'(world: World): Promise<string> {
    const body = { name: world.fresh(), scopes: { products: ['read'] } }
    return String((await world.asMachine('POST', '/v1/security/api-keys', body))['id'])
  },
  async 'widget key'(world: World): Promise<string> {
    const body = { name: world.fresh(), origins: ['https://shop.test'] }
    return String((await world.asMachine('POST', '/v1/security/public-keys', body))['id'])
  },
  async 'IP entry'(world: World): Promise<string> {
    const body = { ip_address: '0.0.0.0/0' }
    return String((await world.asOwner('POST', '/v1/security/ip-whitelist', body))['id'])
  },
  async member({ app, fresh }: World): Promise<string> {
    return (await addPerson(app, fresh(), [{ store: 'mine', role: 'viewer' }])).id
  },
  async group(world: World): Promise<string> {
    const body = { name: world.fresh(), permission_names: [] }
    return String((await world.asOwner('POST', '/v1/user-groups', body))['id'])
  },
  async invitation(world: World): Promise<string> {
    const body = { email: `${world.fresh()}@people.test`, role: 'viewer' }
    return String((await world.asOwner('POST', '/v1/team/invite', body))['invite_id'])
  },
  webhook: makeWebhook,
  /** A feed whose first run is over: its host has no address. */
  async feed(world: World): Promise<string> {
    const { id } = await world.asMachine('POST', '/v1/feeds', { url: 'https://shop.test/products.csv' })
    await world.app.feeds.drain()
    return String(id)
  },
  async delivery(world: World): Promise<string> {
    const id = await makeWebhook(world)
    return String((await world.asMachine('POST', `/v1/search/webhooks/${id}/test`))['id'])
  },
  checkout: async (world) => (await startCheckout(world)).session_id,
  async 'checkout link'(world: World): Promise<string> {
    return (await startCheckout(world)).checkout_url.split('/').at(-1) ?? ''
  },
  /** The last part of a kept picture's address, which nobody can guess. */
  async picture(world: World): Promise<string> {
    const product_id = world.fresh()
    await world.asMachine('POST', '/v1/products', form({ product_id, image: pictureBytes(1) }))
    const { image_url } = await world.asMachine('GET', `/v1/products/${product_id}`)
    return String(String(image_url).split('/').at(-1))
  },
  /** The last part of a thumbnail's address, with its signature. */
  async thumbnail(world: World): Promise<string> {
    const product_id = world.fresh()
    await world.asMachine('POST', '/v1/products', form({ product_id, image: pictureBytes(1) }))
    const { thumbnail_url } = await world.asMachine('GET', `/v1/products/${product_id}`)
    return String(String(thumbnail_url).split('/').at(-1))
  },
  async 'unmatched picture'(world: World): Promise<string> {
    const { app } = world
    await world.asMachine('PATCH', '/v1/store/settings', { unmatched_thumbnails: true })
    const body = form({ image: pictureBytes(6) })
    const { search_id } = await world.asMachine('POST', '/v1/search', body)
    app.history.flush()
    return String(app.products.thumbnails.addresses.ofSearch(String(search_id)).split('/').at(-1))
  },
  async sample({ app }: World): Promise<string> {
    const { body } = await app.call('GET', '/samples', {})
    const [first] = body as unknown as { url: string }[]
    return String(first?.url.split('/').at(-1))
  },
} satisfies Record<string, (world: World) => Promise<string>>

/** Links as they come by mail. */
export const LINKS = {
  async verification({ app, fresh }: World): Promise<string> {
    const body = { client_name: fresh(), email: `${fresh()}@people.test`, password: 'seven green bottles' }
    await app.call('POST', '/register', { body, headers: from(freshAddress()) })
    return mailedToken(app, 'Confirm your e-mail address')
  },
  async invitation(world: World): Promise<string> {
    await THINGS.invitation(world)
    return mailedToken(world.app, 'You are invited to the store mine')
  },
  async 'new password'({ app, fresh }: World): Promise<string> {
    const { email } = await addPerson(app, fresh())
    await app.call('POST', '/oauth/password/forgot', { body: { email }, headers: from(freshAddress()) })
    await app.settle()
    return mailedToken(app, 'Choose a new password')
  },
  'new address': (world: World) => emailChange(world, 'Confirm your new e-mail address'),
  'present address': (world: World) => emailChange(world, 'Approve your new e-mail address'),
}

/** Asks for another address of a person. @returns the token of one of the two mails. */
async function emailChange({ app, fresh }: World, subject: string): Promise<string> {
  const token = await getToken(app, await addPerson(app, fresh()))
  await app.call('POST', '/v1/me/email', {
    token,
    body: { email: `${fresh()}@people.test`, password: PASSWORD },
  })
  return mailedToken(app, subject)
}

/** The token of the last mail about something. */
const mailedToken = ({ mails }: TestApp, subject: string): string =>
  /#token=([\w-]+)/.exec(mails.findLast((mail) => mail.subject === subject)?.text ?? '')?.[1] ??
  'no link was mailed'
