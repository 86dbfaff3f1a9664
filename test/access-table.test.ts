import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Permission, Role, StorePower } from '../src/core/actor.ts'
import { isBodyParser } from '../src/http/body.ts'
import {
  CALLER_NAMES,
  CALLERS,
  type CallerName,
  clear,
  createWorld,
  LINKS,
  type Sent,
  type Shown,
  THINGS,
  type World,
} from './access/callers.ts'
import { sendLate, WAYS } from './access/late.ts'
import { recordBar } from './robustness/bars.ts'
import { form, pictureBytes } from './support/app.ts'
import { addPerson, freshAddress, from, PASSWORD } from './support/people.ts'
import { OWN_PAGE, openPortal } from './support/portal.ts'

/**
 * What a route asks of its caller:
 * `nothing`         everybody may, also with a credential that has ended
 * `a signature`     that of the payment provider, which no caller here has
 * `this machine`    to come from it without a proxy, which no caller here does
 * `another node`    to come over TLS and show a code or the token of a move, which no caller here does
 * `a token`         an access token, valid or expired less than five minutes ago; it is about no store
 * `any credential`  a token or an API key that is valid
 * `a person`        the token of a login
 * `a member`        the token of a login of somebody who belongs to the store, or of a super-admin
 * `a super-admin`   the token of a login of a super-admin, whatever store it names
 * `a widget key`    a widget key from a page that it lists, and nothing else
 * anything else     a permission (contract 4.8) or a power over the store
 */
type Need =
  | 'nothing'
  | 'a token'
  | 'any credential'
  | 'a person'
  | 'a member'
  | 'a signature'
  | 'this machine'
  | 'another node'
  | 'a super-admin'
  | 'a widget key'
  | Permission
  | StorePower

const RULE = { name: 'Any', then: [{ action: 'pin', product_id: 'any', position: 1 }] }

interface Route {
  needs: Need
  /** What whoever may is answered; 200 by default. */
  status?: number
  /** The thing of the store `mine` that the path names. For people of other stores it does not exist: 404. */
  thing?: keyof typeof THINGS
  /** Instead: what the owner of another store gets, who names none and so acts for his own. */
  elsewhere?: number
  /** Where some kinds of callers get something else than the class of the route says. */
  but?: Partial<Record<CallerName, string>>
  send?(world: World): Sent | Promise<Sent>
  /** What stands for the id in the path when it is no thing of the store. */
  id?(shown: Shown): string
}

/** Nobody makes, changes or renews a key that may do more than he may (contract 4.10); ending one is for everybody who has keys. */
const moreThanHeHas = (permission: Permission) => ({
  'developer in a group with none': `403 permission_denied: ${permission}`,
})

/** Sends the cookie of somebody who has just signed in to the portal. */
async function asBrowser({ app, fresh }: World): Promise<Sent> {
  const { cookie } = await openPortal(app, await addPerson(app, fresh()))
  return { headers: { ...OWN_PAGE, cookie } }
}

const picture = ({ app }: World) => app.picture('any', 1)

/** WHO MAY DO WHAT: every route, and what it needs. */
const ROUTES: Record<string, Route> = {
  'POST /oauth/token': {
    needs: 'nothing',
    send: async ({ app, fresh }) => ({ body: await grantOf(app, fresh()) }),
  },
  'POST /oauth/login': {
    needs: 'nothing',
    send: async ({ app, fresh }) => {
      const { email } = await addPerson(app, fresh())
      return { body: { email, password: PASSWORD } }
    },
  },
  'GET /.well-known/oauth-authorization-server': { needs: 'nothing' },
  'POST /oauth/refresh': { needs: 'a token' },
  'POST /oauth/revoke': { needs: 'nothing', send: () => ({ body: new URLSearchParams({ token: 'x' }) }) },
  'POST /portal/session': {
    needs: 'nothing',
    send: async ({ app, fresh }) => {
      const { email } = await addPerson(app, fresh())
      return { body: { email, password: PASSWORD }, headers: OWN_PAGE }
    },
  },
  'POST /portal/session/refresh': { needs: 'nothing', send: asBrowser },
  'DELETE /portal/session': { needs: 'nothing', send: asBrowser },
  'GET /setup/state': { needs: 'nothing' },
  // 409: let in, and told that there is an owner.
  'POST /setup': {
    needs: 'nothing',
    status: 409,
    send: ({ fresh }) => ({
      body: { code: 'any', email: `${fresh()}@people.test`, password: PASSWORD, store: 'another' },
      headers: OWN_PAGE,
    }),
  },
  'GET /v1/slugs/:slug': { needs: 'a person', id: () => 'free' },
  'POST /register': {
    needs: 'nothing',
    status: 202,
    send: ({ fresh }) => ({
      body: { client_name: fresh(), email: `${fresh()}@people.test`, password: 'seven green bottles' },
    }),
  },
  'GET /verify': {
    needs: 'nothing',
    send: async (world) => ({ query: `?token=${await LINKS.verification(world)}` }),
  },
  'POST /verify': {
    needs: 'nothing',
    send: async (world) => ({
      body: { token: await LINKS.verification(world), password: 'seven green bottles' },
    }),
  },
  'POST /verify/cancel': {
    needs: 'nothing',
    send: async (world) => ({ body: { token: await LINKS.verification(world) } }),
  },
  // What a link of a mail does has tests of its own.
  'POST /unsubscribe': { needs: 'nothing', status: 422, send: () => ({ body: {} }) },
  'POST /oauth/password/forgot': {
    needs: 'nothing',
    status: 202,
    send: ({ fresh }) => ({ body: { email: `${fresh()}@people.test` } }),
  },
  'GET /oauth/password/reset': {
    needs: 'nothing',
    send: async (world) => ({ query: `?token=${await LINKS['new password'](world)}` }),
  },
  'POST /oauth/password/reset': {
    needs: 'nothing',
    send: async (world) => ({
      body: { token: await LINKS['new password'](world), password: 'seven green bottles' },
    }),
  },

  'GET /v1/me': { needs: 'any credential' },
  'PATCH /v1/me': { needs: 'a person', send: () => ({ body: {} }) },
  'GET /v1/me/sessions': { needs: 'a person' },
  'DELETE /v1/me/sessions': { needs: 'a person' },
  'DELETE /v1/me/sessions/:session_id': { needs: 'a person', id: ({ sessionId }) => sessionId ?? 'none' },
  // 422: let in, and told that this is not the address of the account. What it does has tests of its own.
  'DELETE /v1/me': {
    needs: 'a person',
    status: 422,
    send: () => ({ body: { password: PASSWORD, email: 'nobody@people.test' } }),
  },
  // 404: let in, and told that there is no such membership.
  'DELETE /v1/me/memberships/:store': { needs: 'a person', status: 404, id: () => 'nowhere' },
  'GET /v1/me/export': { needs: 'a person' },
  'GET /v1/me/email': { needs: 'a person' },
  'POST /v1/me/email': {
    needs: 'a person',
    status: 202,
    send: ({ fresh }) => ({ body: { email: `${fresh()}@people.test`, password: PASSWORD } }),
  },
  'DELETE /v1/me/email': { needs: 'a person' },
  'POST /verify/email': {
    needs: 'nothing',
    send: async (world) => ({ body: { token: await LINKS['new address'](world), password: PASSWORD } }),
  },
  'POST /verify/email/approve': {
    needs: 'nothing',
    send: async (world) => ({ body: { token: await LINKS['present address'](world) } }),
  },
  'GET /v1/store/people-data': { needs: 'people:export' },
  'POST /v1/me/password': {
    needs: 'a person',
    send: () => ({ body: { current_password: PASSWORD, new_password: 'seven green bottles' } }),
  },

  'POST /v1/security/2fa/setup': { needs: 'a person' },
  // 409: let in, and told that no setup is under way.
  'POST /v1/security/2fa/enable': {
    needs: 'a person',
    status: 409,
    send: () => ({ body: { totp_code: '123456' } }),
  },
  'POST /v1/security/2fa/disable': { needs: 'a person' },
  'GET /v1/security/2fa/status': { needs: 'a person' },
  // 409: let in, and told that it is not enabled.
  'POST /v1/security/2fa/recovery-codes': { needs: 'a person', status: 409 },

  // 422: let in, and told that no store can have this slug.
  'POST /v1/stores': {
    needs: 'a person',
    status: 422,
    send: () => ({ body: { name: 'another', slug: 'admin' } }),
  },
  'POST /v1/admin/stores': {
    needs: 'a super-admin',
    status: 422,
    send: () => ({ body: { name: 'another', slug: 'admin', owner_email: 'anna@people.test' } }),
  },
  'GET /v1/admin/stores': { needs: 'a super-admin' },
  'GET /v1/admin/stores/:id': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/stores/:id/suspend': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { reason: 'any' } }),
  },
  'POST /v1/admin/stores/:id/open': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/stores/:id/resume': { needs: 'a super-admin', status: 404 },
  'PATCH /v1/admin/stores/:id': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { plan: 'free' } }),
  },
  'DELETE /v1/admin/stores/:id': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { confirm: 'mine' } }),
  },
  'GET /v1/admin/users': { needs: 'a super-admin' },
  'GET /v1/admin/users/:id': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/users/:id/verify': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/users/:id/reset': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/users/:id/unlock': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/users/:id/end-sessions': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/users/:id/reset-2fa': { needs: 'a super-admin', status: 404 },
  'GET /v1/admin/registrations': { needs: 'a super-admin' },
  'POST /v1/admin/registrations': {
    needs: 'a super-admin',
    status: 201,
    send: () => ({ body: { email: 'anna@people.test' } }),
  },
  'PATCH /v1/admin/users/:id': {
    needs: 'a super-admin',
    status: 422,
    send: () => ({ body: { is_super_admin: true, password: 'wrong' } }),
  },
  'DELETE /v1/admin/users/:id': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { confirm: 'anna@people.test' } }),
  },
  'GET /v1/admin/billing/requests': { needs: 'a super-admin' },
  'POST /v1/admin/billing/requests/:id/confirm': { needs: 'a super-admin', status: 404 },
  'GET /v1/admin/billing/invoices': { needs: 'a super-admin' },
  'POST /v1/admin/billing/invoices/:id/settle': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { status: 'paid' } }),
  },
  'GET /v1/admin/jobs': { needs: 'a super-admin' },
  'GET /v1/admin/deliveries': { needs: 'a super-admin' },
  'GET /v1/admin/models/checks': { needs: 'a super-admin' },
  'GET /v1/admin/outbox/:id': { needs: 'a super-admin', status: 404 },
  'GET /v1/admin/doctor': { needs: 'a super-admin' },
  'GET /v1/admin/map': { needs: 'a super-admin' },
  'GET /v1/admin/backups': { needs: 'a super-admin' },
  'POST /v1/admin/backups': { needs: 'a super-admin', status: 202 },
  'GET /v1/admin/backups/:id': { needs: 'a super-admin', status: 404 },
  'GET /v1/admin/models': { needs: 'a super-admin' },
  'POST /v1/admin/models/fetch': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { name: 'none' } }),
  },
  'POST /v1/admin/models/fetch/cancel': { needs: 'a super-admin', status: 409 },
  'POST /v1/admin/models/use': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { name: 'none' } }),
  },
  'POST /v1/admin/models/back': { needs: 'a super-admin', status: 409 },
  'POST /v1/admin/models/reindex': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { store: 'none' } }),
  },
  'POST /v1/admin/models/cancel': { needs: 'a super-admin', status: 409 },
  'POST /v1/admin/models/confirm': { needs: 'a super-admin', status: 409 },
  'DELETE /v1/admin/models/:name': { needs: 'a super-admin', status: 404 },
  'GET /v1/admin/stores/:id/move': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/stores/:id/move': {
    needs: 'a super-admin',
    status: 404,
    send: () => ({ body: { to: 'https://node-2.test', code: '0'.repeat(42) } }),
  },
  'POST /v1/admin/stores/:id/move/cancel': { needs: 'a super-admin', status: 404 },
  'POST /v1/admin/node/invites': { needs: 'a super-admin', status: 409 },
  'POST /v1/node/secrets': { needs: 'another node' },
  'POST /v1/node/moves': { needs: 'another node' },
  'GET /v1/node/moves/:id': { needs: 'another node' },
  'POST /v1/node/moves/:id/rows': { needs: 'another node' },
  'POST /v1/node/moves/:id/index': { needs: 'another node' },
  'POST /v1/node/moves/:id/digest': { needs: 'another node' },
  'POST /v1/node/moves/:id/search': { needs: 'another node' },
  'POST /v1/node/moves/:id/open': { needs: 'another node' },
  'DELETE /v1/node/moves/:id': { needs: 'another node' },
  'POST /v1/node/moves/:id/pictures/missing': { needs: 'another node' },
  'PUT /v1/node/moves/:id/pictures/:hash': { needs: 'another node' },
  'GET /v1/admin/plans': { needs: 'a super-admin' },
  'GET /v1/admin/overview': { needs: 'a super-admin' },
  'GET /v1/admin/outbox': { needs: 'a super-admin' },
  'POST /v1/admin/outbox/:id/resend': { needs: 'a super-admin', status: 404 },
  'GET /v1/admin/health': { needs: 'a super-admin' },
  'GET /v1/admin/settings': { needs: 'a super-admin' },
  'GET /v1/admin/audit': { needs: 'a super-admin' },

  'GET /v1/store': { needs: 'security:manage' },
  'PATCH /v1/store': { needs: 'security:manage', send: () => ({ body: {} }) },
  // 422: let in, and told that this is not the slug.
  'DELETE /v1/store': {
    needs: 'store:delete',
    status: 422,
    send: () => ({ body: { confirm: 'nowhere', password: PASSWORD } }),
  },
  'GET /v1/store/overview': { needs: 'products:read' },
  'GET /v1/store/fields': { needs: 'products:read' },
  'GET /v1/catalogue/report': { needs: 'products:read' },
  'POST /v1/catalogue/report': { needs: 'products:write', status: 202 },
  'GET /v1/store/settings': { needs: 'security:manage' },
  'PATCH /v1/store/settings': { needs: 'security:manage', send: () => ({ body: {} }) },

  'POST /v1/team/invite': {
    needs: 'team:invite',
    status: 201,
    send: ({ fresh }) => ({ body: { email: `${fresh()}@people.test`, role: 'viewer' } }),
  },
  'GET /v1/team/invites': { needs: 'team:invite' },
  'DELETE /v1/team/invites/:id': { needs: 'team:invite', thing: 'invitation' },
  'POST /v1/team/invites/look': {
    needs: 'nothing',
    send: async (world) => ({ body: { token: await LINKS.invitation(world) } }),
  },
  'POST /v1/team/invites/accept': {
    needs: 'nothing',
    send: async (world) => ({
      body: { token: await LINKS.invitation(world), full_name: 'Anna', password: 'seven green bottles' },
    }),
  },
  'GET /v1/team/members': { needs: 'a member' },
  'GET /v1/team/members/:id': { needs: 'a member', thing: 'member' },
  'PATCH /v1/team/members/:id': {
    needs: 'team:manage',
    thing: 'member',
    send: () => ({ body: { role: 'developer' } }),
  },
  'DELETE /v1/team/members/:id': { needs: 'team:manage', thing: 'member' },
  'GET /v1/users': { needs: 'a member' },
  'POST /v1/users': {
    needs: 'team:invite',
    status: 201,
    send: ({ fresh }) => ({
      body: { email: `${fresh()}@people.test`, full_name: 'Anna', password: 'seven green bottles' },
    }),
  },
  'GET /v1/user-groups': { needs: 'team:manage' },
  'GET /v1/user-groups/permissions': { needs: 'team:manage' },
  'POST /v1/user-groups': {
    needs: 'team:manage',
    status: 201,
    send: ({ fresh }) => ({ body: { name: fresh(), permission_names: ['products:read'] } }),
  },
  'GET /v1/user-groups/:id': { needs: 'team:manage', thing: 'group' },
  'PATCH /v1/user-groups/:id': {
    needs: 'team:manage',
    thing: 'group',
    send: () => ({ body: { permission_names: [] } }),
  },
  'DELETE /v1/user-groups/:id': { needs: 'team:manage', thing: 'group' },
  'GET /v1/billing/plans': { needs: 'billing:read' },
  'GET /v1/billing/current-plan': { needs: 'billing:read' },
  'GET /v1/billing/usage': { needs: 'billing:read' },
  'GET /v1/billing/invoices': { needs: 'billing:read' },
  'POST /v1/billing/checkout': { needs: 'billing:manage', send: () => ({ body: { plan_name: 'basic' } }) },
  'GET /v1/billing/checkout/:session_id': { needs: 'billing:manage', thing: 'checkout' },
  // 409: let in, and told that no provider takes the payments.
  'POST /v1/billing/portal': { needs: 'billing:manage', status: 409 },
  'POST /v1/billing/stripe/webhook': { needs: 'a signature', send: () => ({ body: { id: 'evt_1' } }) },
  // Whoever knows the link and the password of a super-admin.
  'POST /billing/checkout/:token': {
    needs: 'nothing',
    thing: 'checkout link',
    elsewhere: 200,
    send: async ({ app, fresh }) => {
      const { email } = await addPerson(app, fresh(), [], { isSuperAdmin: true })
      return { body: { email, password: PASSWORD } }
    },
  },

  'GET /v1/security/overview': { needs: 'security:read' },
  'GET /v1/security/audit': { needs: 'security:manage' },
  // A machine grant must show the present secret; to a person it is no matter.
  'GET /v1/security/client-secret': { needs: 'security:read' },
  'GET /v1/security/requests': {
    needs: 'security:read',
    send: ({ app }) => ({ query: `?key_id=${app.stores.requireBySlug('mine').id}` }),
    elsewhere: 404,
  },
  'POST /v1/security/client-secret/rotate': {
    needs: 'security:manage',
    send: (world) => ({ body: { client_secret: world.clientSecret() } }),
  },
  'GET /v1/security/ip-whitelist': { needs: 'security:read' },
  'POST /v1/security/ip-whitelist': {
    needs: 'security:manage',
    status: 201,
    // The first entry of a machine grant must be forced.
    but: { 'machine grant': '409' },
    send: () => ({ body: { ip_address: '0.0.0.0/0' } }),
  },
  'DELETE /v1/security/ip-whitelist/:id': { needs: 'security:manage', thing: 'IP entry' },

  'GET /v1/security/api-keys': { needs: 'keys:manage' },
  'POST /v1/security/api-keys': {
    needs: 'keys:manage',
    status: 201,
    but: moreThanHeHas('products:read'),
    send: () => ({ body: { name: 'sync', scopes: { products: ['read'] } } }),
  },
  'GET /v1/security/api-keys/:id': { needs: 'keys:manage', thing: 'API key' },
  'PATCH /v1/security/api-keys/:id': {
    needs: 'keys:manage',
    thing: 'API key',
    but: moreThanHeHas('products:read'),
    send: () => ({ body: { name: 'renamed' } }),
  },
  'DELETE /v1/security/api-keys/:id': { needs: 'keys:manage', thing: 'API key' },
  'POST /v1/security/api-keys/:id/rotate': {
    needs: 'keys:manage',
    thing: 'API key',
    but: moreThanHeHas('products:read'),
  },

  'GET /v1/security/public-keys': { needs: 'keys:manage' },
  'POST /v1/security/public-keys': {
    needs: 'keys:manage',
    status: 201,
    but: moreThanHeHas('search:execute'),
    send: () => ({ body: { name: 'widget', origins: ['https://shop.test'] } }),
  },
  'GET /v1/security/public-keys/:id': { needs: 'keys:manage', thing: 'widget key' },
  'PATCH /v1/security/public-keys/:id': {
    needs: 'keys:manage',
    thing: 'widget key',
    but: moreThanHeHas('search:execute'),
    send: () => ({ body: { name: 'renamed' } }),
  },
  'DELETE /v1/security/public-keys/:id': { needs: 'keys:manage', thing: 'widget key' },
  'POST /v1/security/public-keys/:id/preview': {
    needs: 'keys:manage',
    thing: 'widget key',
    but: { 'machine grant': '403 permission_denied: person', ...moreThanHeHas('search:execute') },
  },
  // The address leads nowhere, which only those hear who may ask.
  'POST /v1/security/public-keys/:id/check': {
    needs: 'keys:manage',
    thing: 'widget key',
    status: 422,
    send: () => ({ body: { url: 'http://10.0.0.1/' } }),
  },
  'POST /v1/store/check-addresses': {
    needs: 'security:manage',
    send: () => ({ body: { product_url_template: 'http://10.0.0.1/{product_id}' } }),
  },

  'GET /v1/products': { needs: 'products:read' },
  'POST /v1/products': {
    needs: 'products:write',
    status: 201,
    send: (world) => ({ body: { product_id: world.fresh(), image_url: picture(world) } }),
  },
  'GET /v1/products/:product_id': { needs: 'products:read', thing: 'product' },
  // Under an id that is not there yet a product is made: in another store, beside the one of that name here.
  'PUT /v1/products/:product_id': {
    needs: 'products:write',
    thing: 'product',
    elsewhere: 201,
    send: (world) => ({ body: { image_url: picture(world) } }),
  },
  'PATCH /v1/products/:product_id': {
    needs: 'products:write',
    thing: 'product',
    send: () => ({ body: { metadata: { name: 'changed' } } }),
  },
  'DELETE /v1/products/:product_id': { needs: 'products:delete', thing: 'product' },
  'DELETE /v1/products': {
    needs: 'products:delete',
    send: () => ({ body: { filters: [{ field: 'product_id', operator: 'eq', value: 'nobody' }] } }),
  },
  'POST /v1/products/bulk': {
    needs: 'products:bulk',
    status: 202,
    send: (world) => ({ body: { products: [{ product_id: world.fresh(), image_url: picture(world) }] } }),
  },
  'POST /v1/products/import': {
    needs: 'products:bulk',
    status: 202,
    send: (world) => ({
      body: form({ file: new TextEncoder().encode(`id,image\nany,${picture(world)}\n`) }),
    }),
  },
  'GET /v1/products/export': { needs: 'products:read' },
  'POST /v1/feeds': {
    needs: 'products:bulk',
    status: 201,
    send: () => ({ body: { url: 'https://shop.test/products.csv' } }),
  },
  'GET /v1/feeds': { needs: 'products:read' },
  'GET /v1/feeds/:id': { needs: 'products:read', thing: 'feed' },
  'GET /v1/feeds/:id/runs': { needs: 'products:read', thing: 'feed' },
  'PATCH /v1/feeds/:id': {
    needs: 'products:bulk',
    thing: 'feed',
    send: () => ({ body: { interval_minutes: 90 } }),
  },
  'DELETE /v1/feeds/:id': { needs: 'products:bulk', thing: 'feed' },
  'POST /v1/feeds/:id/run': { needs: 'products:bulk', thing: 'feed', status: 202 },
  'GET /v1/jobs': { needs: 'products:read' },
  'GET /v1/jobs/failures': { needs: 'products:read' },
  'GET /v1/jobs/:job_id': { needs: 'products:read', thing: 'job' },
  'GET /v1/jobs/:job_id/errors': { needs: 'products:read', thing: 'job' },
  // The job is over.
  'POST /v1/jobs/:job_id/cancel': { needs: 'products:bulk', thing: 'job', status: 409 },
  'POST /v1/jobs/:job_id/retry': { needs: 'products:bulk', thing: 'job' },
  'GET /v1/jobs/:job_id/events': { needs: 'products:read', thing: 'job' },
  'POST /v1/products/demo': { needs: 'products:write' },
  'DELETE /v1/products/demo': { needs: 'products:delete' },

  'POST /v1/search': { needs: 'search:execute', send: () => ({ body: form({ image: pictureBytes(1) }) }) },
  'POST /v1/search/url': {
    needs: 'search:execute',
    send: (world) => ({ body: { image_url: picture(world) } }),
  },
  'POST /v1/search/text': { needs: 'search:execute', send: () => ({ body: { query: 'boots' } }) },
  'POST /v1/search/hybrid': { needs: 'search:execute', send: () => ({ body: { query: 'boots' } }) },
  'POST /v1/search/fusion': {
    needs: 'search:execute',
    send: (world) => ({ body: { image_url: picture(world), query: 'boots' } }),
  },
  'POST /v1/search/multi-image': {
    needs: 'search:execute',
    send: (world) => ({ body: { image_urls: [picture(world), picture(world)] } }),
  },
  'POST /v1/search/crop': {
    needs: 'search:execute',
    send: (world) => ({ body: { image_url: picture(world), box: [0, 0, 1, 1] } }),
  },
  'POST /v1/search/filtered': { needs: 'search:execute', send: () => ({ body: {} }) },
  'POST /v1/search/batch': {
    needs: 'search:execute',
    send: () => ({ body: { queries: [{ type: 'text', query: 'boots' }] } }),
  },
  'GET /v1/products/:product_id/similar': { needs: 'search:execute', thing: 'product' },
  'GET /v1/products/:product_id/together': { needs: 'search:execute', thing: 'product' },
  'GET /v1/search/trending': { needs: 'search:execute' },

  'POST /v1/search/feedback': {
    needs: 'search:write',
    status: 201,
    send: () => ({ body: { result_product_id: 'any', action: 'click' } }),
  },
  'GET /v1/search/feedback/popular': { needs: 'search:read' },
  'GET /v1/search/analytics': { needs: 'search:read' },
  'GET /v1/search/analytics/unmet': { needs: 'search:read' },
  'GET /v1/search/suggestions': { needs: 'search:read' },
  'GET /v1/search/history': { needs: 'search:read' },
  'GET /v1/search/history/:search_id': { needs: 'search:read', thing: 'search' },
  'GET /v1/search/checks': { needs: 'search:read' },
  'POST /v1/search/checks': {
    needs: 'search:write',
    status: 422,
    send: () => ({ body: { name: 'any', query: 'boots', expect: ['no product'], within: 3 } }),
  },
  // Before any check is made.
  'POST /v1/search/checks/run': { needs: 'search:write', status: 409 },
  'POST /v1/search/replay': {
    needs: 'search:read',
    status: 202,
    send: async (world) => {
      const { replays } = await world.asMachine('GET', '/v1/search/replay')
      for (const { job_id, status } of replays as { job_id: string; status: string }[])
        if (status === 'processing') await world.asMachine('POST', `/v1/jobs/${job_id}/cancel`)
      return { body: { settings: {} } }
    },
  },
  'GET /v1/search/learning': { needs: 'search:read' },
  'GET /v1/search/replay': { needs: 'search:read' },
  'GET /v1/search/replay/:job_id': { needs: 'search:read', thing: 'replay' },
  'DELETE /v1/search/checks/:id': { needs: 'search:write', thing: 'search check' },
  'GET /v1/store/words': { needs: 'search:read' },
  'PUT /v1/store/words': { needs: 'search:write', send: () => ({ body: {} }) },
  'POST /v1/store/words/synonyms': {
    needs: 'search:write',
    status: 201,
    send: () => ({ body: { words: ['sofa', 'couch'] } }),
  },

  'GET /v1/store/rules': { needs: 'search:read' },
  'POST /v1/store/rules': { needs: 'search:write', status: 201, send: () => ({ body: RULE }) },
  'GET /v1/store/rules/:id': { needs: 'search:read', thing: 'search rule' },
  'PUT /v1/store/rules/:id': {
    needs: 'search:write',
    thing: 'search rule',
    send: () => ({ body: RULE }),
  },
  'DELETE /v1/store/rules/:id': { needs: 'search:write', thing: 'search rule' },

  'DELETE /v1/search/sessions/:session_id': { needs: 'search:write', id: () => 'anybody' },

  'POST /v1/widget/search/text': { needs: 'a widget key', send: () => ({ body: { query: 'boots' } }) },
  'POST /v1/widget/search/suggestions': { needs: 'a widget key', send: () => ({ body: { query: 'bo' } }) },
  'POST /v1/widget/search/upload': {
    needs: 'a widget key',
    send: () => ({ body: form({ image: pictureBytes(1) }) }),
  },
  'POST /v1/widget/search/url': {
    needs: 'a widget key',
    send: (world) => ({ body: { image_url: picture(world) } }),
  },
  'GET /v1/widget/similar': {
    needs: 'a widget key',
    status: 404,
    send: () => ({ query: '?product_id=none' }),
  },
  'GET /v1/widget/together': {
    needs: 'a widget key',
    status: 404,
    send: () => ({ query: '?product_id=none' }),
  },
  'POST /v1/widget/search/feedback': {
    needs: 'a widget key',
    status: 201,
    send: () => ({ body: { result_product_id: 'any', action: 'click' } }),
  },

  'GET /v1/changes': { needs: 'products:read' },
  'POST /v1/search/webhooks': {
    needs: 'search:write',
    send: () => ({ body: { url: 'https://hooks.test/', events: ['product.indexed'] } }),
  },
  'GET /v1/search/webhooks': { needs: 'search:read' },
  'GET /v1/search/webhooks/inbox': { needs: 'search:read' },
  'GET /v1/search/webhooks/:id': { needs: 'search:read', thing: 'webhook' },
  'PATCH /v1/search/webhooks/:id': {
    needs: 'search:write',
    thing: 'webhook',
    send: () => ({ body: { description: 'changed' } }),
  },
  'DELETE /v1/search/webhooks/:id': { needs: 'search:write', thing: 'webhook' },
  'POST /v1/search/webhooks/:id/rotate-secret': { needs: 'search:write', thing: 'webhook' },
  'POST /v1/search/webhooks/:id/test': { needs: 'search:write', thing: 'webhook' },
  'POST /v1/search/webhooks/:id/recover': {
    needs: 'search:write',
    thing: 'webhook',
    send: () => ({ body: { since: '2030-01-01T00:00:00Z' } }),
  },
  'GET /v1/search/webhooks/:id/deliveries': { needs: 'search:read', thing: 'webhook' },
  'GET /v1/search/webhooks/deliveries/:delivery_id': { needs: 'search:read', thing: 'delivery' },
  'POST /v1/search/webhooks/deliveries/:delivery_id/resend': { needs: 'search:write', thing: 'delivery' },
  'POST /v1/store/callback-secret/rotate': { needs: 'security:manage' },

  // Whoever knows the address may see the picture, as on any web server; it cannot be guessed.
  // The signature in the address tells who was shown it.
  'GET /thumbnails/:name': { needs: 'nothing', thing: 'thumbnail', elsewhere: 200 },
  'GET /thumbnails/searches/:name': { needs: 'nothing', thing: 'unmatched picture', elsewhere: 200 },
  'GET /samples': { needs: 'nothing' },
  'GET /samples/:file': { needs: 'nothing', thing: 'sample', elsewhere: 200 },
  'GET /pictures/:address': { needs: 'nothing', thing: 'picture', elsewhere: 200 },
  'GET /health': { needs: 'nothing' },
  'GET /health/ready': { needs: 'nothing' },
  'GET /metrics': { needs: 'this machine', send: () => ({ headers: { host: 'localhost' } }) },
  'GET /version': { needs: 'nothing' },
}

/** WHO HAS WHAT (contract 4.8): the roles that have a permission when they are in no group, or a power. */
const ROLES_WITH: Record<Permission | StorePower, Role[]> = {
  'products:read': ['owner', 'admin', 'developer', 'viewer'],
  'products:write': ['owner', 'admin', 'developer'],
  'products:bulk': ['owner', 'admin', 'developer'],
  'products:delete': ['owner', 'admin'],
  'search:execute': ['owner', 'admin', 'developer', 'viewer'],
  'search:read': ['owner', 'admin', 'developer', 'viewer'],
  'search:write': ['owner', 'admin', 'developer'],
  'security:read': ['owner', 'admin', 'developer'],
  'security:manage': ['owner', 'admin'],
  'keys:manage': ['owner', 'admin', 'developer'],
  'team:invite': ['owner'],
  'team:manage': ['owner', 'admin'],
  'billing:read': ['owner', 'admin', 'developer', 'viewer'],
  'billing:manage': ['owner', 'admin'],
  'people:export': ['owner'],
  'store:delete': ['owner'],
}

const YES = 'may'
const STRANGER = '401 unauthorized'

/** What each kind of caller gets at a route that needs this. */
function outcomes(needs: Need): Record<CallerName, string> {
  const noPerson = '403 permission_denied: person'
  const no = needs === 'a person' || needs === 'a member' ? noPerson : `403 permission_denied: ${needs}`
  const yesIf = (condition: boolean) => (condition ? YES : no)
  const ended = {
    nobody: STRANGER,
    'widget key with its Origin': STRANGER,
    'widget key as a bearer': STRANGER,
    'owner whose token has expired': '401 token_expired',
    'owner whose token was revoked': STRANGER,
  }
  const everybody = (outcome: string) =>
    Object.fromEntries(CALLER_NAMES.map((name) => [name, outcome])) as Record<CallerName, string>
  const keys = (outcome: string) => ({
    'API key with every scope': outcome,
    'API key with every scope but this': outcome,
  })
  const foreign = { 'owner of another store, naming this one': '403 not_a_member' }

  if (needs === 'nothing') return everybody(YES)
  if (needs === 'a signature' || needs === 'this machine') return everybody(STRANGER)
  if (needs === 'another node') return everybody('403 tls_required')
  if (needs === 'a widget key') return { ...everybody(STRANGER), 'widget key with its Origin': YES }
  if (needs === 'a token') {
    return { ...everybody(YES), ...ended, ...keys(STRANGER), 'owner whose token has expired': YES }
  }
  if (needs === 'any credential') return { ...everybody(YES), ...ended, ...foreign }
  if (needs === 'a person' || needs === 'a member')
    return { ...everybody(YES), ...ended, ...foreign, 'machine grant': no, ...keys(no) }

  if (needs === 'a super-admin') {
    const alone = { 'super-admin, no member, naming the store': YES }
    return { ...everybody('403 permission_denied: super_admin'), ...ended, ...foreign, ...alone }
  }

  const roles = ROLES_WITH[needs]
  const isPower = /^(security|keys|team|billing|people|store):/.test(needs)
  // Somebody must answer for who belongs to a store, what it spends, and what it tells about people.
  const isForPeople = /^(team:|billing:manage|people:|store:)/.test(needs)
  const forPeople = isForPeople ? { 'machine grant': noPerson, ...keys(noPerson) } : {}
  return {
    ...everybody(YES),
    ...ended,
    ...foreign,
    owner: yesIf(roles.includes('owner')),
    admin: yesIf(roles.includes('admin')),
    developer: yesIf(roles.includes('developer')),
    viewer: yesIf(roles.includes('viewer')),
    // A group replaces what the role permits; powers come with the role alone, and no key has them.
    'viewer in a group with every permission': yesIf(!isPower || roles.includes('viewer')),
    'developer in a group with none': yesIf(isPower && roles.includes('developer')),
    'API key with every scope': yesIf(!isPower),
    'API key with every scope but this': no,
    ...forPeople,
  }
}

/** Instead of {@link YES} the status of whoever may. */
function expected({ needs, status = 200, thing, elsewhere, but }: Route): Record<string, string> {
  const away = elsewhere ?? (thing ? 404 : status)
  return Object.fromEntries(
    Object.entries({ ...outcomes(needs), ...but }).map(([caller, outcome]) => {
      if (outcome !== YES) return [caller, outcome]
      const isAway = caller === 'owner of another store, naming none'
      return [caller, String(isAway ? away : status)]
    }),
  )
}

let world: World
/** Answers that were compared with the table, and routes with one that differs. */
let cells = 0
let wrongRoutes = 0

beforeAll(async () => {
  world = await createWorld()
})
afterEach(() => clear(world))
afterAll(async () => {
  await world.app.close()
  const measured = `${Object.keys(ROUTES).length} routes, ${wrongRoutes} answer otherwise than the table says`
  if (cells > 0)
    recordBar({ bar: 23, part: 'cells', on: 'process', n: cells, measured, isMet: wrongRoutes === 0 })
})

async function grantOf(app: World['app'], name: string): Promise<URLSearchParams> {
  const { client_id, client_secret } = await app.store(name)
  return new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
}

async function answerTo(caller: CallerName, name: string, route: Route): Promise<string> {
  const { app } = world
  const shown: Shown = await CALLERS[caller](world, route.needs)
  const { body, query = '', headers = {} } = (await route.send?.(world)) ?? {}
  const id = route.thing ? await THINGS[route.thing](world) : (route.id?.(shown) ?? 'none')
  const [method = '', path = ''] = name.split(' ')
  const answer = await app.call(method, path.replace(/:\w+/, id) + query, {
    headers: { ...from(freshAddress()), ...shown.headers, ...headers },
    ...(body !== undefined && { body }),
  })
  clear(world)
  // What whoever may is answered can be a refusal too, such as a conflict; its code is not the point here.
  if (answer.status !== 401 && answer.status !== 403) return String(answer.status)
  const { error, details } = answer.body as { error?: string; details?: { required?: string } }
  return `${answer.status} ${error}${details?.required ? `: ${details.required}` : ''}`
}

describe('who may do what', () => {
  test('is said here of every route there is, and of none that is not', () => {
    const routes = world.app.http.routes as {
      method: string
      path: string
      hooks: { detail?: { hide?: boolean } }
    }[]
    const documented = routes.filter(({ hooks }) => !hooks.detail?.hide)
    expect(Object.keys(ROUTES).sort()).toEqual(
      documented.map(({ method, path }) => `${method} ${path}`).sort(),
    )
  })

  test.each(Object.entries(ROUTES))('%s', async (name, route) => {
    const answers: Record<string, string> = {}
    for (const caller of CALLER_NAMES) answers[caller] = await answerTo(caller, name, route)
    cells += CALLER_NAMES.length
    if (!Bun.deepEquals(answers, expected(route))) wrongRoutes++
    expect(answers).toEqual(expected(route))
  })
})

describe('a right that is lost while the last byte of the body is on its way', () => {
  /** Bodies of routes that need none, which the table above leaves out. */
  const OPTIONAL: Sent = { body: {} }
  let tried = 0
  const late: string[] = []

  interface Listed {
    method: string
    path: string
    hooks: { parse?: { fn: unknown }[]; detail?: { hide?: boolean; requestBody?: unknown } }
  }
  const takesBody = ({ hooks }: Listed): boolean =>
    hooks.detail?.requestBody !== undefined || hooks.parse?.some(({ fn }) => isBodyParser(fn)) === true

  afterAll(() => {
    const measured = `${late.length} of ${tried} requests took effect`
    if (tried > 0)
      recordBar({ bar: 40, part: 'late bodies', on: 'process', n: tried, measured, isMet: late.length === 0 })
  })

  test.each(Object.entries(ROUTES))('%s', async (name, { needs, send, thing, id }) => {
    const { app } = world
    const listed = (app.http.routes as Listed[]).find(({ method, path }) => `${method} ${path}` === name)
    if (!listed || !takesBody(listed)) return
    const [method = '', path = ''] = name.split(' ')
    const refused: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    for (const [way, { concerns, holder, lose, restore, refusal }] of Object.entries(WAYS)) {
      if (!concerns(needs, path)) continue
      const found = await holder(world, needs)
      const { body, query = '' } = (await send?.(world)) ?? OPTIONAL
      const named = thing ? await THINGS[thing](world) : (id?.({ headers: {} }) ?? 'none')
      const address = path.replace(/:\w+/, named) + query
      const answer = await sendLate(app, [method, address], { body, headers: found.headers }, () =>
        lose(world, found),
      )
      tried++
      if (answer.status < 400) late.push(`${name}, ${way}`)
      refused[way] = answer.isHeld ? answer.refusal : `${answer.refusal}, before its body`
      wanted[way] = refusal
      await restore?.(world)
      clear(world)
      // All requests of the table are about one store, whose budgets are those of a minute.
      app.clock.advance(60_000)
    }
    expect(refused).toEqual(wanted)
  })
})
