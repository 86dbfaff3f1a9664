import { listCodes } from '../../src/http/failures.ts'

interface DeclaredRoute {
  method: string
  path: string
  hooks: { response?: Record<string, object>; detail?: { hide?: boolean; responses?: object } }
}

/**
 * Creates a check of failures against the declarations of their routes.
 *
 * @returns a function that throws for a code that the route does not declare.
 */
export function declaredFailures(listed: () => readonly unknown[]) {
  let table: { method: string; pattern: RegExp; codes: ReadonlySet<string> }[] | undefined
  const build = () =>
    (listed() as DeclaredRoute[])
      .filter(({ hooks: { detail } }) => !detail?.hide && !detail?.responses)
      .map(({ method, path, hooks: { response = {} } }) => ({
        method,
        pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
        codes: new Set<string>(Object.values(response).flatMap((schema) => listCodes(schema) ?? [])),
      }))

  return (method: string, path: string, code: unknown): void => {
    table ??= build()
    const name = method === 'HEAD' ? 'GET' : method
    const route = table.find(({ method, pattern }) => method === name && pattern.test(path))
    if (route && typeof code === 'string' && !route.codes.has(code)) {
      throw new Error(`${method} ${path} answers ${code}, which the route does not declare`)
    }
  }
}
