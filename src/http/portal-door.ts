import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'

/** The one path that browsers send the cookie to. */
export const PORTAL_PATH = '/portal/session'

/** `__Host-` would need `Path=/`, and every page would get the cookie. */
const COOKIE = 'lookalike_session'
const SECURE_COOKIE = `__Secure-${COOKIE}`

/** Cookies of one name that a request may bring; another site of the same domain can add some. */
const COOKIES_MAX = 4

/** 256 random bits as base64url. */
const VALUE = /^[\w-]{43}$/

/** The value of `X-Requested-With`. A page of another origin cannot send the header without asking first, and nobody allows it. */
const SCRIPT = 'lookalike'

export type PortalDoor = ReturnType<typeof createPortalDoor>

/** The cookie of the portal's sign-ins, and the checks that only a page of this service passes. */
export function createPortalDoor(baseUrl: () => string) {
  /**
   * Whether the page that sent a request is one of this service: its origin is that of the public address, or that of the
   * host that was asked. A proxy may speak https for us; where the public address has the host, it knows the scheme, too.
   */
  function isOwn(request: Request, origin: string): boolean {
    const known = new URL(baseUrl())
    if (origin === known.origin) return true
    const host = request.headers.get('host') ?? new URL(request.url).host
    return ['http:', 'https:'].some((scheme) => {
      const url = URL.parse(`${scheme}//${host}`)
      return url?.origin === origin && url.host !== known.host
    })
  }

  /** Whether the browser reached us by https, as its page says. */
  const isSecure = ({ headers }: Request): boolean =>
    (headers.get('origin') ?? baseUrl()).startsWith('https:')

  const formatCookie = (request: Request, value: string, maxAgeSeconds: number): string =>
    `${isSecure(request) ? SECURE_COOKIE : COOKIE}=${value}; Path=${PORTAL_PATH}; Max-Age=${maxAgeSeconds}; ` +
    `HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`

  return {
    /** Whether a request names a page of this service as its sender. */
    isFromOwnPage(request: Request): boolean {
      const origin = request.headers.get('origin')
      return origin !== null && isOwn(request, origin)
    },

    /** The origin of the page that sent a request, if it is one of this service; otherwise that of the public address. */
    findOwnOrigin(request: Request): string {
      const origin = request.headers.get('origin')
      return origin !== null && isOwn(request, origin) ? origin : new URL(baseUrl()).origin
    },

    /** @throws ApiError `origin_not_allowed` for a request from no page of this service. */
    demandOwnPage(request: Request): void {
      if (!this.isFromOwnPage(request)) throw foreignPage(baseUrl())
    },

    /** The same, but a request that names no page passes: it comes from no browser. */
    demandNoForeignPage(request: Request): void {
      if (request.headers.has('origin')) this.demandOwnPage(request)
    },

    /** @throws ApiError `origin_not_allowed` for a request from no script of a page of this service. */
    demandOwnScript(request: Request): void {
      this.demandOwnPage(request)
      if (request.headers.get('x-requested-with') !== SCRIPT) throw noScript()
    },

    /** Reads the cookies of the portal's name, each once. */
    readCookies(request: Request): string[] {
      const name = `${isSecure(request) ? SECURE_COOKIE : COOKIE}=`
      const values = (request.headers.get('cookie') ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .flatMap((pair) => (pair.startsWith(name) ? pair.slice(name.length) : []))
      return [...new Set(values.filter((value) => VALUE.test(value)))].slice(0, COOKIES_MAX)
    },

    /** The header that gives a browser the cookie of its sign-in, for as long as that may last. */
    giveCookie: (request: Request, value: string): { 'set-cookie': string } => ({
      'set-cookie': formatCookie(request, value, LIMITS.portalSessionMs / 1000),
    }),

    /** The header that takes it away. */
    takeCookie: (request: Request): { 'set-cookie': string } => ({
      'set-cookie': formatCookie(request, '', 0),
    }),
  }
}

const foreignPage = (baseUrl: string) =>
  new ApiError(
    'origin_not_allowed',
    `Only the pages of this service may ask for this, and the Origin of the request is neither that of its public address (${baseUrl}) nor that of its Host. If people open the service at another address, set BASE_URL to that address`,
  )

const noScript = () =>
  new ApiError(
    'origin_not_allowed',
    'Only the pages of this service may ask for this: send the header `X-Requested-With: lookalike`, from the address that BASE_URL names',
  )
