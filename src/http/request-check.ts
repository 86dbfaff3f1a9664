import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia } from 'elysia'
import type { Problem } from '../core/problem.ts'
import { isBodyParser, isMultipart } from './body.ts'
import { isClosed, withKnownFields } from './closed-schema.ts'
import { dropEmptyIds } from './empty-ids.ts'
import { withMeantFields } from './meant-fields.ts'
import { toNumber } from './number-text.ts'
import { findProblems, validationError } from './validation.ts'

/** A route as Elysia lists it. */
interface ListedRoute {
  method: string
  path: string
  hooks?: { body?: unknown; query?: unknown; params?: unknown; parse?: unknown } | undefined
}

interface Incoming {
  request: Request
  body: unknown
  query: unknown
  params: unknown
}

type Check = (incoming: Incoming) => Problem[]

/**
 * Checks every path, query and body as it was sent.
 *
 * Elysia converts a value towards its schema before it checks the value: a string in place of an object passes as an
 * object of the string's letters, and a missing field is reported as one of the wrong type. The check therefore runs
 * before the conversion, and its problems are thrown where Elysia would throw: after the credential was checked.
 */
export function createRequestCheck(listed: () => readonly ListedRoute[]) {
  let routes: Map<string, ListedRoute> | undefined
  /** Compiled on the first request of a route. */
  const checks = new Map<string, Check>()
  const verdicts = new WeakMap<Request, Problem[]>()

  function findCheck(name: string): Check | undefined {
    const known = checks.get(name)
    if (known) return known
    routes ??= new Map(listed().map((route) => [`${route.method} ${route.path}`, route]))
    const route = routes.get(name)
    if (!route) return undefined
    const check = buildCheck(route.hooks ?? {})
    checks.set(name, check)
    return check
  }

  const plugin = new Elysia({ name: 'http.requestCheck' })
    .onTransform({ as: 'global' }, ({ request, route, body, query, params }) => {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const problems = findCheck(`${method} ${route}`)?.({ request, body, query, params })
      if (!problems || problems.length === 0) return
      // The credential was checked before the body was read. Elysia's own refusal would contain the whole body as text.
      if (problems.some(({ in: place }) => place === 'body')) throw validationError(problems)
      verdicts.set(request, problems)
    })
    .onBeforeHandle({ as: 'global' }, ({ request }) => {
      const problems = verdicts.get(request)
      if (problems) throw validationError(problems)
    })

  return {
    plugin,
    /** Finds the problems of a request, for an error that Elysia threw about it. */
    findProblems: (request: Request): Problem[] | undefined => verdicts.get(request),
  }
}

function buildCheck({ body, query, params, parse }: NonNullable<ListedRoute['hooks']>): Check {
  const parts = [
    params ? buildPartCheck(params as TSchema, 'path', ({ params: value }) => value) : undefined,
    query
      ? buildPartCheck(withPlainNumbers(query as TSchema), 'query', createQueryReader(query as TSchema))
      : undefined,
    body ? buildBodyCheck(body as TSchema, parse) : undefined,
  ].filter((part) => part !== undefined)
  return (incoming) => parts.flatMap((part) => part(incoming))
}

function buildPartCheck(schema: TSchema, place: Problem['in'], pick: (incoming: Incoming) => unknown): Check {
  const compiled = TypeCompiler.Compile(schema)
  return (incoming) => {
    const value = pick(incoming)
    return compiled.Check(value) ? [] : findProblems(schema, value, place)
  }
}

/** Checks a body by the schema of its own media type, so that the problems of a form never mention JSON. */
function buildBodyCheck(body: TSchema, parse: unknown): Check {
  const check = (schema: TSchema): Check => {
    const find = buildPartCheck(toOpenSchema(schema), 'body', ({ body: value }) => value)
    if (isClosed(schema)) return (incoming) => withKnownFields(find(incoming), schema)
    return (incoming) => {
      dropEmptyIds(schema, incoming.body)
      return withMeantFields(find(incoming), schema, incoming.body)
    }
  }
  const parser = (parse as { fn: unknown }[] | undefined)?.map(({ fn }) => fn).find(isBodyParser)
  const { 'multipart/form-data': form, ...others } = parser?.describeContent(body) ?? {}
  const checkForm = form && check(form)
  const checkOther = check(Object.values(others)[0] ?? form ?? body)
  return (incoming) =>
    checkForm && isMultipart(incoming.request)
      ? checkForm(incoming).map(inWordsOfForms)
      : checkOther(incoming)
}

/** A form sends an object as text. */
const inWordsOfForms = (problem: Problem): Problem =>
  problem.expected === 'object' && problem.pointer.lastIndexOf('/') === 0
    ? { ...problem, message: 'must be a JSON object as text' }
    : problem

/** Reopens a schema: unknown fields are ignored, but Elysia closes the schemas of bodies to drop them. */
function toOpenSchema(schema: TSchema): TSchema {
  return schema['additionalProperties'] === false && !isClosed(schema)
    ? { ...schema, additionalProperties: true }
    : schema
}

/** Finds the number schema in Elysia's "number or numeric string", the type of a number in a query. */
export function findNumber(schema: TSchema): TSchema | undefined {
  const branches = schema['anyOf'] as TSchema[] | undefined
  const hasText = branches?.some(
    ({ type, format }) => type === 'string' && /^(integer|numeric)$/.test(format),
  )
  return hasText ? branches?.find(({ type }) => type === 'integer' || type === 'number') : undefined
}

/** Converts a query's schema: plain numbers replace numeric strings. */
function withPlainNumbers(schema: TSchema): TSchema {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>).map(
    ([name, field]) => {
      const number = findNumber(field)
      // TypeBox marks optional fields with a symbol on the union.
      return [name, number ? { ...field, anyOf: undefined, ...number, [Kind]: number[Kind] } : field]
    },
  )
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: true } as TSchema
}

function createQueryReader(schema: TSchema): (incoming: Incoming) => unknown {
  const numbers = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>).flatMap(
    ([name, field]) => {
      const type = findNumber(field)?.['type'] as 'integer' | 'number' | undefined
      return type ? [{ name, type }] : []
    },
  )
  return ({ query }) => {
    const values = { ...(query as Record<string, unknown>) }
    for (const { name, type } of numbers) values[name] = toNumber(values[name], type)
    return values
  }
}
