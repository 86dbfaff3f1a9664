import { Elysia } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { hashedFiles, type WidgetFile, widgetLoader, widgetManifest } from './assets.ts'
import { chooseEncoding } from './encoding.ts'

const FIVE_MINUTES = 'public, max-age=300'
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Any page may load these files: they hold nothing of a store. */
const SHARED = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** The script of the snippet, the file that it loads later, and what a page needs to pin them. */
export function widgetFileRoutes(baseUrl: () => string) {
  return new Elysia({ name: 'widget-files.routes', detail: { hide: true } })
    .get('/widget.js', ({ request }) => answer(request, widgetLoader, widgetManifest.loader, FIVE_MINUTES))
    .get('/widget/:file', ({ request, params: { file } }) => {
      const found = Object.hasOwn(hashedFiles, file) ? hashedFiles[file] : undefined
      if (!found) throw notFound('page')
      return answer(request, found, file, FOR_EVER)
    })
    .get('/widget.json', ({ set }) => {
      Object.assign(set.headers, { ...SHARED, 'cache-control': FIVE_MINUTES })
      return {
        src: `${baseUrl()}/widget.js`,
        pinned: { src: `${baseUrl()}/widget/${widgetManifest.loader}`, integrity: widgetManifest.integrity },
      }
    })
}

/** @param name holds the hash of the content, and so is its tag, too. */
function answer(request: Request, file: WidgetFile, name: string, caching: string): Response {
  const encoding = chooseEncoding(request.headers.get('accept-encoding') ?? '')
  const etag = `"${name.replace('.js', '')}-${encoding}"`
  const headers = { ...SHARED, 'cache-control': caching, etag, vary: 'accept-encoding' }
  if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(Bun.file(file[encoding]), {
    headers: {
      ...headers,
      'content-type': 'text/javascript; charset=utf-8',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  })
}

/** Whether a list of tags holds one; proxies that change the encoding mark their tags as weak. */
const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')))
