import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { CURES } from '../src/core/cures.ts'
import { ERRORS, type ErrorCode } from '../src/core/errors.ts'
import { type TestApp, testApp } from './support/app.ts'

/** Everything that this version serves, with the section of the contract (`src/guide/contract.md`) about it. */
const SERVED = `
  POST   /oauth/token                4.4
  POST   /oauth/login                5.1
  POST   /oauth/refresh              4.6
  POST   /oauth/revoke               4.6
  POST   /portal/session             5.17
  POST   /portal/session/refresh     5.17
  DELETE /portal/session             5.17
  GET    /setup                      5.18
  GET    /setup/state                5.18
  POST   /setup                      5.18
  GET    /v1/slugs/:slug             5.18
  POST   /oauth/password/reset       5.4
  GET    /oauth/password/reset       5.4
  POST   /oauth/password/forgot      5.4
  GET    /verify                     5.3
  POST   /verify                     5.3
  GET    /verify/cancel              5.3
  POST   /verify/cancel              5.3
  GET    /unsubscribe                5.19
  POST   /unsubscribe                5.19
  POST   /register                   5.3
  GET    /invite                     5.9
  POST   /v1/team/invite             5.9
  GET    /v1/team/invites            5.9
  DELETE /v1/team/invites/:id        5.9
  POST   /v1/team/invites/look       5.9
  POST   /v1/team/invites/accept     5.9
  GET    /v1/team/members            5.10
  GET    /v1/team/members/:id        5.10
  PATCH  /v1/team/members/:id        5.10
  DELETE /v1/team/members/:id        5.10
  POST   /v1/users                   5.10
  GET    /v1/users                   5.10
  ALL    /v1/users/*                 5.10
  POST   /v1/user-groups             5.11
  GET    /v1/user-groups             5.11
  GET    /v1/user-groups/permissions 5.11
  GET    /v1/user-groups/:id         5.11
  PATCH  /v1/user-groups/:id         5.11
  DELETE /v1/user-groups/:id         5.11
  GET    /v1/me                      5.5
  PATCH  /v1/me                      5.5
  GET    /v1/me/sessions             5.5
  DELETE /v1/me/sessions             5.5
  DELETE /v1/me/sessions/:session_id  5.5
  POST   /v1/me/password             5.5
  GET    /v1/me/email                5.9
  POST   /v1/me/email                5.9
  DELETE /v1/me/email                5.9
  GET    /verify/email               5.9
  POST   /verify/email               5.9
  GET    /verify/email/approve       5.9
  POST   /verify/email/approve       5.9
  DELETE /v1/me/memberships/:store   5.10
  DELETE /v1/me                      5.11
  GET    /v1/me/export               5.12
  GET    /v1/store/people-data       5.12
  DELETE /v1/search/sessions/:session_id  3.14
  GET    /v1/products                2.3
  POST   /v1/products                2.2
  GET    /v1/products/:product_id    2.3
  PUT    /v1/products/:product_id    2.2
  DELETE /v1/products                2.4
  PATCH  /v1/products/:product_id    2.4
  DELETE /v1/products/:product_id    2.4
  POST   /v1/products/bulk           2.10
  POST   /v1/products/import         2.12
  GET    /v1/products/export         2.13
  POST   /v1/feeds                   2.14
  GET    /v1/feeds                   2.14
  GET    /v1/feeds/:id               2.14
  GET    /v1/feeds/:id/runs          2.14
  PATCH  /v1/feeds/:id               2.14
  DELETE /v1/feeds/:id               2.14
  POST   /v1/feeds/:id/run           2.14
  GET    /v1/catalogue/report        2.15
  POST   /v1/catalogue/report        2.15
  GET    /v1/jobs                    2.11
  GET    /v1/jobs/failures           2.11
  GET    /v1/jobs/:job_id            2.11
  GET    /v1/jobs/:job_id/errors     2.11
  POST   /v1/jobs/:job_id/cancel     2.11
  POST   /v1/jobs/:job_id/retry      2.11
  GET    /v1/jobs/:job_id/events     2.11
  POST   /v1/products/demo           2.8
  DELETE /v1/products/demo           2.8
  POST   /v1/search                  3.1
  POST   /v1/search/url              3.1
  POST   /v1/search/text             3.1
  POST   /v1/search/hybrid           3.8
  POST   /v1/search/fusion           3.8
  POST   /v1/search/multi-image      3.8
  POST   /v1/search/crop             3.3
  POST   /v1/search/filtered         3.8
  POST   /v1/search/batch            3.9
  GET    /v1/products/:product_id/similar  3.1
  GET    /v1/products/:product_id/together  3.18
  GET    /v1/search/trending         3.18
  POST   /v1/search/feedback         3.11
  GET    /v1/search/feedback/popular 3.12
  GET    /v1/search/analytics        3.12
  GET    /v1/search/analytics/unmet  3.13
  GET    /v1/search/suggestions      3.12
  GET    /v1/search/history          3.15
  GET    /v1/search/history/:search_id  3.15
  POST   /v1/security/2fa/setup      5.2
  POST   /v1/security/2fa/enable     5.2
  POST   /v1/security/2fa/disable    5.2
  GET    /v1/security/2fa/status     5.2
  POST   /v1/security/2fa/recovery-codes       5.2
  GET    /v1/security/api-keys       4.10
  POST   /v1/security/api-keys       4.10
  GET    /v1/security/api-keys/:id   4.10
  PATCH  /v1/security/api-keys/:id   4.10
  DELETE /v1/security/api-keys/:id   4.10
  POST   /v1/security/api-keys/:id/rotate      4.10
  POST   /v1/widget/search/text      10.1
  POST   /v1/widget/search/suggestions  10.5
  POST   /v1/widget/search/upload    10.1
  POST   /v1/widget/search/url       10.1
  POST   /v1/widget/search/feedback  10.1
  GET    /v1/widget/similar          10.1
  GET    /v1/widget/together         10.1
  GET    /v1/changes                 9.1
  POST   /v1/search/webhooks         9.2
  GET    /v1/search/webhooks         9.2
  GET    /v1/search/webhooks/:id     9.2
  PATCH  /v1/search/webhooks/:id     9.2
  DELETE /v1/search/webhooks/:id     9.2
  POST   /v1/search/webhooks/:id/rotate-secret  9.4
  POST   /v1/search/webhooks/:id/test           9.5
  POST   /v1/search/webhooks/:id/recover        9.5
  GET    /v1/search/webhooks/:id/deliveries     9.5
  GET    /v1/search/webhooks/deliveries/:delivery_id         9.5
  POST   /v1/search/webhooks/deliveries/:delivery_id/resend  9.5
  GET    /v1/search/webhooks/inbox   9.6
  POST   /v1/store/callback-secret/rotate       9.7
  GET    /v1/security/public-keys    4.11
  POST   /v1/security/public-keys    4.11
  GET    /v1/security/public-keys/:id  4.11
  PATCH  /v1/security/public-keys/:id  4.11
  DELETE /v1/security/public-keys/:id  4.11
  POST   /v1/security/public-keys/:id/preview  4.11
  GET    /:slug/portal/widget/preview  4.11
  POST   /v1/security/public-keys/:id/check  4.11
  POST   /v1/store/check-addresses   4.13
  GET    /v1/security/client-secret  4.9
  GET    /v1/security/requests       4.9
  POST   /v1/security/client-secret/rotate     4.9
  GET    /v1/security/ip-whitelist   4.12
  POST   /v1/security/ip-whitelist   4.12
  DELETE /v1/security/ip-whitelist/:id  4.12
  GET    /v1/security/audit          5.7
  GET    /v1/security/overview       5.8
  GET    /v1/store                   4.14
  PATCH  /v1/store                   4.14
  DELETE /v1/store                   4.14
  GET    /v1/store/overview          4.16
  GET    /v1/store/fields            4.15
  GET    /v1/store/settings          4.13
  PATCH  /v1/store/settings          4.13
  GET    /v1/billing/plans           6.6
  GET    /v1/billing/current-plan    6.6
  GET    /v1/billing/usage           6.6
  POST   /v1/billing/checkout        6.7
  GET    /v1/billing/checkout/:session_id  6.7
  GET    /v1/billing/invoices        6.7
  POST   /v1/billing/portal          6.7
  POST   /v1/billing/stripe/webhook  6.8
  GET    /billing/plans              6.6
  GET    /billing/checkout/:token    6.7
  POST   /billing/checkout/:token    6.7
  GET    /billing/invoices/:token    6.7
  POST   /v1/stores                  5.16
  GET    /v1/search/checks           3.16
  POST   /v1/search/checks           3.16
  DELETE /v1/search/checks/:id       3.16
  POST   /v1/search/checks/run       3.16
  GET    /v1/admin/models/checks     3.16
  GET    /v1/store/rules             3.17
  POST   /v1/store/rules             3.17
  GET    /v1/store/rules/:id         3.17
  PUT    /v1/store/rules/:id         3.17
  DELETE /v1/store/rules/:id         3.17
  GET    /v1/store/words             3.19
  PUT    /v1/store/words             3.19
  POST   /v1/store/words/synonyms    3.19
  POST   /v1/search/replay           3.20
  GET    /v1/search/replay           3.20
  GET    /v1/search/replay/:job_id   3.20
  GET    /v1/search/learning         3.21
  POST   /v1/admin/stores            8.10
  GET    /v1/admin/stores            8.10
  GET    /v1/admin/stores/:id        8.10
  POST   /v1/admin/stores/:id/suspend           8.10
  POST   /v1/admin/stores/:id/resume            8.10
  PATCH  /v1/admin/stores/:id        8.10
  DELETE /v1/admin/stores/:id        8.10
  GET    /v1/admin/users             8.11
  GET    /v1/admin/users/:id         8.11
  POST   /v1/admin/users/:id/verify  8.11
  POST   /v1/admin/users/:id/reset   8.11
  POST   /v1/admin/users/:id/unlock  8.11
  POST   /v1/admin/users/:id/end-sessions       8.11
  POST   /v1/admin/users/:id/reset-2fa          8.11
  GET    /v1/admin/registrations     8.11
  POST   /v1/admin/registrations     8.11
  PATCH  /v1/admin/users/:id         8.11
  DELETE /v1/admin/users/:id         8.11
  GET    /v1/admin/billing/requests  8.13
  POST   /v1/admin/billing/requests/:id/confirm 8.13
  GET    /v1/admin/billing/invoices  8.13
  POST   /v1/admin/billing/invoices/:id/settle  8.13
  GET    /v1/admin/jobs              8.12
  GET    /v1/admin/deliveries        8.12
  GET    /v1/admin/outbox/:id        8.12
  GET    /v1/admin/doctor            8.12
  GET    /v1/admin/map               8.20
  GET    /v1/admin/backups           8.14
  POST   /v1/admin/backups           8.14
  GET    /v1/admin/backups/:id       8.14
  GET    /v1/admin/models            8.15
  POST   /v1/admin/models/fetch      8.15
  POST   /v1/admin/models/fetch/cancel          8.15
  POST   /v1/admin/models/use        8.15
  POST   /v1/admin/models/back       8.15
  POST   /v1/admin/models/reindex    8.15
  POST   /v1/admin/models/cancel     8.15
  POST   /v1/admin/models/confirm    8.15
  DELETE /v1/admin/models/:name      8.15
  GET    /v1/admin/stores/:id/move   8.18
  POST   /v1/admin/stores/:id/move   8.18
  POST   /v1/admin/stores/:id/move/cancel       8.18
  POST   /v1/admin/node/invites      8.19
  POST   /v1/node/secrets            8.19
  POST   /v1/node/moves              8.19
  GET    /v1/node/moves/:id          8.19
  POST   /v1/node/moves/:id/rows     8.19
  POST   /v1/node/moves/:id/index    8.19
  POST   /v1/node/moves/:id/digest   8.19
  POST   /v1/node/moves/:id/search   8.19
  POST   /v1/node/moves/:id/open     8.19
  DELETE /v1/node/moves/:id          8.19
  POST   /v1/node/moves/:id/pictures/missing    8.19
  PUT    /v1/node/moves/:id/pictures/:hash      8.19
  POST   /v1/admin/stores/:id/open   8.10
  GET    /v1/admin/plans             8.12
  GET    /v1/admin/overview          8.12
  GET    /v1/admin/outbox            8.12
  POST   /v1/admin/outbox/:id/resend 8.12
  GET    /v1/admin/health            8.12
  GET    /v1/admin/settings          8.12
  GET    /v1/admin/audit             8.12
  GET    /pictures/:address          2.6
  GET    /thumbnails/:name           2.6
  GET    /thumbnails/searches/:name  3.13
  GET    /samples                    2.8
  GET    /samples/:file              2.8
  GET    /health                     8.1
  GET    /health/ready               8.1
  GET    /metrics                    8.1
  GET    /version                    1.2
  GET    /.well-known/oauth-authorization-server  4.4
  GET    /openapi.json               8.2
  GET    /                           8.2
  GET    /favicon.ico                8.2
  GET    /docs                       8.2
  GET    /docs/:file                 8.2
  GET    /docs/guide                 8.2
  GET    /docs/guide/:name           8.2
  GET    /login                      8.2
  GET    /forgot                     8.2
  GET    /admin                      8.2
  GET    /admin/*                    8.2
  GET    /portal/account             8.2
  GET    /portal/select-store        8.2
  GET    /register                   8.2
  GET    /:slug/portal               8.2
  GET    /:slug/portal/*             8.2
  GET    /assets/:file               8.2
  GET    /licences                   8.2
  GET    /licences.txt               8.2
  GET    /widget.js                  8.9
  GET    /widget/:file               8.9
  GET    /widget.json                8.9
  GET    /errors                     7.3
  GET    /errors/:code               7.3
`

let app: TestApp

beforeAll(() => {
  app = testApp()
})
afterAll(() => app.close())

interface Declared {
  method: string
  path: string
  hooks: {
    detail?: { hide?: boolean; summary?: string; tags?: string[]; responses?: object }
    response?: Record<string, unknown>
    body?: unknown
    query?: unknown
    params?: unknown
  }
}

const routes = () => app.http.routes as unknown as Declared[]
const documented = () => routes().filter(({ hooks }) => !hooks.detail?.hide)
const nameOf = ({ method, path }: Declared) => `${method} ${path}`

describe('the routes', () => {
  test('are exactly these', () => {
    const served = SERVED.trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '))
    expect(routes().map(nameOf).sort()).toEqual(served.sort())
  })

  test('have a summary and a tag', () => {
    const bare = documented().filter(({ hooks: { detail } }) => !detail?.summary || detail.tags?.length !== 1)
    expect(bare.map(nameOf)).toEqual([])
  })

  test('have a schema for each status they may answer; only pictures, exports, events and metrics are no JSON', () => {
    const open = documented().filter(
      ({ hooks: { response } }) => !response || Object.keys(response).length === 0,
    )
    expect(open.map(nameOf)).toEqual([
      'GET /v1/me/export',
      'GET /v1/store/people-data',
      'GET /samples/:file',
      'GET /v1/products/export',
      'GET /pictures/:address',
      'GET /thumbnails/:name',
      'GET /v1/jobs/:job_id/events',
      'GET /thumbnails/searches/:name',
      'GET /metrics',
    ])
    for (const route of documented()) {
      for (const [status, schema] of Object.entries(route.hooks.response ?? {})) {
        expect([nameOf(route), status, typeof schema]).toEqual([nameOf(route), status, 'object'])
        expect(Number(status)).toBeWithin(200, 600)
      }
    }
  })

  test('say a success among their answers', () => {
    const silent = documented().filter(
      ({ hooks: { response, detail } }) =>
        !Object.keys(response ?? detail?.responses ?? {}).some((status) => status.startsWith('2')),
    )
    expect(silent.map(nameOf)).toEqual([])
  })

  test('with a body name 413, 415 and 422', () => {
    for (const route of documented().filter(({ hooks }) => hooks.body)) {
      expect(Object.keys(route.hooks.response ?? {})).toEqual(expect.arrayContaining(['413', '415', '422']))
    }
  })

  test('use only formats that are checked: an unknown one would refuse every value', () => {
    const formats = JSON.stringify(
      documented().map(({ hooks: { body, query, params } }) => [body, query, params]),
    ).matchAll(/"format":"([^"]+)"/g)
    const unknown = [...formats]
      .map(([, format = '']) => format)
      .filter((format) => format !== 'binary' && !FormatRegistry.Has(format))
    expect(unknown).toEqual([])
  })

  test('under /v1 are all closed to strangers, except those for whoever has the link of an invitation', async () => {
    const open = ['/v1/team/invites/look', '/v1/team/invites/accept']
    const closed = routes().filter(({ path }) => path.startsWith('/v1/') && !open.includes(path))
    for (const { method, path } of closed) {
      const { status } = await app.call(method, path.replaceAll(/:\w+/g, 'x'))
      // Other nodes come by TLS, which this app has none of.
      expect([method, path, status]).toEqual([method, path, path.startsWith('/v1/node/') ? 403 : 401])
    }
  })
})

describe('the register of errors (contract 7.3)', () => {
  const codes = Object.keys(ERRORS) as ErrorCode[]

  test('holds the codes that clients must know by name, with their statuses', () => {
    expect(ERRORS).toMatchObject({
      unauthorized: { status: 401 },
      token_expired: { status: 401 },
      requires_2fa: { status: 401 },
      invalid_2fa: { status: 401 },
      rate_limit_exceeded: { status: 429 },
      too_many_requests: { status: 429 },
      gone: { status: 410 },
    })
  })

  test.each(codes)('%s: status, meaning, advice, and a page that says them', async (code) => {
    const { status, meaning, advice } = ERRORS[code]
    expect(status).toBeWithin(400, 600)
    for (const sentence of [meaning, advice]) expect(sentence).toMatch(/^[A-Z`].{8,}\.$/)
    const answer = await app.call('GET', `/errors/${code}`)
    const { operator, ...told } = answer.body
    expect([answer.status, told as object]).toEqual([200, { error: code, ...ERRORS[code] }])
    expect(operator).toEqual(CURES[code])
  })

  test('is what the routes name: no answer speaks of a code that does not exist', async () => {
    const failures = documented().flatMap(({ hooks: { response = {} } }) =>
      Object.entries(response).filter(([status]) => Number(status) >= 400),
    )
    const named = failures.flatMap(([status, schema]) =>
      [...String((schema as { description?: string }).description).matchAll(/`([a-z_0-9]+)`/g)].map(
        ([, code = '']) => ({ code, status }),
      ),
    )
    expect(named.length).toBeGreaterThan(50)
    for (const { code, status } of named)
      expect<[string, number]>([code, ERRORS[code as ErrorCode]?.status]).toEqual([code, Number(status)])
  })
})
