import { distance } from 'fastest-levenshtein'

/** A route as Elysia lists it. */
interface ListedRoute {
  method: string
  path: string
  hooks?: { detail?: { hide?: boolean } } | undefined
}

/** The route that a wrong path probably meant. */
export interface NearRoute {
  method: string
  /** With parameters in braces. */
  path: string
  /** Whether the path is an address that a browser can open. */
  isAddress: boolean
}

/** Longer paths, and paths with more parts, are not compared. */
const PATH_CHARS_MAX = 120
const PARTS_MAX = 8

/** The cost of matching a part with a parameter, and of a different beginning. */
const PARAMETER_COST = 0.1
const VARIANT_COST = 1

/** Knows the routes, for 405 and its Allow header (RFC 9110 §15.5.6), and for paths that are nearly right. */
export function createRouteTable(listed: () => readonly ListedRoute[]) {
  let table: { method: string; pattern: RegExp }[] | undefined
  let shapes: { path: string; parts: readonly string[]; methods: string[] }[] | undefined

  function build() {
    return listed().map(({ method, path }) => {
      const segments = path
        .split('/')
        .map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)))
      return { method, pattern: new RegExp(`^${segments.join('/')}/?$`) }
    })
  }

  /** The paths to propose: a page or a file with a parameter is no help. */
  function buildShapes() {
    const shown = listed().filter(({ path, hooks }) => !(hooks?.detail?.hide && path.includes(':')))
    return [...Map.groupBy(shown, ({ path }) => path)].map(([path, routes]) => ({
      path,
      parts: splitPath(path),
      methods: routes.map(({ method }) => method),
    }))
  }

  return {
    listMethods(path: string): string[] {
      table ??= build()
      const methods = new Set(table.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
      // A path that supports GET supports HEAD as well.
      if (methods.has('GET')) methods.add('HEAD')
      return [...methods].sort()
    },

    /** Finds the route that an unknown path probably meant. The cost is bounded by the number of routes. */
    findNearest(method: string, path: string): NearRoute | undefined {
      if (path.length > PATH_CHARS_MAX) return undefined
      shapes ??= buildShapes()
      let best: { cost: number; route: NearRoute } | undefined
      for (const [parts, extra] of listVariants(splitPath(path.toLowerCase()))) {
        for (const shape of shapes) {
          const cost = computeCost(parts, shape.parts)
          if (cost === undefined) continue
          const isSameMethod = shape.methods.includes(method)
          const total = cost + extra + (isSameMethod ? 0 : 0.5)
          if (best && best.cost <= total) continue
          best = {
            cost: total,
            route: {
              method: isSameMethod ? method : (shape.methods[0] ?? 'GET'),
              path: shape.path.replace(/:(\w+)/g, '{$1}'),
              isAddress: shape.methods.includes('GET') && !shape.path.includes(':'),
            },
          }
        }
      }
      return best?.route
    },
  }
}

const splitPath = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** The path as it was sent, without a prefix of other APIs, and with the prefix of ours. */
function listVariants(parts: readonly string[]): [parts: readonly string[], cost: number][] {
  if (parts.length === 0 || parts.length > PARTS_MAX) return []
  const rest = /^(api|rest|v\d+)$/.test(parts[0] ?? '') ? parts.slice(1) : undefined
  return [
    [parts, 0],
    [['v1', ...(rest ?? parts)], VARIANT_COST],
    ...(rest ? [[rest, VARIANT_COST] as [readonly string[], number]] : []),
  ]
}

/** Counts the wrong letters of a path. @returns undefined if a part has more than a third of them wrong, and more than one. */
function computeCost(given: readonly string[], shape: readonly string[]): number | undefined {
  if (given.length !== shape.length) return undefined
  let cost = 0
  for (const [n, part] of given.entries()) {
    const wanted = shape[n] as string
    if (wanted.startsWith(':')) {
      cost += PARAMETER_COST
      continue
    }
    const wrong = distance(part, wanted)
    if (wrong > Math.max(1, Math.floor(wanted.length / 3))) return undefined
    cost += wrong
  }
  return cost
}
