import { PERMISSIONS, type Permission } from '../../../core/actor.ts'
import { type Problem, validationError } from '../../../http/validation.ts'
import type { Scopes } from './schema.ts'

/** Actions of each resource, in the order of the permissions. */
const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(Object.groupBy(PERMISSIONS, (permission) => resourceOf(permission))).map(
    ([resource, permissions = []]) => [resource, permissions.map(actionOf)],
  ),
)

/** Beyond this a name of a resource is not repeated in a pointer. */
const POINTER_CHARS_MAX = 100

/**
 * The permissions that scopes stand for, each once and in the order of {@link PERMISSIONS}.
 *
 * @throws ApiError `validation_error` for a pair of resource and action that is no permission, and for none at all.
 */
export function permissionsOf(scopes: Scopes): Permission[] {
  const given = Object.entries(scopes).map(([resource, actions]) => ({ resource, actions: [actions].flat() }))
  const problems = given.flatMap(({ resource, actions }) => problemOf(resource, actions) ?? [])
  if (problems.length > 0) throw validationError(problems)
  const asked = new Set(
    given.flatMap(({ resource, actions }) => actions.map((name) => `${resource}:${name}`)),
  )
  if (asked.size === 0) {
    throw validationError([
      { in: 'body', pointer: '/scopes', code: 'min_items', message: `must name an action: ${ALLOWED}` },
    ])
  }
  return PERMISSIONS.filter((permission) => asked.has(permission))
}

/** The wire form of permissions: resource → actions. */
export const scopesOf = (permissions: readonly Permission[]): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(permissions, resourceOf)).map(([resource, group = []]) => [
      resource,
      group.map(actionOf),
    ]),
  )

function problemOf(resource: string, actions: readonly string[]): Problem | undefined {
  const allowed = ACTIONS.get(resource)
  if (allowed && actions.every((action) => allowed.includes(action))) return undefined
  return {
    in: 'body',
    pointer: `/scopes/${escaped(resource.slice(0, POINTER_CHARS_MAX))}`,
    code: 'enum',
    message: allowed ? `may hold ${allowed.join(', ')}` : `is no resource; there are ${ALLOWED}`,
  }
}

const ALLOWED = [...ACTIONS].map(([resource, actions]) => `${resource} (${actions.join(', ')})`).join(' and ')

/** RFC 6901 §3. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function resourceOf(permission: Permission): string {
  return permission.slice(0, permission.indexOf(':'))
}

function actionOf(permission: Permission): string {
  return permission.slice(permission.indexOf(':') + 1)
}
