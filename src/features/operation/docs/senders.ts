import type { ErrorCode } from '../../../core/errors.ts'
import { listCodes } from '../../../http/failures.ts'
import type { Endpoint } from './error-page.ts'

/** A route as Elysia lists it. */
export interface ListedRoute {
  method: string
  path: string
  hooks?:
    | { response?: unknown; detail?: { hide?: boolean; operationId?: string; tags?: string[] } }
    | undefined
}

/** Knows which endpoints of the API declare an error code. @param listed asked once, when every route is there. */
export function createSenders(listed: () => readonly ListedRoute[]) {
  let byCode: Map<string, Endpoint[]> | undefined

  function build(): Map<string, Endpoint[]> {
    const found = new Map<string, Endpoint[]>()
    for (const { method, path, hooks } of listed()) {
      if (hooks?.detail?.hide) continue
      const codes = new Set(Object.values(hooks?.response ?? {}).flatMap((schema) => listCodes(schema) ?? []))
      const { tags: [tag] = [], operationId } = hooks?.detail ?? {}
      const endpoint = {
        method,
        path: path.replace(/:(\w+)/g, '{$1}'),
        // Swagger UI opens the operation that its address names.
        address: tag && operationId ? `/docs#/${encodeURIComponent(tag)}/${operationId}` : '/docs',
      }
      for (const code of codes) {
        const endpoints = found.get(code) ?? []
        endpoints.push(endpoint)
        found.set(code, endpoints)
      }
    }
    return found
  }

  return (code: ErrorCode): readonly Endpoint[] => {
    byCode ??= build()
    return byCode.get(code) ?? []
  }
}
