import { Elysia } from 'elysia'

/** Headers that a page's script may send. */
const ALLOWED_HEADERS = 'Content-Type, X-Service-Key, Idempotency-Key'

/** Headers of an answer that a page's script may read. */
const EXPOSED_HEADERS = [
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Lookalike-Node',
].join(', ')

/** Seconds that a browser may keep the answer to a preflight; no browser keeps it longer. */
const MAX_AGE_SECONDS = 86_400

/** An origin as browsers write it, `null` included. */
const ORIGIN = /^[\x21-\x7e]{1,300}$/

/**
 * Lets pages of other origins call the paths below a prefix and read every answer. Mounted before every route.
 *
 * A preflight names no key, so it cannot be judged and passes for every origin. The answer itself may always be read by the
 * page that asked: the guard gives a page that the key does not list nothing but a refusal, which its developer must see.
 * Cookies and other credentials of the browser never come along.
 *
 * @param prefix with a slash at its end.
 */
export function corsPlugin(prefix: string) {
  return new Elysia({ name: 'http.cors' }).onRequest(({ request, set }) => {
    if (!request.url.includes(prefix) || !new URL(request.url).pathname.startsWith(prefix)) return
    set.headers['vary'] = 'Origin'
    const origin = request.headers.get('origin')
    if (origin !== null && ORIGIN.test(origin)) set.headers['access-control-allow-origin'] = origin
    if (request.method !== 'OPTIONS') {
      set.headers['access-control-expose-headers'] = EXPOSED_HEADERS
      return
    }
    set.headers['access-control-allow-methods'] = 'GET, POST'
    set.headers['access-control-allow-headers'] = ALLOWED_HEADERS
    set.headers['access-control-max-age'] = String(MAX_AGE_SECONDS)
    set.status = 204
    return new Response(null, { status: 204 })
  })
}
