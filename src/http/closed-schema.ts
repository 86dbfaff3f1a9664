import type { TSchema } from '@sinclair/typebox'
import { findMeantField } from '../core/meant-field.ts'
import type { Problem } from '../core/problem.ts'

/** Marks an object's schema that refuses unknown fields; the value holds a cure for some of them. */
const CLOSED = Symbol('closed')

type Cures = Readonly<Record<string, string>>

/**
 * Closes the schema of a body: an unknown field is refused, because its sender would believe that it took effect.
 * Elsewhere unknown fields are ignored, so that clients may be newer than the service.
 *
 * @param cures what to do instead, by the field's name.
 */
export const closed = <Schema extends TSchema>(schema: Schema, cures: Cures = {}): Schema => ({
  ...schema,
  additionalProperties: false,
  [CLOSED]: cures,
})

export const isClosed = (schema: TSchema): boolean => CLOSED in schema

/** Lists the unknown fields of a closed schema, each with the field that was probably meant. */
export const withKnownFields = (problems: Problem[], schema: TSchema): Problem[] =>
  problems.map((problem) => (problem.code === 'unknown' ? explain(problem, schema) : problem))

function explain(problem: Problem, schema: TSchema): Problem {
  const path = problem.pointer.slice(1).split('/').map(toName)
  const name = path.pop() as string
  const parent = path.reduce<TSchema | undefined>(
    (at, part) => at?.['properties']?.[part] ?? at?.['items'],
    schema,
  )
  const known = Object.keys(parent?.['properties'] ?? {})
  const cures = ((parent as { [CLOSED]?: Cures } | undefined)?.[CLOSED] ?? {}) as Cures
  const cure = Object.hasOwn(cures, name) ? cures[name] : undefined
  const meant = findMeantField(name, known)
  const advice = cure ?? (meant ? `did you mean '${meant}'?` : `known are ${known.join(', ')}`)
  return { ...problem, message: `is unknown; ${advice}` }
}

const toName = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
