import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia } from 'elysia'
import { type Problem, problemsOf, validationError } from './validation.ts'

/** A route as Elysia lists it. */
interface ListedRoute {
  method: string
  path: string
  hooks?: { body?: unknown; query?: unknown; params?: unknown } | undefined
}

interface Incoming {
  request: Request
  body: unknown
  query: unknown
  params: unknown
}

type Check = (incoming: Incoming) => Problem[]

export type RequestCheck = ReturnType<typeof createRequestCheck>

/**
 * Judges every path, query and body as it came.
 *
 * Elysia bends a value towards its schema before it looks at it: a text where an object belongs passes as an object of
 * the text's letters, and a missing field is told as one of the wrong type. So the verdict is made before that, and
 * spoken where Elysia would speak: after the bearer was judged.
 */
export function createRequestCheck(listed: () => readonly ListedRoute[]) {
  let checks: Map<string, Check> | undefined
  const verdicts = new WeakMap<Request, Problem[]>()

  const build = () =>
    new Map(listed().map(({ method, path, hooks = {} }) => [`${method} ${path}`, checkOf(hooks)] as const))

  const plugin = new Elysia({ name: 'http.requestCheck' })
    .onTransform({ as: 'global' }, ({ request, route, body, query, params }) => {
      checks ??= build()
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const problems = checks.get(`${method} ${route}`)?.({ request, body, query, params })
      if (problems && problems.length > 0) verdicts.set(request, problems)
    })
    .onBeforeHandle({ as: 'global' }, ({ request }) => {
      const problems = verdicts.get(request)
      if (problems) throw validationError(problems)
    })

  return {
    plugin,
    /** What was found wrong with a request, for an error that Elysia threw about it. */
    problemsOf: (request: Request): Problem[] | undefined => verdicts.get(request),
  }
}

function checkOf({ body, query, params }: NonNullable<ListedRoute['hooks']>): Check {
  const parts = [
    params ? partCheck(params as TSchema, 'path', ({ params: value }) => value) : undefined,
    query ? partCheck(plainNumbers(query as TSchema), 'query', queryOf(query as TSchema)) : undefined,
    body ? partCheck(opened(body as TSchema), 'body', ({ body: value }) => value) : undefined,
  ].filter((part) => part !== undefined)
  return (incoming) => parts.flatMap((part) => part(incoming))
}

function partCheck(schema: TSchema, place: Problem['in'], pick: (incoming: Incoming) => unknown): Check {
  const compiled = TypeCompiler.Compile(schema)
  return (incoming) => {
    const value = pick(incoming)
    return compiled.Check(value) ? [] : problemsOf(schema, value, place)
  }
}

/** Unknown fields are ignored; Elysia closes the schemas of bodies, so that it can drop them. */
function opened(schema: TSchema): TSchema {
  if (schema['anyOf']) return { ...schema, anyOf: (schema['anyOf'] as TSchema[]).map(opened) } as TSchema
  return schema['additionalProperties'] === false ? { ...schema, additionalProperties: true } : schema
}

/** The number of Elysia's "number or its text", the type of a number in a query. */
export function numberOf(schema: TSchema): TSchema | undefined {
  const branches = schema['anyOf'] as TSchema[] | undefined
  const hasText = branches?.some(
    ({ type, format }) => type === 'string' && /^(integer|numeric)$/.test(format),
  )
  return hasText ? branches?.find(({ type }) => type === 'integer' || type === 'number') : undefined
}

/** A query's schema over numbers instead of their texts. */
function plainNumbers(schema: TSchema): TSchema {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>).map(
    ([name, field]) => {
      const number = numberOf(field)
      // TypeBox tells optional fields by a symbol that sits on the union.
      return [name, number ? { ...field, anyOf: undefined, ...number, [Kind]: number[Kind] } : field]
    },
  )
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: true } as TSchema
}

function queryOf(schema: TSchema): (incoming: Incoming) => unknown {
  const numbers = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>)
    .filter(([, field]) => numberOf(field))
    .map(([name]) => name)
  return ({ query }) => {
    const values = { ...(query as Record<string, unknown>) }
    for (const name of numbers) values[name] = toNumber(values[name])
    return values
  }
}

/** The number that a text stands for, or the value as it is. */
export const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value.trim())
    ? Number(value)
    : value
