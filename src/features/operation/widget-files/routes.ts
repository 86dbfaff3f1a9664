import { Elysia } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { answerPacked } from '../../../http/encoding.ts'
import { hashedFiles, type WidgetFile, widgetLoader, widgetManifest } from './assets.ts'

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
const answer = (request: Request, file: WidgetFile, name: string, caching: string): Promise<Response> =>
  answerPacked(
    request,
    { identity: Bun.file(file.identity), gzip: Bun.file(file.gzip), br: Bun.file(file.br) },
    name.replace('.js', ''),
    { ...SHARED, 'content-type': 'text/javascript; charset=utf-8', 'cache-control': caching },
  )
