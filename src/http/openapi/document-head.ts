import { LIMITS } from '../../core/limits.ts'

/** For routes that guard an account or a store: see `Purpose` of `auth.ts`. */
const OWN_BUDGET = `These requests do not count against the plan: a sign-in may make ${LIMITS.personRequestsPerMinute} of them a minute, the machine grant of a store ${LIMITS.machineSecurityRequestsPerMinute} unless the plan has no limits. Requests with an API key count against the plan.`

/** The document's tags, in the order of the API page. A new tag of a routes file gets a row here. */
export const TAGS = [
  { name: 'Search', description: 'Find products by words, by picture, or by both.' },
  {
    name: 'Products',
    description: 'The catalogue: one product at a time, many at once, from a file, or the demo catalogue.',
  },
  { name: 'Jobs', description: 'Work in the background, such as an import.' },
  { name: 'Feeds', description: 'Files of products that the service pulls from their address.' },
  {
    name: 'Analytics',
    description: `What shoppers look for, click and buy. Feedback has a budget of its own: ${LIMITS.feedbackFactor} times the requests of the plan.`,
  },
  { name: 'Merchandising', description: 'What a merchant decides about the results of searches.' },
  {
    name: 'Widget',
    description:
      'Searches and feedback from a shop’s own pages, with a public widget key in `X-Service-Key` and the `Origin` of a listed page. They count against the budgets of the key and of the visitor’s address, not against the plan.',
  },
  { name: 'Changes and webhooks', description: 'The feed of changes, and signed notices of them.' },
  { name: 'Store', description: 'Settings of the store.' },
  { name: 'Authentication', description: 'Access tokens for backends and people.' },
  { name: 'Account', description: `The caller’s own account: stores, sign-ins, password. ${OWN_BUDGET}` },
  {
    name: 'Security',
    description: `Two-factor authentication, keys, the IP list, the audit log. ${OWN_BUDGET}`,
  },
  { name: 'Team', description: `Invitations, members and groups of a store. ${OWN_BUDGET}` },
  { name: 'Billing', description: 'The plan of a store, what it has used of it, checkouts and invoices.' },
  {
    name: 'Operator',
    description:
      'For super-admins: every store and person of this installation, mails that wait, health and settings. A person’s token is needed.',
  },
  {
    name: 'Nodes',
    description: 'How one node sends a store to another. Nodes call this over TLS, and nobody else.',
  },
  { name: 'Operation', description: 'Health and versions.' },
] as const

/** The four kinds of credentials; the first one lets the API page fetch its own token. */
export const SECURITY_SCHEMES = {
  oauth2: {
    type: 'oauth2',
    description:
      'For backends. Enter the `client_id` and the `client_secret` of the store, and a token with every permission is fetched.',
    flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token: of a backend from `POST /oauth/token`, of a person from `POST /oauth/login`.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key (`sk_live_…`). `Authorization: Bearer` takes it, too.',
  },
  widgetKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Key',
    description: 'A widget key (`pk_live_…`), for the pages of a shop. It is no secret.',
  },
} as const

const DESCRIPTION = `Visual product search for online stores: index products with their pictures, then find them by picture, by words or by both.

**Try it here.** Press *Authorize*, enter the \`client_id\` and the \`client_secret\` that \`lookalike setup\` or \`lookalike demo\` printed, then execute *Find products by text*. An empty store finds nothing: execute *Install the demo catalogue* first, or *Index a product*.

**Credentials.** Backends get a token at \`POST /oauth/token\`, people at \`POST /oauth/login\`; both send it as \`Authorization: Bearer …\`. Scripts with fewer permissions use API keys. Call the API from a server: pages of other origins (CORS) may call only the endpoints below \`/v1/widget/\`, with a widget key, because any other credential would be public there.

**Conventions.** Every error has a stable code in \`error\`, explained at [/errors](/errors). Timestamps are ISO 8601 in UTC; sizes are in bytes. The manual of this version is at [/docs/guide](/docs/guide); it also tells how to [generate a client](/docs/guide/clients).`

/**
 * The parts of the document that do not come from the routes.
 *
 * @param url the public address of the service.
 */
export const buildDocumentHead = (version: string, url: string) => ({
  openapi: '3.1.2',
  info: {
    title: 'Lookalike',
    version,
    description: DESCRIPTION,
    contact: { name: 'The Lookalike maintainers' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url, description: 'This service' }],
  tags: TAGS,
})
