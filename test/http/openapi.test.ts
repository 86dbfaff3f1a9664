import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createOpenApiDocument } from '../../src/commands/openapi.ts'
import { version } from '../../src/version.ts'
import { BASE_URL, type TestApp, testApp } from '../support/app.ts'

interface Content {
  schema: Record<string, unknown>
}

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Record<string, unknown>
  $ref?: string
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: unknown
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, { $ref?: string; description: string; content?: Record<string, Content> }>
}

/** Whether a request makes something for a store, and may be repeated (contract 1.6). */
const makesSomething = (name: string, { responses }: Operation): boolean =>
  name.startsWith('POST /v1/') &&
  // Nothing of a password is kept for a repeated request.
  !['POST /v1/users', 'POST /v1/me/email'].includes(name) &&
  // A code is shown once; a source that lost the answer announces its store again.
  !['POST /v1/admin/node/invites', 'POST /v1/node/moves'].includes(name) &&
  ('201' in responses ||
    '202' in responses ||
    ['POST /v1/search/webhooks', 'POST /v1/billing/checkout'].includes(name))

/** Changes that are refused when somebody else was faster. */
const TAKES_VERSION = new Set([
  'PATCH /v1/feeds/{id}',
  'PATCH /v1/products/{product_id}',
  'PATCH /v1/search/webhooks/{id}',
  'PATCH /v1/security/api-keys/{id}',
  'PATCH /v1/security/public-keys/{id}',
  'PATCH /v1/store',
  'PUT /v1/store/words',
  'PATCH /v1/store/settings',
  'PATCH /v1/team/members/{id}',
  'PATCH /v1/user-groups/{id}',
  'PUT /v1/store/rules/{id}',
])

/** Routes that a page of this service calls with its cookie. */
const takesCookie = (name: string): boolean =>
  /^(POST \/portal\/session\/refresh|DELETE \/portal\/session)$/.test(name)

/** Whether a shop's own pages call it, with a widget key. */
const isForWidgets = (name: string): boolean => name.includes(' /v1/widget/')

/** Whether it asks for a credential in a header: people with the link of an invitation have none, and Stripe signs. */
const isGuarded = (name: string): boolean =>
  name.includes(' /v1/') &&
  !/ \/v1\/(team\/invites\/(look|accept)$|billing\/stripe\/webhook$|node\/)/.test(name)

interface Document {
  openapi: string
  info: { version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, unknown>
    schemas: Record<string, unknown>
    parameters: Record<string, Parameter>
    responses: Record<string, { content: Record<string, Content> }>
  }
}

let app: TestApp
let document: Document
let operations: [name: string, operation: Operation][]

beforeAll(async () => {
  app = testApp()
  document = (await app.call('GET', '/openapi.json')).body as unknown as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as [string, Operation],
    ),
  )
})
afterAll(() => app.close())

const operation = (name: string): Operation => {
  const found = operations.find(([known]) => known === name)?.[1]
  if (!found) throw new Error(`${name} is not documented`)
  return found
}

/** Follows a reference to one of the components. */
function resolve<Value extends { $ref?: string }>(value: Value): Value {
  if (value.$ref === undefined) return value
  const path = value.$ref.replace(/^#\//, '').split('/')
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Value
}

const schemaOf = ({ schema }: Content) => resolve(schema)

const contentTypes = (name: string) => Object.keys(operation(name).requestBody?.content ?? {}).sort()

/** A token that the API page fetches or that one brings, or an API key in a header of its own. */
const EITHER = [{ oauth2: [] }, { bearer: [] }, { apiKey: [] }]

describe('GET /openapi.json (contract 8.2)', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(document.openapi).toStartWith('3.1.')
    expect(document.info.version).toBe(version)
  })

  test('the command `openapi` prints the same', async () => {
    expect(await createOpenApiDocument(BASE_URL)).toEqual(document as never)
  })

  test('asking twice gives the same', async () => {
    expect((await app.call('GET', '/openapi.json')).body as unknown).toEqual(document as never)
  })

  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+\/[^"]+)"/g)]
    expect(references.length).toBeGreaterThan(0)
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    )
    for (const [, name = ''] of references) expect(components).toContain(name)
  })

  test('every operation has the name that generated clients call it by', () => {
    const ids = Object.fromEntries(operations.map(([name, { operationId }]) => [name, operationId]))
    expect(ids).toEqual({
      'POST /portal/session': 'signInToPortal',
      'POST /portal/session/refresh': 'refreshPortalSession',
      'DELETE /portal/session': 'endPortalSession',
      'GET /setup/state': 'getSetupState',
      'POST /setup': 'setUp',
      'GET /v1/slugs/{slug}': 'getSlug',
      'DELETE /v1/store': 'deleteOwnStore',
      'DELETE /v1/admin/users/{id}': 'deletePersonAsOperator',
      'DELETE /v1/search/checks/{id}': 'deleteSearchCheck',
      'GET /v1/admin/billing/invoices': 'listInvoicesAsOperator',
      'GET /v1/admin/billing/requests': 'listPlanRequests',
      'GET /v1/admin/deliveries': 'listDeliveriesAsOperator',
      'GET /v1/admin/doctor': 'runDoctor',
      'GET /v1/admin/map': 'getNodeMap',
      'GET /v1/admin/backups': 'listBackups',
      'POST /v1/admin/backups': 'startBackup',
      'GET /v1/admin/backups/{id}': 'getBackup',
      'GET /v1/admin/models': 'listModels',
      'POST /v1/admin/models/fetch': 'fetchModel',
      'POST /v1/admin/models/fetch/cancel': 'cancelModelFetch',
      'POST /v1/admin/models/use': 'useModel',
      'POST /v1/admin/models/back': 'useFormerModel',
      'POST /v1/admin/models/reindex': 'reindexProducts',
      'POST /v1/admin/models/cancel': 'cancelModelMove',
      'POST /v1/admin/models/confirm': 'confirmModel',
      'DELETE /v1/admin/models/{name}': 'removeModel',
      'POST /v1/admin/node/invites': 'inviteNode',
      'POST /v1/node/secrets': 'getNodeSecrets',
      'POST /v1/node/moves': 'announceArrivingStore',
      'GET /v1/node/moves/{id}': 'getArrivingStore',
      'POST /v1/node/moves/{id}/rows': 'sendArrivingRows',
      'POST /v1/node/moves/{id}/index': 'loadArrivingIndex',
      'POST /v1/node/moves/{id}/digest': 'readArrivingDigest',
      'POST /v1/node/moves/{id}/search': 'searchArrivingStore',
      'POST /v1/node/moves/{id}/open': 'openArrivingStore',
      'DELETE /v1/node/moves/{id}': 'abandonArrivingStore',
      'POST /v1/node/moves/{id}/pictures/missing': 'findMissingPictures',
      'PUT /v1/node/moves/{id}/pictures/{hash}': 'sendArrivingPicture',
      'GET /v1/admin/stores/{id}/move': 'getStoreMove',
      'POST /v1/admin/stores/{id}/move': 'moveStore',
      'POST /v1/admin/stores/{id}/move/cancel': 'cancelStoreMove',
      'GET /v1/admin/jobs': 'listJobsAsOperator',
      'GET /v1/admin/models/checks': 'listCheckStandingsAsOperator',
      'GET /v1/admin/outbox/{id}': 'readWaitingMail',
      'GET /v1/search/checks': 'listSearchChecks',
      'GET /v1/search/learning': 'getLearning',
      'GET /v1/search/replay': 'listReplays',
      'GET /v1/search/replay/{job_id}': 'getReplay',
      'POST /v1/search/replay': 'startReplay',
      'PATCH /v1/admin/users/{id}': 'changePersonAsOperator',
      'POST /v1/admin/billing/invoices/{id}/settle': 'settleInvoice',
      'POST /v1/admin/billing/requests/{id}/confirm': 'confirmPlanRequest',
      'POST /v1/admin/registrations': 'inviteToRegister',
      'POST /v1/admin/stores/{id}/open': 'openStoreToActForIt',
      'POST /v1/search/checks': 'createSearchCheck',
      'POST /v1/search/checks/run': 'runSearchChecks',
      'GET /v1/store/rules': 'listSearchRules',
      'POST /v1/store/rules': 'createSearchRule',
      'GET /v1/store/rules/{id}': 'getSearchRule',
      'PUT /v1/store/rules/{id}': 'replaceSearchRule',
      'DELETE /v1/store/rules/{id}': 'deleteSearchRule',
      'GET /v1/billing/plans': 'listPlans',
      'GET /v1/store': 'getStore',
      'PATCH /v1/me': 'changeMe',
      'PATCH /v1/store': 'renameStore',
      'POST /v1/admin/stores': 'openStoreAsOperator',
      'POST /v1/stores': 'openStore',
      'POST /oauth/token': 'createToken',
      'GET /.well-known/oauth-authorization-server': 'getAuthorizationServer',
      'POST /oauth/login': 'login',
      'POST /oauth/refresh': 'refreshToken',
      'POST /oauth/revoke': 'revokeToken',
      'POST /register': 'register',
      'GET /verify': 'verifyAccount',
      'POST /verify': 'confirmAccount',
      'POST /verify/cancel': 'cancelRegistrations',
      'POST /unsubscribe': 'unsubscribe',
      'POST /oauth/password/forgot': 'forgetPassword',
      'GET /oauth/password/reset': 'checkPasswordLink',
      'POST /oauth/password/reset': 'resetPassword',
      'POST /v1/catalogue/report': 'makeCatalogueReport',
      'POST /v1/feeds': 'createFeed',
      'GET /v1/feeds': 'listFeeds',
      'GET /v1/feeds/{id}': 'getFeed',
      'GET /v1/feeds/{id}/runs': 'listFeedRuns',
      'PATCH /v1/feeds/{id}': 'updateFeed',
      'DELETE /v1/feeds/{id}': 'deleteFeed',
      'POST /v1/feeds/{id}/run': 'runFeed',
      'GET /v1/jobs': 'listJobs',
      'GET /v1/jobs/failures': 'listProductFailures',
      'GET /v1/jobs/{job_id}': 'getJob',
      'GET /v1/jobs/{job_id}/errors': 'listJobErrors',
      'GET /v1/jobs/{job_id}/events': 'watchJob',
      'POST /v1/jobs/{job_id}/cancel': 'cancelJob',
      'POST /v1/jobs/{job_id}/retry': 'retryJob',
      'POST /v1/products/bulk': 'indexProducts',
      'POST /v1/products/import': 'importProducts',
      'GET /v1/products/export': 'exportProducts',
      'POST /v1/team/invite': 'invite',
      'GET /v1/team/invites': 'listInvites',
      'DELETE /v1/team/invites/{id}': 'cancelInvite',
      'POST /v1/team/invites/look': 'lookAtInvite',
      'POST /v1/team/invites/accept': 'acceptInvite',
      'GET /v1/team/members': 'listMembers',
      'GET /v1/team/members/{id}': 'getMember',
      'PATCH /v1/team/members/{id}': 'updateMember',
      'DELETE /v1/team/members/{id}': 'removeMember',
      'POST /v1/users': 'createUser',
      'GET /v1/users': 'listUsers',
      'POST /v1/user-groups': 'createGroup',
      'GET /v1/user-groups': 'listGroups',
      'GET /v1/user-groups/permissions': 'listPermissions',
      'GET /v1/user-groups/{id}': 'getGroup',
      'PATCH /v1/user-groups/{id}': 'updateGroup',
      'DELETE /v1/user-groups/{id}': 'deleteGroup',
      'GET /v1/me': 'getMe',
      'GET /v1/me/sessions': 'listSessions',
      'DELETE /v1/me/sessions': 'endOtherSessions',
      'DELETE /v1/me/sessions/{session_id}': 'endSession',
      'POST /v1/me/password': 'changePassword',
      'POST /v1/security/2fa/setup': 'setUpTwoFactor',
      'POST /v1/security/2fa/enable': 'enableTwoFactor',
      'POST /v1/security/2fa/disable': 'disableTwoFactor',
      'GET /v1/security/2fa/status': 'getTwoFactorStatus',
      'POST /v1/security/2fa/recovery-codes': 'renewRecoveryCodes',
      'POST /v1/security/api-keys': 'createApiKey',
      'GET /v1/security/api-keys': 'listApiKeys',
      'GET /v1/security/api-keys/{id}': 'getApiKey',
      'PATCH /v1/security/api-keys/{id}': 'updateApiKey',
      'DELETE /v1/security/api-keys/{id}': 'revokeApiKey',
      'POST /v1/security/api-keys/{id}/rotate': 'rotateApiKey',
      'POST /v1/security/public-keys': 'createPublicKey',
      'GET /v1/security/client-secret': 'getClientSecret',
      'GET /v1/security/requests': 'listRecentRequests',
      'POST /v1/security/public-keys/{id}/check': 'checkShopPage',
      'POST /v1/security/public-keys/{id}/preview': 'previewPublicKey',
      'POST /v1/store/check-addresses': 'checkProductAddresses',
      'GET /v1/security/public-keys': 'listPublicKeys',
      'GET /v1/security/public-keys/{id}': 'getPublicKey',
      'PATCH /v1/security/public-keys/{id}': 'updatePublicKey',
      'DELETE /v1/security/public-keys/{id}': 'deletePublicKey',
      'POST /v1/security/client-secret/rotate': 'rotateClientSecret',
      'POST /v1/security/ip-whitelist': 'addIpEntry',
      'GET /v1/security/ip-whitelist': 'listIpEntries',
      'DELETE /v1/security/ip-whitelist/{id}': 'removeIpEntry',
      'GET /v1/security/audit': 'listAuditEvents',
      'GET /v1/security/overview': 'getSecurityOverview',
      'GET /v1/store/settings': 'getStoreSettings',
      'PATCH /v1/store/settings': 'updateStoreSettings',
      'GET /v1/store/words': 'getStoreWords',
      'PUT /v1/store/words': 'replaceStoreWords',
      'POST /v1/store/words/synonyms': 'addSynonyms',
      'POST /v1/products/demo': 'installDemo',
      'DELETE /v1/products/demo': 'removeDemo',
      'POST /v1/products': 'indexProduct',
      'GET /v1/products': 'listProducts',
      'GET /v1/products/{product_id}': 'getProduct',
      'PUT /v1/products/{product_id}': 'replaceProduct',
      'PATCH /v1/products/{product_id}': 'updateProduct',
      'DELETE /v1/products': 'deleteProducts',
      'DELETE /v1/products/{product_id}': 'deleteProduct',
      'GET /pictures/{address}': 'getPicture',
      'GET /thumbnails/{name}': 'getThumbnail',
      'GET /thumbnails/searches/{name}': 'getUnmatchedThumbnail',
      'GET /samples': 'listSamples',
      'GET /samples/{file}': 'getSample',
      'GET /v1/catalogue/report': 'getCatalogueReport',
      'GET /v1/changes': 'listChanges',
      'POST /v1/search/webhooks': 'createWebhook',
      'GET /v1/search/analytics': 'readAnalytics',
      'GET /v1/admin/overview': 'getNodeOverview',
      'GET /v1/search/history': 'listSearches',
      'GET /v1/search/history/{search_id}': 'getSearch',
      'GET /v1/store/fields': 'listStoreFields',
      'GET /v1/store/overview': 'getStoreOverview',
      'GET /v1/search/analytics/unmet': 'readUnmetDemand',
      'GET /v1/search/feedback/popular': 'listPopularProducts',
      'GET /v1/search/suggestions': 'listSuggestions',
      'POST /v1/search/feedback': 'recordFeedback',
      'GET /v1/search/webhooks': 'listWebhooks',
      'GET /v1/search/webhooks/{id}': 'getWebhook',
      'PATCH /v1/search/webhooks/{id}': 'updateWebhook',
      'DELETE /v1/search/webhooks/{id}': 'deleteWebhook',
      'POST /v1/search/webhooks/{id}/rotate-secret': 'rotateWebhookSecret',
      'POST /v1/search/webhooks/{id}/test': 'testWebhook',
      'POST /v1/search/webhooks/{id}/recover': 'recoverDeliveries',
      'GET /v1/search/webhooks/{id}/deliveries': 'listDeliveries',
      'GET /v1/search/webhooks/deliveries/{delivery_id}': 'getDelivery',
      'POST /v1/search/webhooks/deliveries/{delivery_id}/resend': 'resendDelivery',
      'GET /v1/search/webhooks/inbox': 'readInbox',
      'POST /v1/store/callback-secret/rotate': 'rotateCallbackSecret',
      'POST /v1/search': 'searchByUpload',
      'POST /v1/search/url': 'searchByUrl',
      'POST /v1/search/text': 'searchByText',
      'POST /v1/search/hybrid': 'searchHybrid',
      'POST /v1/search/fusion': 'searchFusion',
      'POST /v1/search/multi-image': 'searchByPictures',
      'POST /v1/search/crop': 'searchByCrop',
      'POST /v1/search/filtered': 'searchFiltered',
      'POST /v1/search/batch': 'searchBatch',
      'GET /v1/products/{product_id}/similar': 'findSimilarProducts',
      'GET /v1/products/{product_id}/together': 'findProductsTogether',
      'GET /v1/search/trending': 'listTrendingProducts',
      'DELETE /v1/admin/stores/{id}': 'deleteStore',
      'DELETE /v1/me': 'deleteMe',
      'DELETE /v1/me/email': 'cancelEmailChange',
      'DELETE /v1/me/memberships/{store}': 'leaveStore',
      'DELETE /v1/search/sessions/{session_id}': 'eraseShopperSession',
      'GET /v1/admin/audit': 'listNodeAuditEvents',
      'GET /v1/admin/health': 'getHealthAsOperator',
      'GET /v1/admin/outbox': 'listWaitingMails',
      'GET /v1/admin/plans': 'listPlansAsOperator',
      'GET /v1/admin/registrations': 'listRegistrations',
      'GET /v1/admin/settings': 'listSettings',
      'GET /v1/admin/stores': 'listStoresAsOperator',
      'GET /v1/admin/stores/{id}': 'getStoreAsOperator',
      'GET /v1/admin/users': 'listPeopleAsOperator',
      'GET /v1/admin/users/{id}': 'getPersonAsOperator',
      'GET /v1/billing/checkout/{session_id}': 'getCheckout',
      'GET /v1/billing/current-plan': 'getCurrentPlan',
      'GET /v1/billing/invoices': 'listInvoices',
      'GET /v1/billing/usage': 'getUsage',
      'GET /v1/me/email': 'getEmail',
      'GET /v1/me/export': 'exportMe',
      'GET /v1/store/people-data': 'exportPeopleData',
      'PATCH /v1/admin/stores/{id}': 'changeStoreAsOperator',
      'POST /billing/checkout/{token}': 'confirmCheckout',
      'POST /v1/admin/outbox/{id}/resend': 'resendMail',
      'POST /v1/admin/stores/{id}/resume': 'resumeStore',
      'POST /v1/admin/stores/{id}/suspend': 'suspendStore',
      'POST /v1/admin/users/{id}/end-sessions': 'endSessionsOfPerson',
      'POST /v1/admin/users/{id}/reset': 'resetPasswordOfPerson',
      'POST /v1/admin/users/{id}/reset-2fa': 'resetTwoFactorOfPerson',
      'POST /v1/admin/users/{id}/unlock': 'unlockPerson',
      'POST /v1/admin/users/{id}/verify': 'verifyPerson',
      'POST /v1/billing/checkout': 'startCheckout',
      'POST /v1/billing/portal': 'openBillingPortal',
      'POST /v1/billing/stripe/webhook': 'receiveStripeEvent',
      'POST /v1/me/email': 'requestEmailChange',
      'POST /verify/email': 'confirmNewEmail',
      'POST /verify/email/approve': 'approveNewEmail',
      'POST /v1/widget/search/suggestions': 'widgetSuggest',
      'POST /v1/widget/search/text': 'widgetSearchByText',
      'POST /v1/widget/search/upload': 'widgetSearchByUpload',
      'POST /v1/widget/search/url': 'widgetSearchByUrl',
      'POST /v1/widget/search/feedback': 'widgetRecordFeedback',
      'GET /v1/widget/similar': 'widgetFindSimilar',
      'GET /v1/widget/together': 'widgetFindTogether',
      'GET /health': 'getHealth',
      'GET /health/ready': 'getReadiness',
      'GET /metrics': 'getMetrics',
      'GET /version': 'getVersion',
    })
    expect(new Set(Object.values(ids)).size).toBe(operations.length)
  })

  test('tags are described', () => {
    const tags = new Set(operations.flatMap(([, { tags = [] }]) => tags))
    expect([...tags].sort()).toEqual(document.tags.map(({ name }) => name).sort())
    expect(document.tags.map(({ name }) => name).slice(0, 3)).toEqual(['Search', 'Products', 'Jobs'])
    expect(operations[0]?.[0]).toBe('POST /v1/search/text')
  })

  test('nothing of the inside shows', () => {
    const text = JSON.stringify(document)
    for (const inner of [
      'TypeBox',
      '"~',
      'password_hash',
      'key_hash',
      '/docs/:file',
      'patternProperties',
      'undefined',
      '/work',
    ]) {
      expect(text.includes(inner)).toBe(false)
    }
    // Elysia's "number or its text" and its closed objects would forbid what we allow.
    expect(text).not.toContain('"additionalProperties":false')
    expect(text).not.toContain('"format":"integer"')
  })
})

describe('over the wire', () => {
  const get = (headers: Record<string, string>) =>
    app.http.handle(new Request('http://localhost/openapi.json', { headers }))

  test('is packed for who takes that, and plain for others', async () => {
    const plain = await get({})
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
      null,
      'accept-encoding',
    ])
    const bytes = new Uint8Array(await plain.arrayBuffer())
    const gzip = await get({ 'accept-encoding': 'gzip' })
    expect(gzip.headers.get('content-encoding')).toBe('gzip')
    expect(Bun.gunzipSync(await gzip.arrayBuffer())).toEqual(bytes)
    const br = await get({ 'accept-encoding': 'gzip, br' })
    expect(br.headers.get('content-encoding')).toBe('br')
    const packed = await br.arrayBuffer()
    expect(new Uint8Array(brotliDecompressSync(packed))).toEqual(bytes)
    expect(packed.byteLength).toBeLessThan(bytes.length / 8)
  })

  test('304 for who has it, by the tag of the same encoding', async () => {
    const { headers } = await get({ 'accept-encoding': 'br' })
    const etag = headers.get('etag') ?? ''
    expect(headers.get('cache-control')).toBe('no-cache')
    expect((await get({ 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(304)
    expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200)
  })
})

describe('request bodies', () => {
  test.each([
    ['POST /oauth/token', ['application/x-www-form-urlencoded']],
    ['POST /v1/products', ['application/json', 'multipart/form-data']],
    ['PUT /v1/products/{product_id}', ['application/json', 'multipart/form-data']],
    ['PATCH /v1/products/{product_id}', ['application/json']],
    ['POST /v1/search', ['multipart/form-data']],
    ['POST /v1/search/url', ['application/json']],
    ['POST /v1/search/text', ['application/json']],
  ])('%s takes %p', (name, types) => {
    expect(contentTypes(name)).toEqual(types)
    expect(operation(name).requestBody?.required).toBe(true)
  })

  test.each([
    'POST /v1/products/demo',
    'DELETE /v1/products/demo',
    'DELETE /v1/products/{product_id}',
    'GET /v1/products',
  ])('%s takes none', (name) => {
    expect(operation(name).requestBody).toBeUndefined()
  })

  test.each(['POST /v1/products', 'POST /v1/search'])(
    '%s: the file of a form is binary, and JSON has no file',
    (name) => {
      const content = operation(name).requestBody?.content ?? {}
      expect(schemaOf(content['multipart/form-data'] as Content)).toMatchObject({
        type: 'object',
        properties: { image: { type: 'string', format: 'binary' } },
      })
      const json = content['application/json']
      expect(JSON.stringify(json ? schemaOf(json) : {})).not.toContain('binary')
    },
  )

  test('what is required is told: product_id and image_url as JSON, product_id and one picture as a form', () => {
    const content = operation('POST /v1/products').requestBody?.content
    expect(schemaOf(content?.['application/json'] as Content)['required']).toEqual([
      'product_id',
      'image_url',
    ])
    const form = schemaOf(content?.['multipart/form-data'] as Content)
    expect(form?.['required']).toEqual(['product_id'])
    expect(JSON.stringify(form?.['properties'])).toContain('Exactly one of image and image_url is required')
  })
})

describe('parameters', () => {
  test('numbers of a query are numbers with their bounds', () => {
    const limit = operation('GET /v1/products').parameters?.find(({ name }) => name === 'limit')
    expect(limit).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    })
    expect(limit?.schema['anyOf']).toBeUndefined()
  })

  test('a choice is an enum', () => {
    const sort = operation('GET /v1/products').parameters?.find(({ name }) => name === 'sort')
    expect(sort?.schema['type']).toBe('string')
    expect(sort?.schema['enum']).toEqual(['newest', 'oldest', 'updated', 'name', 'price_asc', 'price_desc'])
  })

  test('the headers that mean something are told', () => {
    for (const [name, operation] of operations) {
      const { parameters = [] } = operation
      const headers = parameters.map(resolve).filter((parameter) => parameter.in === 'header')
      expect([name, headers.map((header) => header.name)]).toEqual([
        name,
        [
          ...(makesSomething(name, operation) ? ['Idempotency-Key'] : []),
          ...(TAKES_VERSION.has(name) ? ['If-Match'] : []),
          ...(takesCookie(name) ? ['X-Requested-With'] : []),
          ...(name === 'GET /v1/slugs/{slug}' ? ['X-Setup-Code'] : []),
          ...(isGuarded(name) && !isForWidgets(name) ? ['X-Service-Active-Tenant'] : []),
          ...(name === 'POST /v1/billing/stripe/webhook' ? ['Stripe-Signature'] : []),
        ],
      ])
      const always = ['Stripe-Signature', 'X-Requested-With']
      expect(headers.every(({ required, name }) => !required || always.includes(name))).toBe(true)
    }
  })

  test('what takes a key for repeating says what a wrong key gets', async () => {
    for (const [name, { parameters = [], responses }] of operations) {
      if (!parameters.map(resolve).some((parameter) => parameter.name === 'Idempotency-Key')) continue
      expect([name, responses['422']?.description]).toEqual([
        name,
        expect.stringContaining('`validation_error`'),
      ])
    }
  })

  test('each {name} of a path is a required parameter', () => {
    for (const [name, { parameters = [] }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path' && parameter.required)
      expect([name, inPath.map((parameter) => `{${parameter.name}}`)]).toEqual([
        name,
        name.match(/\{\w+\}/g) ?? [],
      ])
    }
  })
})

describe('answers', () => {
  test('every failure refers to the shared answer of its status, and lists the codes of its operation', () => {
    const failures = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400 && status !== '431' && name !== 'GET /health/ready')
        .map(([status, answer]) => ({ name, status, answer })),
    )
    expect(failures.length).toBeGreaterThan(50)
    for (const { name, status, answer } of failures) {
      expect([name, status, answer.description]).toEqual([name, status, expect.stringMatching(/^- `/)])
      const { content = {} } = resolve(answer)
      const types = Object.keys(content).filter((type) => type !== 'text/html')
      expect([name, status, types]).toEqual([name, status, ['application/json', 'application/problem+json']])
      expect(content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
      expect(content['application/problem+json']?.schema).toEqual({ $ref: '#/components/schemas/Problem' })
    }
    expect(document.components.schemas['Error']).toMatchObject({ required: ['error', 'message'] })
  })

  test('no answer is described by its number only', () => {
    const descriptions = operations.flatMap(([, { responses }]) =>
      Object.values(responses).map(({ description }) => description),
    )
    expect(descriptions.filter((text) => text.length < 4 || /^Response for/.test(text))).toEqual([])
  })

  test('signed-in routes ask for the bearer and name 401 and 429; open ones do not', () => {
    expect(document.components.securitySchemes).toMatchObject({
      oauth2: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token' } } },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      widgetKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
    })
    for (const [name, { security, responses, description }] of operations) {
      if (isForWidgets(name)) {
        expect([name, security]).toEqual([name, [{ widgetKey: [] }]])
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500']))
        continue
      }
      const isSignedIn = isGuarded(name)
      const isForPeople =
        /Needs a (signed-in person(?:, or a set-up code)?|super-admin who has signed in)\.$/.test(
          description ?? '',
        )
      const expected = isForPeople || name === 'POST /oauth/refresh' ? [{ bearer: [] }] : EITHER
      expect([name, security]).toEqual([name, isSignedIn || name === 'POST /oauth/refresh' ? expected : []])
      if (isSignedIn)
        expect([name, description]).toEqual([name, expect.stringMatching(/(Needs|Takes) .+\.$/)])
      if (isSignedIn)
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500']))
    }
  })
})
