import type { TSchema } from '@sinclair/typebox'
import { findMeantField } from '../core/meant-field.ts'
import type { Problem } from '../core/problem.ts'

/** The most unknown fields to compare, and their longest name. */
const FIELDS_MAX = 20
const NAME_CHARS_MAX = 60

/**
 * Adds the meaning of unknown fields to the problems of a body: a missing field may have been sent under another name.
 * Unknown fields alone are no problem.
 */
export function withMeantFields(problems: Problem[], schema: TSchema, body: unknown): Problem[] {
  const properties = schema['properties'] as Record<string, TSchema> | undefined
  if (problems.length === 0 || !properties || typeof body !== 'object' || body === null) return problems
  const meant = findMeantFields(Object.keys(properties), body as Record<string, unknown>)
  if (meant.size === 0) return problems
  const told = new Set<string>()
  const explained = problems.map((problem) => {
    const field = problem.pointer.slice(1)
    const name = problem.code === 'required' ? meant.get(field) : undefined
    if (name === undefined) return problem
    told.add(field)
    return { ...problem, message: `is required; did you mean '${field}' by '${name}'?` }
  })
  const others = [...meant].filter(([field]) => !told.has(field))
  return [...explained, ...others.map(([field, name]) => unknownField(name, field))]
}

/** Finds the unknown names in a body, by the fields that they probably mean. No name means a field that was sent. */
function findMeantFields(known: readonly string[], body: Record<string, unknown>): Map<string, string> {
  const missing = known.filter((field) => !Object.hasOwn(body, field))
  const meant = new Map<string, string>()
  let looked = 0
  for (const name in body) {
    if (known.includes(name)) continue
    if (looked++ === FIELDS_MAX) break
    if (name.length > NAME_CHARS_MAX) continue
    const field = findMeantField(name, missing)
    if (field !== undefined && !meant.has(field)) meant.set(field, name)
  }
  return meant
}

const unknownField = (name: string, field: string): Problem => ({
  in: 'body',
  pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  code: 'unknown',
  message: `is unknown; did you mean '${field}'?`,
})
