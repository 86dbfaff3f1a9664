import { PERMISSIONS, type Permission } from '../../../core/actor.ts'
import type { Problem } from '../../../core/problem.ts'
import { validationError } from '../../../http/validation.ts'
import type { Scopes } from './schema.ts'

/** The actions of each resource, in the order of the permissions. */
const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(Object.groupBy(PERMISSIONS, (permission) => readResource(permission))).map(
    ([resource, permissions = []]) => [resource, permissions.map(readAction)],
  ),
)

/** A pointer repeats no more characters of a resource's name. */
const POINTER_CHARS_MAX = 100

/**
 * Reads scopes as permissions, each once and in the order of {@link PERMISSIONS}.
 *
 * @throws ApiError `validation_error` for a pair of resource and action that is not a permission, and for empty scopes.
 */
export function readPermissions(scopes: Scopes): Permission[] {
  const given = Object.entries(scopes).map(([resource, actions]) => ({ resource, actions: [actions].flat() }))
  const problems = given.flatMap(({ resource, actions }) => findProblem(resource, actions) ?? [])
  if (problems.length > 0) throw validationError(problems)
  const named = new Set(
    given.flatMap(({ resource, actions }) => actions.map((name) => `${resource}:${name}`)),
  )
  if (named.size === 0) {
    throw validationError([
      {
        in: 'body',
        pointer: '/scopes',
        code: 'min_items',
        message: `must name at least one action: ${ALLOWED}`,
      },
    ])
  }
  return PERMISSIONS.filter((permission) => named.has(permission))
}

/** Converts permissions to their wire form: resource → actions. */
export const toScopes = (permissions: readonly Permission[]): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(permissions, readResource)).map(([resource, group = []]) => [
      resource,
      group.map(readAction),
    ]),
  )

function findProblem(resource: string, actions: readonly string[]): Problem | undefined {
  const allowed = ACTIONS.get(resource)
  if (allowed && actions.every((action) => allowed.includes(action))) return undefined
  return {
    in: 'body',
    pointer: `/scopes/${escapeToken(resource.slice(0, POINTER_CHARS_MAX))}`,
    code: 'enum',
    message: allowed ? `allows only ${allowed.join(', ')}` : `is not a resource; use ${ALLOWED}`,
  }
}

const ALLOWED = [...ACTIONS].map(([resource, actions]) => `${resource} (${actions.join(', ')})`).join(' or ')

/** Escapes a name for a JSON pointer (RFC 6901 §3). */
const escapeToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function readResource(permission: Permission): string {
  return permission.slice(0, permission.indexOf(':'))
}

function readAction(permission: Permission): string {
  return permission.slice(permission.indexOf(':') + 1)
}
