import { widgetFileRoutes } from '../../../src/features/operation/widget-files/routes.ts'

/** One call of the widget, as it arrived. */
export interface Call {
  path: string
  method: string
  headers: Headers
  /** Fields of JSON or of a form; files apart. */
  body: Record<string, unknown>
  image?: { bytes: Uint8Array; name: string; type: string }
}

export interface Reply {
  status?: number
  body?: Record<string, unknown>
  headers?: Record<string, string>
}

const COLOURS = ['#7a9e7e', '#c9a66b', '#8a6f9e', '#b0595f', '#5f86b0', '#d0b84a']

/** A picture of a product, drawn so that screenshots show something. */
const drawProduct = (n: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><rect width="200" height="200" fill="#eee9e2"/>
  <rect x="60" y="60" width="${60 + (n % 4) * 10}" height="100" rx="${10 + (n % 5) * 8}" fill="${COLOURS[n % COLOURS.length]}"/></svg>`

const NAMES = [
  'Ember stoneware mug',
  'Basalt conical mug',
  'Harbour striped mug with a rather long name',
  'Olive bowl',
]

/** Hits whose scores fall evenly, as the service lists them. */
export const hits = (count: number, first = 0.93, base = '') =>
  Array.from({ length: count }, (_, n) => ({
    product_id: `sku-${n + 1}`,
    similarity_score: Math.max(0.05, first - n * 0.01),
    metadata: {
      name: NAMES[n % NAMES.length],
      price: 14.5 + n,
      currency: 'EUR',
      url: `/p/sku-${n + 1}`,
      ...(n % 4 === 1 && { sale_price: 9.9 + n }),
      ...(n % 5 === 3 && { in_stock: false }),
    },
    ...(n % 5 === 3 && { sold_out: true }),
    image_url: `${base}/product/${n}.svg`,
  }))

export const KEY = 'pk_live_00000000000000000000000000000000abcdef'
const SEARCH_ID = '01920000-0000-7000-8000-000000000001'

/**
 * Stands in for the service: its real files of the widget, and answers in the shape of its API, with its rules for
 * origins and keys.
 */
export function startService(origins: () => string[]) {
  const calls: Call[] = []
  const callsOf = (name: string) => calls.filter(({ path }) => path === `/v1/widget/search/${name}`)
  let noteCall = () => {}
  /** Requests of any kind, in order, with their method. */
  const requests: string[] = []
  const forgotten = new Set<string>()
  let images = 0
  /** Answers instead of the usual one, while it gives one. */
  let intercept: (call: Call) => Reply | undefined | Promise<Reply | undefined> = () => undefined
  let isDown = false

  const files = widgetFileRoutes(() => address())
  const address = () => `http://127.0.0.1:${server.port}`

  const answer = (count: number, extra: object = {}): Reply => ({
    body: {
      ...{ query_time_ms: 4, count, search_id: SEARCH_ID, warnings: [] },
      results: hits(count, 0.93, address()),
      ...extra,
    },
  })

  const seen = {
    regions: [
      { box: { x: 0.1, y: 0.1, width: 0.4, height: 0.5 }, score: 0.8 },
      { box: { x: 0.5, y: 0.4, width: 0.4, height: 0.5 }, score: 0.6 },
    ],
    query_categories: [
      { name: 'mugs', score: 0.8 },
      { name: 'bowls', score: 0.3 },
    ],
  }

  function usual({ path, body, image }: Call): Reply {
    const missing = (resource: string): Reply => ({
      status: 404,
      body: { error: 'not_found', message: 'There is no such image.', details: { resource } },
    })
    switch (path) {
      case '/v1/widget/search/text':
        return answer(12)
      case '/v1/widget/search/upload': {
        if (!image) return { status: 422, body: { error: 'image_source_invalid', message: 'no image' } }
        images += 1
        return answer(30, { image_id: `image-${images}`, ...seen })
      }
      case '/v1/widget/search/url': {
        const id = body['image_id']
        if (typeof id === 'string' && forgotten.has(id)) return missing('image')
        if (body['product_id'] !== undefined) return answer(9, seen)
        images += id ? 0 : 1
        return answer(9, { image_id: id ?? `image-${images}`, ...seen })
      }
      case '/v1/widget/similar':
        return answer(8)
      case '/v1/widget/together':
        return answer(3, { basis: 'purchases' })
      case '/v1/widget/search/suggestions':
        return {
          body: {
            suggestions: ['mug', 'mug with a lid', 'Harbour striped mug'].map((query, n) => ({
              ...{ query, count: 0, results_count: 3, source: 'catalog' },
              ...(n > 0 && { image_url: `${address()}/product/${n}.svg` }),
            })),
          },
        }
      case '/v1/widget/search/feedback': {
        const { events } = body
        if (Array.isArray(events)) {
          return {
            status: 201,
            body: {
              status: 'recorded',
              count: events.length,
              results: events.map((_, index) => ({ index, status: 'recorded' })),
            },
          }
        }
        return { status: 201, body: { status: 'recorded', attributed: true, position: 1 } }
      }
      default:
        return missing('page')
    }
  }

  async function readCall(request: Request, path: string): Promise<Call> {
    const call: Call = { path, method: request.method, headers: request.headers, body: {} }
    if (request.method === 'GET')
      return { ...call, body: Object.fromEntries(new URL(request.url).searchParams) }
    if (!(request.headers.get('content-type') ?? '').startsWith('multipart/')) {
      return { ...call, body: (await request.json()) as Record<string, unknown> }
    }
    for (const [name, value] of await request.formData()) {
      if (typeof value === 'string') call.body[name] = value
      else call.image = { bytes: await value.bytes(), name: value.name, type: value.type }
    }
    return call
  }

  async function reply(request: Request, path: string): Promise<Response> {
    const origin = request.headers.get('origin')
    if (request.method === 'OPTIONS') {
      return new Response(null, {
        status: 204,
        headers: {
          'access-control-allow-origin': origin ?? '*',
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'X-Service-Key, Content-Type, Idempotency-Key',
          vary: 'Origin',
        },
      })
    }
    const call = await readCall(request, path)
    calls.push(call)
    noteCall()
    const own = origin ? { 'access-control-allow-origin': origin } : {}
    const headers = { ...own, vary: 'Origin', 'access-control-expose-headers': 'Retry-After' }
    const refuse = (status: number, error: string) =>
      Response.json({ error, message: 'refused' }, { status, headers })
    if (request.headers.get('x-service-key') !== KEY) return refuse(401, 'unauthorized')
    if (!origin || origin === 'null') return refuse(403, 'origin_missing')
    if (!origins().includes(origin)) return refuse(403, 'origin_not_allowed')
    const given = (await intercept(call)) ?? usual(call)
    return Response.json(given.body ?? {}, {
      status: given.status ?? 200,
      headers: { ...headers, ...given.headers },
    })
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      requests.push(`${request.method} ${pathname}`)
      if (isDown) return new Response(null, { status: 502 })
      if (pathname.startsWith('/v1/')) return reply(request, pathname)
      const product = /^\/product\/(\d+)\.svg$/.exec(pathname)?.[1]
      if (product)
        return new Response(drawProduct(Number(product)), { headers: { 'content-type': 'image/svg+xml' } })
      return files.handle(request)
    },
  })

  return {
    address: address(),
    calls,
    requests,
    forgotten,
    /** Calls of one endpoint, such as `upload`. */
    callsOf,
    /** Waits until an endpoint has got so many calls. */
    arrived: (name: string, count: number) =>
      new Promise<void>((done) => {
        noteCall = () => callsOf(name).length >= count && done()
        noteCall()
      }),
    set reply(next: typeof intercept) {
      intercept = next
    },
    set isDown(down: boolean) {
      isDown = down
    },
    /** As new: the files stay the same, so that one server does for a file of tests. */
    reset() {
      calls.length = 0
      requests.length = 0
      forgotten.clear()
      images = 0
      isDown = false
      intercept = () => undefined
    },
    stop: () => server.stop(true),
  }
}

export type Service = ReturnType<typeof startService>
