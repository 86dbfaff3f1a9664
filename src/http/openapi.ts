import type { TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia } from 'elysia'
import { LIMITS } from '../core/limits.ts'
import { ACTIVE_TENANT, NEED } from './auth.ts'
import { isBodyParser } from './body.ts'
import { PAGE } from './page.ts'
import { numberOf } from './request-check.ts'
import { ErrorBody, isFailure } from './schema.ts'

/** For routes that guard what is there: see `Purpose` of `auth.ts`. */
const OWN_BUDGET = `These calls never spend the plan’s requests: a login has ${LIMITS.personRequestsPerMinute} of them a minute, the machine grant of a store ${LIMITS.machineSecurityRequestsPerMinute} unless its plan has no limits. An API key spends the plan’s.`

/** The parts of the document that do not come from the routes. */
const frame = (version: string) => ({
  openapi: '3.1.2',
  info: {
    title: 'Lookalike',
    version,
    description: [
      'Visual product search for online stores: index products with their pictures, then find them by picture, by words',
      'or by both.\n\n',
      'Backends get a token at `POST /oauth/token`, people at `POST /oauth/login`; both send it as',
      '`Authorization: Bearer …`. An API key (`sk_live_…`) goes the same way, or in `X-API-Key`. Every error has a stable',
      'code in `error`, explained at [/errors](/errors). Timestamps are UTC in ISO 8601; sizes are bytes. The manual of',
      'this version is at [/docs/guide](/docs/guide).',
    ].join(' '),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  tags: [
    { name: 'Authentication', description: 'Accounts, and credentials for access tokens' },
    { name: 'Account', description: `The caller’s own: stores, logins, password. ${OWN_BUDGET}` },
    {
      name: 'Security',
      description: `Two-factor authentication, keys, the IP list, the audit log. ${OWN_BUDGET}`,
    },
    { name: 'Products', description: 'The catalogue' },
    { name: 'Search', description: 'Find products by picture and by words' },
    { name: 'Operation', description: 'Health and versions' },
  ],
})

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

/** Serves `/openapi.json`, which is made of the routes when it is first asked for. */
export function openApiPlugin(version: string, app: () => AnyElysia) {
  let document: Promise<Record<string, unknown>> | undefined
  return new Elysia({ name: 'http.openapi' }).get(
    '/openapi.json',
    () => {
      document ??= documentOf(version, app())
      return document
    },
    { detail: { hide: true } },
  )
}

/** What stands beside a status that says nothing of its own. */
const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Taken on',
  503: 'Not now',
}

interface Parameter {
  name: string
  in: string
}

interface Operation {
  description?: string
  operationId?: string
  parameters?: Parameter[]
  security?: unknown
  requestBody?: unknown
  responses?: Record<string, { description?: string; content?: Record<string, unknown> }>
}

/** A route as Elysia lists it; what it was declared with is in `hooks`. */
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

async function documentOf(version: string, app: AnyElysia): Promise<Record<string, unknown>> {
  // Loaded when it is needed: it brings a whole schema library, a fifth of a second at start.
  const { toOpenAPISchema } = await import('@elysiajs/openapi')
  const { paths } = toOpenAPISchema(app)
  for (const { method, path, hooks } of app.routes as unknown as DeclaredRoute[]) {
    const operation = paths[path.replace(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase() as 'get']
    if (operation) describe(operation as Operation, hooks)
  }
  const schemas = { Error: { ...ErrorBody, $id: undefined } }
  return plain({ ...frame(version), paths, components: { securitySchemes: SECURITY_SCHEMES, schemas } })
}

/** Adds what Elysia cannot see: the headers, what our own body parsers read, and that all failures share one form. */
function describe(operation: Operation, hooks: DeclaredRoute['hooks']): void {
  const { body, parse, response = {}, detail } = hooks
  const notes = [operation.description, detail?.[NEED]].filter((note) => note !== undefined)
  if (notes.length > 0) operation.description = notes.join('\n\n')
  const headers = [...(detail?.parameters ?? []), ...(isForStores(operation) ? [ACTIVE_TENANT] : [])]
  const schemas = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header')
  if (headers.length > 0) operation.parameters = [...schemas, ...headers]
  const parser = parse?.map(({ fn }) => fn).find(isBodyParser)
  if (body && parser) {
    const content = Object.entries(parser.contentOf(body)).map(([type, schema]) => [type, { schema }])
    operation.requestBody = { required: !parser.isOptional, content: Object.fromEntries(content) }
  }
  for (const [status, schema] of Object.entries(response)) {
    const answer = operation.responses?.[status]
    if (!answer) continue
    if (/^Response for status/.test(answer.description ?? ''))
      answer.description = SUCCESS[status] ?? 'The answer'
    if (isFailure(schema)) {
      const failure = { schema: { $ref: '#/components/schemas/Error' } }
      answer.content = { 'application/json': failure, 'application/problem+json': failure }
    }
    if (detail?.[PAGE] && Number(status) < 500) {
      answer.content = { ...answer.content, 'text/html': { schema: { type: 'string' } } }
    }
  }
}

/** Refreshing concerns a token and no store. */
const isForStores = ({ security, operationId }: Operation): boolean =>
  security !== undefined && operationId !== 'refreshToken'

/** JSON Schema without what only our libraries mean by it. */
function plain<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(plain) as Value
  if (typeof value !== 'object' || value === null) return value
  const number = numberOf(value as unknown as TSchema)
  const { patternProperties, additionalProperties, ...schema } = { ...value, ...number } as Record<
    string,
    unknown
  >
  if (number) delete schema['anyOf']
  // Answers may carry more, and what is unknown in a request is ignored.
  if (typeof additionalProperties === 'object') schema['additionalProperties'] = additionalProperties
  const values = Object.values((patternProperties ?? {}) as Record<string, unknown>)
  if (values.length === 1) schema['additionalProperties'] = values[0]
  const choices = (schema['anyOf'] as TSchema[] | undefined)?.map(({ const: choice }) => choice)
  if (choices?.every((choice) => typeof choice === 'string')) {
    delete schema['anyOf']
    Object.assign(schema, { type: 'string', enum: choices })
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, item]) => (item === undefined ? [] : [[name, plain(item)]])),
  ) as Value
}
