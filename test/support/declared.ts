import { listCodes } from '../../src/http/failures.ts'

interface DeclaredRoute {
  method: string
  path: string
  hooks: { response?: Record<string, object>; detail?: { hide?: boolean; responses?: object } }
}

/** By path with parameters: the routes of every program are the same. */
const patterns = new Map<string, RegExp>()

/**
 * Creates a check of failures against the declarations of their routes.
 *
 * @returns a function that throws for a code that the route does not declare.
 */
export function declaredFailures(listed: () => readonly unknown[]) {
  return (method: string, path: string, code: unknown): void => {
    const name = method === 'HEAD' ? 'GET' : method
    const route = (listed() as DeclaredRoute[]).find(
      (route) => route.method === name && isDeclared(route) && patternOf(route.path).test(path),
    )
    if (route && typeof code === 'string' && !listDeclared(route).includes(code)) {
      throw new Error(`${method} ${path} answers ${code}, which the route does not declare`)
    }
  }
}

const isDeclared = ({ hooks: { detail } }: DeclaredRoute): boolean => !detail?.hide && !detail?.responses

const listDeclared = ({ hooks: { response = {} } }: DeclaredRoute): readonly string[] =>
  Object.values(response).flatMap((schema) => listCodes(schema) ?? [])

function patternOf(path: string): RegExp {
  const found = patterns.get(path) ?? new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`)
  patterns.set(path, found)
  return found
}
