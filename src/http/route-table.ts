/** A route as Elysia lists it. */
interface ListedRoute {
  method: string
  path: string
}

/** Lists the methods of a path, for 405 and its Allow header (RFC 9110 §15.5.6). */
export function createRouteTable(listed: () => readonly ListedRoute[]) {
  let table: { method: string; pattern: RegExp }[] | undefined

  function build() {
    return listed().map(({ method, path }) => {
      const segments = path
        .split('/')
        .map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)))
      return { method, pattern: new RegExp(`^${segments.join('/')}/?$`) }
    })
  }

  return {
    listMethods(path: string): string[] {
      table ??= build()
      const methods = new Set(table.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
      // A path that supports GET supports HEAD as well.
      if (methods.has('GET')) methods.add('HEAD')
      return [...methods].sort()
    },
  }
}
