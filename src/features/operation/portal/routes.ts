import { Elysia } from 'elysia'
import { files } from '#generated/portal/files.ts'
import { notFound } from '../../../core/errors.ts'
import { answerPacked, packFile } from '../../../http/encoding.ts'

const DOCUMENT = 'portal.html'
const FOR_EVER = 'public, max-age=31536000, immutable'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Nothing from elsewhere, nothing inline, in nobody's frame, and no text that becomes code. The one frame shows the preview of a widget. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; frame-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Every address of the portal. The document is the same for all; it shows what the address names. */
const ADDRESSES = [
  '/login',
  '/forgot',
  '/setup',
  '/register',
  '/admin',
  '/admin/*',
  '/portal/select-store',
  '/portal/account',
  '/:slug/portal',
  '/:slug/portal/*',
] as const

/** The pages for people (contract 5.3). They tell strangers nothing: what they show comes by calls with a token. */
export function portalPageRoutes() {
  const routes = new Elysia({ name: 'portal.routes', detail: { hide: true } }).get(
    '/assets/:file',
    ({ request, params: { file } }) => {
      if (file === DOCUMENT) throw notFound('page')
      return answer(request, file, FOR_EVER)
    },
  )
  for (const address of ADDRESSES) routes.get(address, ({ request }) => answer(request, DOCUMENT, 'no-cache'))
  return routes
}

/** Answers with a file of the build. @throws ApiError `not_found`. */
function answer(request: Request, name: string, caching: string): Promise<Response> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (!file) throw notFound('page')
  return answerPacked(request, packFile(file.gzip), file.hash, {
    ...HEADERS,
    'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'cache-control': caching,
  })
}
