import type { TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia } from 'elysia'
import { LIMITS } from '../core/limits.ts'
import { isBodyParser } from './body.ts'
import { ACTIVE_TENANT, NEED } from './doors.ts'
import { ErrorBody, FAILURE_CONTENT, listCodes } from './failures.ts'
import { PAGE } from './page.ts'
import { findNumber } from './request-check.ts'

/** For routes that guard an account or a store: see `Purpose` of `auth.ts`. */
const OWN_BUDGET = `These requests do not count against the plan: a sign-in may make ${LIMITS.personRequestsPerMinute} of them a minute, the machine grant of a store ${LIMITS.machineSecurityRequestsPerMinute} unless the plan has no limits. Requests with an API key count against the plan.`

/** The parts of the document that do not come from the routes. */
const frame = (version: string) => ({
  openapi: '3.1.2',
  info: {
    title: 'Lookalike',
    version,
    description: [
      'Visual product search for online stores: index products with their pictures, then find them by picture, by text',
      'or by both.\n\n',
      'Backends get a token at `POST /oauth/token`, people at `POST /oauth/login`; both send it as',
      '`Authorization: Bearer …`. Send an API key (`sk_live_…`) the same way, or in `X-API-Key`. Every error has a stable',
      'code in `error`, explained at [/errors](/errors). Timestamps are ISO 8601 in UTC; sizes are in bytes. The manual of',
      'this version is at [/docs/guide](/docs/guide).\n\n',
      'Call the API from a server. Pages of other origins (CORS) may call only the endpoints below `/v1/widget/`, with a',
      'widget key: any other credential would be public there.',
    ].join(' '),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  tags: [
    { name: 'Authentication', description: 'Access tokens for backends and people' },
    { name: 'Account', description: `The caller’s own account: stores, sign-ins, password. ${OWN_BUDGET}` },
    {
      name: 'Security',
      description: `Two-factor authentication, keys, the IP list, the audit log. ${OWN_BUDGET}`,
    },
    { name: 'Products', description: 'The catalogue' },
    { name: 'Feeds', description: 'Files of products that the service pulls by their address' },
    { name: 'Jobs', description: 'Work in the background' },
    { name: 'Search', description: 'Find products by picture and by text' },
    {
      name: 'Analytics',
      description: `What shoppers look for, click and buy. Feedback has a budget of its own: ${LIMITS.feedbackFactor} times the requests of the plan.`,
    },
    {
      name: 'Widget',
      description:
        'Searches and feedback from a shop’s own pages, with a public widget key in `X-Service-Key` and the `Origin` of a listed page. They count against the budgets of the key and of the visitor’s address, not against the plan.',
    },
    { name: 'Changes and webhooks', description: 'The feed of changes, and signed notices of them' },
    { name: 'Store', description: 'Settings of the store' },
    { name: 'Operation', description: 'Health and versions' },
  ],
})

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  widgetKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
} as const

/**
 * Serves `/openapi.json`, which is built from the routes on the first request.
 *
 * @param named schemas that routes refer to as `#/components/schemas/<name>`.
 */
export function openApiPlugin(
  version: string,
  app: () => AnyElysia,
  named: Readonly<Record<string, object>>,
) {
  let document: Promise<Record<string, unknown>> | undefined
  return new Elysia({ name: 'http.openapi' }).get(
    '/openapi.json',
    () => {
      document ??= buildDocument(version, app(), named)
      return document
    },
    { detail: { hide: true } },
  )
}

/** Descriptions of answers other than failures; 503 is the report of a service that is not ready. */
const ANSWERS: Readonly<Record<string, string>> = {
  200: '200 OK',
  201: '201 Created',
  202: '202 Accepted',
  503: '503 Not ready',
}

interface Parameter {
  name: string
  in: string
}

interface Operation {
  description?: string
  parameters?: Parameter[]
  requestBody?: unknown
  responses?: Record<string, { description?: string; content?: Record<string, unknown> }>
}

/** A route as Elysia lists it; `hooks` holds its declaration. */
interface DeclaredRoute {
  method: string
  path: string
  hooks: {
    body?: TSchema
    parse?: { fn: unknown }[]
    response?: Record<string, TSchema>
    detail?: { parameters?: Parameter[]; [NEED]?: string; [PAGE]?: boolean }
  }
}

async function buildDocument(
  version: string,
  app: AnyElysia,
  named: Readonly<Record<string, object>>,
): Promise<Record<string, unknown>> {
  // Imported on demand: it loads a whole schema library, which takes a fifth of a second.
  const { toOpenAPISchema } = await import('@elysiajs/openapi')
  const { paths } = toOpenAPISchema(app)
  for (const { method, path, hooks } of app.routes as unknown as DeclaredRoute[]) {
    const operation = paths[path.replace(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase() as 'get']
    if (operation) describe(operation as Operation, hooks)
  }
  const schemas = { Error: { ...ErrorBody, $id: undefined }, ...named }
  return toPlainSchema({
    ...frame(version),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas },
  })
}

/** Adds facts that Elysia does not know: the headers, the media types of our body parsers, the form of all failures. */
function describe(operation: Operation, hooks: DeclaredRoute['hooks']): void {
  const { body, parse, response = {}, detail } = hooks
  const notes = [operation.description, detail?.[NEED]].filter((note) => note !== undefined)
  if (notes.length > 0) operation.description = notes.join('\n\n')
  // Every door reads the header.
  const headers = [...(detail?.parameters ?? []), ...(detail?.[NEED] ? [ACTIVE_TENANT] : [])]
  const schemas = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header')
  if (headers.length > 0) operation.parameters = [...schemas, ...headers]
  const parser = parse?.map(({ fn }) => fn).find(isBodyParser)
  if (body && parser) {
    const content = Object.entries(parser.describeContent(body)).map(([type, schema]) => [type, { schema }])
    operation.requestBody = { required: !parser.isOptional, content: Object.fromEntries(content) }
  }
  for (const [status, schema] of Object.entries(response)) {
    const answer = operation.responses?.[status]
    if (!answer) continue
    if (/^Response for status/.test(answer.description ?? '')) answer.description = ANSWERS[status] ?? status
    if (listCodes(schema)) answer.content = FAILURE_CONTENT
    if (detail?.[PAGE] && Number(status) < 500) {
      answer.content = { ...answer.content, 'text/html': { schema: { type: 'string' } } }
    }
  }
}

/** Converts a schema to JSON Schema without the keywords of our libraries. */
function toPlainSchema<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(toPlainSchema) as Value
  if (typeof value !== 'object' || value === null) return value
  const number = findNumber(value as unknown as TSchema)
  const { patternProperties, additionalProperties, ...schema } = { ...value, ...number } as Record<
    string,
    unknown
  >
  if (number) delete schema['anyOf']
  // Answers may have further fields, and unknown fields of a request are ignored.
  if (typeof additionalProperties === 'object') schema['additionalProperties'] = additionalProperties
  const values = Object.values((patternProperties ?? {}) as Record<string, unknown>)
  if (values.length === 1) schema['additionalProperties'] = values[0]
  const choices = (schema['anyOf'] as TSchema[] | undefined)?.map(({ const: choice }) => choice)
  if (choices?.every((choice) => typeof choice === 'string')) {
    delete schema['anyOf']
    Object.assign(schema, { type: 'string', enum: choices })
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, item]) =>
      item === undefined ? [] : [[name, toPlainSchema(item)]],
    ),
  ) as Value
}
