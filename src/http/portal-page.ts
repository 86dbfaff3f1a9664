import { files } from '#generated/portal/files.ts'
import { notFound } from '../core/errors.ts'
import { answerPacked, packFile } from './encoding.ts'

const DOCUMENT = 'portal.html'

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

/** Answers with a file that the pages for people load. @throws ApiError `not_found`, for the document, too. */
export const answerPortalFile = (request: Request, name: string): Promise<Response> => {
  if (name === DOCUMENT) throw notFound('page')
  return answer(request, name, 'public, max-age=31536000, immutable')
}

/**
 * Answers with the document of the pages for people. It is the same at all their addresses, and shows what the address names.
 *
 * @param caching `no-store` for an address that may hold a secret.
 */
export const answerPortalPage = (
  request: Request,
  caching: 'no-cache' | 'no-store' = 'no-cache',
): Promise<Response> => answer(request, DOCUMENT, caching)

/** @throws ApiError `not_found`. */
function answer(request: Request, name: string, caching: string): Promise<Response> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (!file) throw notFound('page')
  return answerPacked(request, packFile(file.gzip), file.hash, {
    ...HEADERS,
    'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'cache-control': caching,
  })
}
