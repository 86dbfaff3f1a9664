import { Elysia } from 'elysia'
import { ERRORS, type ErrorCode, notFound } from '../../../core/errors.ts'
import { answerPage, type PagePolicy, pageHeaders, prefersPage, SCRIPTED } from '../../../http/page.ts'
import { docsAssets } from './assets.ts'
import { renderErrorIndex, renderErrorPage } from './error-page.ts'
import { guideIndex, guidePages } from './guide-pages.ts'
import { readNotices } from './notices.ts'

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

/** The pages for readers: the API page, the guide and one page for each error. They work without a network. */
export function docsRoutes() {
  return new Elysia({ name: 'docs.routes', detail: { hide: true } })
    .get('/docs', () => serveAsset('page.html'))
    .get('/docs/:file', ({ params }) => serveAsset(params.file))
    .get('/docs/guide', () => serveGuidePage(guideIndex))
    .get('/docs/guide/:name', ({ params: { name } }) =>
      serveGuidePage(Object.hasOwn(guidePages, name) ? guidePages[name] : undefined),
    )
    .get('/licences', ({ request }) => serveNotices(request))
    .get('/errors', (context) => answerPageOrData(context, () => renderErrorIndex(ERRORS), ERRORS))
    .get('/errors/:code', (context) => {
      const { code } = context.params
      if (!isErrorCode(code)) throw notFound('error')
      const kind = ERRORS[code]
      return answerPageOrData(context, () => renderErrorPage(code, kind), { error: code, ...kind })
    })
}

interface Context {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

/** Answers browsers with a page, and other clients with the same content as JSON. */
function answerPageOrData({ request, set }: Context, page: () => string, data: object): Response | object {
  set.headers['vary'] = 'accept'
  return prefersPage(request) ? answerPage(page(), SCRIPTED) : data
}

function serveAsset(name: string): Response {
  const file = Object.hasOwn(docsAssets, name) ? docsAssets[name] : undefined
  if (!file) throw notFound('page')
  return answerFile(file.path, file.type, SCRIPTED)
}

/** Serves a page that runs no script. */
function serveGuidePage(path: string | undefined): Response {
  if (path === undefined) throw notFound('page')
  return answerFile(path, 'text/html; charset=utf-8', {})
}

/** Serves the licences as they are kept, and unpacked to the few programs that do not take gzip. */
async function serveNotices({ headers }: Request): Promise<Response> {
  const packed = await readNotices()
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(headers.get('accept-encoding') ?? '')
  return new Response(takesGzip ? packed : Bun.gunzipSync(packed), {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
      ...(takesGzip && { 'content-encoding': 'gzip' }),
      ...pageHeaders({}),
    },
  })
}

const answerFile = (path: string, type: string, policy: PagePolicy): Response =>
  new Response(Bun.file(path), {
    headers: { 'content-type': type, 'cache-control': 'public, max-age=3600', ...pageHeaders(policy) },
  })
