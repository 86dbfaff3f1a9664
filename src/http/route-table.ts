import { distance } from 'fastest-levenshtein'
import { BoundedMap } from '../core/bounded-map.ts'

/** A route as Elysia lists it. */
interface ListedRoute {
  method: string
  path: string
  hooks?: { detail?: { hide?: boolean } } | undefined
}

/** A path that routes have, with the methods that it takes. */
interface Shape {
  path: string
  parts: readonly string[]
  methods: string[]
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

/** Unknown paths whose nearest route is kept: clients with a wrong address repeat it. */
const KEPT_MAX = 1_000

/** The cost of matching a part with a parameter, and of a different beginning. */
const PARAMETER_COST = 0.1
const VARIANT_COST = 1

/**
 * Knows the routes, for 405 and its Allow header (RFC 9110 §15.5.6), and for paths that are nearly right. A path is only
 * compared with routes of as many parts, because scanners ask for many paths that do not exist.
 */
export function createRouteTable(listed: () => readonly ListedRoute[]) {
  let patterns: Map<number, { method: string; pattern: RegExp }[]> | undefined
  let shapes: Map<number, Shape[]> | undefined
  const nearest = new BoundedMap<string, NearRoute | undefined>(KEPT_MAX)

  /** The patterns of the paths, by their number of slashes. */
  function buildPatterns() {
    const all = listed().map(({ method, path }) => {
      const segments = path.split('/')
      const parts = segments.map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)))
      return { method, slashes: segments.length - 1, pattern: new RegExp(`^${parts.join('/')}/?$`) }
    })
    return Map.groupBy(all, ({ slashes }) => slashes)
  }

  /** The paths to propose, by their number of parts: a page or a file with a parameter is no help. */
  function buildShapes() {
    const shown = listed().filter(({ path, hooks }) => !(hooks?.detail?.hide && path.includes(':')))
    const all = [...Map.groupBy(shown, ({ path }) => path)].map(([path, routes]) => ({
      path,
      parts: splitPath(path),
      methods: routes.map(({ method }) => method),
    }))
    return Map.groupBy(all, ({ parts }) => parts.length)
  }

  function* matchMethods(path: string, slashes: number): Generator<string> {
    patterns ??= buildPatterns()
    for (const { method, pattern } of patterns.get(slashes) ?? []) if (pattern.test(path)) yield method
  }

  function computeNearest(method: string, path: string): NearRoute | undefined {
    shapes ??= buildShapes()
    let best: { cost: number; route: NearRoute } | undefined
    for (const [parts, extra] of listVariants(splitPath(path.toLowerCase()))) {
      for (const shape of shapes.get(parts.length) ?? []) {
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
  }

  return {
    listMethods(path: string): string[] {
      const slashes = path.split('/').length - 1
      const methods = new Set(matchMethods(path, slashes))
      // One slash may follow the path of a route.
      if (path.endsWith('/')) for (const method of matchMethods(path, slashes - 1)) methods.add(method)
      // A path that supports GET supports HEAD as well.
      if (methods.has('GET')) methods.add('HEAD')
      return [...methods].sort()
    },

    /** Finds the route that an unknown path probably meant. The cost is bounded by the number of routes. */
    findNearest(method: string, path: string): NearRoute | undefined {
      if (path.length > PATH_CHARS_MAX) return undefined
      const key = `${method} ${path}`
      if (nearest.has(key)) return nearest.get(key)
      const found = computeNearest(method, path)
      nearest.set(key, found)
      return found
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

/**
 * Counts the wrong letters of a path, part by part with a shape of as many parts.
 *
 * @returns undefined if a part has more than a third of them wrong, and more than one.
 */
function computeCost(given: readonly string[], shape: readonly string[]): number | undefined {
  let cost = 0
  for (let n = 0; n < shape.length; n++) {
    const [part, wanted] = [given[n] as string, shape[n] as string]
    if (wanted.startsWith(':')) {
      cost += PARAMETER_COST
      continue
    }
    const mostWrong = Math.max(1, Math.floor(wanted.length / 3))
    // Each letter that is missing or too many is wrong: most parts need no comparison.
    if (Math.abs(part.length - wanted.length) > mostWrong) return undefined
    const wrong = distance(part, wanted)
    if (wrong > mostWrong) return undefined
    cost += wrong
  }
  return cost
}
