import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findMeantField } from '../core/meant-field.ts'

/** A route as Elysia lists it. */
interface ListedRoute {
  method: string
  path: string
  hooks?: { query?: unknown } | undefined
}

/** Names that other services give to the parameters of a page. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  cursor: [
    'page',
    'pagenumber',
    'p',
    'offset',
    'skip',
    'start',
    'from',
    'after',
    'before',
    'next',
    'nextcursor',
  ],
  limit: ['first', 'pagelimit', 'length'],
}

/** Warnings of one answer, and the characters of a name that they show. */
const WARNINGS_MAX = 10
const NAME_CHARS_MAX = 60

/**
 * Warns of parameters that a list does not know (contract 1.7). A client that asks for page 2 by a name of another service
 * would otherwise get page 1 again and again. The warnings stand in `warnings` of a page, and in the header of every list.
 */
export function listWarningsPlugin(listed: () => readonly ListedRoute[]) {
  /** The parameters of each route. */
  let known: Map<string, readonly string[]> | undefined
  return new Elysia({ name: 'http.listWarnings' }).onAfterHandle(
    { as: 'global' },
    ({ request, route, responseValue, set }) => {
      if (request.method !== 'GET' || !request.url.includes('?')) return
      known ??= new Map(
        listed().flatMap(({ method, path, hooks }) =>
          method === 'GET' ? [[path, listNames(hooks?.query)]] : [],
        ),
      )
      const names = known.get(route) ?? []
      if (!Array.isArray(responseValue) && !names.includes('limit')) return
      const warnings = warnOfUnknown(new URL(request.url).searchParams.keys(), names)
      if (warnings.length === 0) return
      set.headers['x-warnings'] = warnings.join(', ')
      return isPage(responseValue) ? { ...responseValue, warnings } : undefined
    },
  )
}

const listNames = (query: unknown): readonly string[] =>
  Object.keys(((query as TSchema | undefined)?.['properties'] ?? {}) as object)

const isPage = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && 'next_cursor' in value

function warnOfUnknown(given: Iterable<string>, known: readonly string[]): string[] {
  const warnings: string[] = []
  for (const name of new Set(given)) {
    if (known.includes(name)) continue
    if (warnings.length === WARNINGS_MAX) break
    const meant = findMeant(name.slice(0, NAME_CHARS_MAX), known)
    // A header can hold no other characters.
    const shown = encodeURIComponent(name.slice(0, NAME_CHARS_MAX).toWellFormed())
    const end = known.length === 0 ? '; this list has no parameters, and is whole' : ''
    warnings.push(
      `the unknown parameter '${shown}' was ignored${meant === undefined ? end : `; did you mean '${meant}'?`}`,
    )
  }
  return warnings
}

function findMeant(name: string, known: readonly string[]): string | undefined {
  const plain = name.toLowerCase().replace(/[_\-. ]/g, '')
  return known.find((field) => HABITS[field]?.includes(plain)) ?? findMeantField(name, known)
}
