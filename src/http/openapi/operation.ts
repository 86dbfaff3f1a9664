import type { TSchema } from '@sinclair/typebox'
import { isBodyParser } from '../body.ts'
import { listCodes } from '../failures.ts'
import { ACTIVE_TENANT, NEED } from '../guards.ts'
import { IDEMPOTENCY_KEY } from '../idempotency.ts'
import { PAGE } from '../page.ts'
import type { SchemaBook } from './schema-book.ts'
import { ERROR_CONTENT, FAILURE_NAMES } from './shared-failures.ts'

interface Parameter {
  name: string
  in: string
}

interface Answer {
  description?: string
  content?: Record<string, Content>
}

interface Content {
  schema?: object
  example?: unknown
}

/** A route as Elysia lists it; `hooks` holds its declaration. */
export interface DeclaredRoute {
  method: string
  path: string
  hooks: {
    body?: TSchema
    params?: TSchema
    query?: TSchema
    parse?: { fn: unknown }[]
    response?: Record<string, TSchema>
    detail?: {
      hide?: boolean
      operationId?: string
      summary?: string
      description?: string
      tags?: string[]
      security?: readonly object[]
      parameters?: readonly Parameter[]
      requestBody?: { required?: boolean; content: Record<string, Content> }
      responses?: Record<string, Answer>
      [NEED]?: string
      [PAGE]?: boolean
    }
  }
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags: readonly string[]
  security: readonly object[]
  parameters?: object[]
  requestBody?: object
  responses: Record<string, object>
}

/** Headers of many operations, by their names in the document. */
export const SHARED_PARAMETERS = { ActiveTenant: ACTIVE_TENANT, IdempotencyKey: IDEMPOTENCY_KEY } as const

/** Descriptions of answers other than failures; 503 is the report of a service that is not ready. */
const ANSWERS: Readonly<Record<string, string>> = {
  200: '200 OK',
  201: '201 Created',
  202: '202 Accepted',
  503: '503 Not ready',
}

/** The document's path of a route. */
export const toDocumentPath = (path: string): string => path.replace(/:([^/]+)/g, '{$1}')

/** Describes one route. @throws Error for a route without an operationId, which names its schemas. */
export function describeRoute({ method, path, hooks }: DeclaredRoute, book: SchemaBook): Operation {
  const { detail = {} } = hooks
  const { operationId, summary, security = [], tags = [] } = detail
  if (!operationId) throw new Error(`${method} ${path} has no operationId`)
  const description = [detail.description, detail[NEED]].filter((note) => note !== undefined).join('\n\n')
  const parameters = listParameters(path, hooks, book)
  const requestBody = describeBody(operationId, hooks, book)
  return {
    operationId,
    ...(summary && { summary }),
    ...(description && { description }),
    tags,
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: describeAnswers(operationId, hooks, book),
  }
}

function listParameters(
  path: string,
  { params, query, detail }: DeclaredRoute['hooks'],
  book: SchemaBook,
): object[] {
  const fields = (schema: TSchema | undefined) => (schema?.['properties'] ?? {}) as Record<string, TSchema>
  const queryFields = fields(query)
  const required = (query?.['required'] ?? []) as string[]
  const describe = (name: string, place: string, isRequired: boolean, field: TSchema | undefined) => {
    const { default: usual, ...rest } = field ?? { type: 'string' }
    const { description, examples, ...schema } = book.convert(rest)
    return {
      name,
      in: place,
      required: isRequired,
      ...(description !== undefined && { description }),
      ...(Array.isArray(examples) && { example: examples[0] }),
      schema: { ...schema, ...(usual !== undefined && { default: usual }) },
    }
  }
  const headers = [...(detail?.parameters ?? []), ...(detail?.[NEED] ? [ACTIVE_TENANT] : [])]
  return [
    ...[...path.matchAll(/:([^/]+)/g)].map(([, name = '']) =>
      describe(name, 'path', true, fields(params)[name]),
    ),
    ...Object.entries(queryFields).map(([name, field]) =>
      describe(name, 'query', required.includes(name), field),
    ),
    ...headers.map(referToShared),
  ]
}

function referToShared(parameter: Parameter): object {
  const shared = Object.entries(SHARED_PARAMETERS).find(([, { name }]) => name === parameter.name)
  return shared ? { $ref: `#/components/parameters/${shared[0]}` } : parameter
}

/** The name of a body's type: `searchByText` takes a `SearchByTextRequest`. */
const nameBody = (operationId: string, kind: 'Request' | 'Form' | 'Response'): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${kind}`

function describeBody(
  operationId: string,
  { body, parse, detail }: DeclaredRoute['hooks'],
  book: SchemaBook,
): object | undefined {
  const parser = parse?.map(({ fn }) => fn).find(isBodyParser)
  const declared = detail?.requestBody
  const schemas: [type: string, schema: object | undefined][] =
    body && parser
      ? Object.entries(parser.describeContent(body))
      : Object.entries(declared?.content ?? {}).map(([type, { schema }]) => [type, schema])
  if (schemas.length === 0) return undefined
  const content = schemas.map(([type, schema]) => {
    const name = nameBody(operationId, type.startsWith('multipart/') ? 'Form' : 'Request')
    return [type, { ...book.convertBody(schema ?? {}, name), ...exampleOf(declared?.content[type]) }]
  })
  return {
    required: declared ? declared.required === true : !parser?.isOptional,
    content: Object.fromEntries(content),
  }
}

const exampleOf = (content: Content | undefined): object =>
  content?.example === undefined ? {} : { example: content.example }

function describeAnswers(
  operationId: string,
  { response, detail }: DeclaredRoute['hooks'],
  book: SchemaBook,
): Record<string, object> {
  const declared = Object.entries(detail?.responses ?? {}).map(([status, answer]) => [
    status,
    // An answer without a schema comes from the server itself and has no body.
    Number(status) in FAILURE_NAMES ? describeFailure(status, answer.description ?? status, false) : answer,
  ])
  const checked = Object.entries(response ?? {}).map(([status, schema]) => {
    const description = schema.description ?? ANSWERS[status] ?? status
    const isPage = detail?.[PAGE] === true && Number(status) < 500
    if (listCodes(schema)) return [status, describeFailure(status, description, isPage)]
    // A description of the whole schema would appear twice.
    const { schema: plain, example } = book.convertBody(schema, nameBody(operationId, 'Response'))
    const content = { 'application/json': { schema: plain, ...(example !== undefined && { example }) } }
    return [status, { description, content: { ...content, ...(isPage && HTML) } }]
  })
  return Object.fromEntries([...declared, ...checked])
}

const HTML = { 'text/html': { schema: { type: 'string' } } } as const

/** A failure refers to the shared answer of its status, and lists the codes that this operation may answer. */
function describeFailure(status: string, description: string, isPage: boolean): object {
  const name = FAILURE_NAMES[Number(status)]
  if (!name) throw new Error(`No shared answer describes the status ${status}`)
  if (!isPage) return { $ref: `#/components/responses/${name}`, description }
  return { description, content: { ...ERROR_CONTENT, ...HTML } }
}
