import { Elysia } from 'elysia'
import { ERRORS, type ErrorCode, notFound } from '../../../core/errors.ts'
import { type PagePolicy, pageAnswer, pageHeaders, prefersPage, SCRIPTED } from '../../../http/page.ts'
import { docsAssets } from './assets.ts'
import { errorIndex, errorPage } from './error-page.ts'
import { guideIndex, guidePages } from './guide-pages.ts'

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

/** The pages for readers: the API page, the guide and one page for each error. They work without a network. */
export function docsRoutes() {
  return new Elysia({ name: 'docs.routes', detail: { hide: true } })
    .get('/docs', () => asset('page.html'))
    .get('/docs/:file', ({ params }) => asset(params.file))
    .get('/docs/guide', () => guidePage(guideIndex))
    .get('/docs/guide/:name', ({ params: { name } }) =>
      guidePage(Object.hasOwn(guidePages, name) ? guidePages[name] : undefined),
    )
    .get('/errors', (context) => pageOrData(context, () => errorIndex(ERRORS), ERRORS))
    .get('/errors/:code', (context) => {
      const { code } = context.params
      if (!isErrorCode(code)) throw notFound('error')
      const kind = ERRORS[code]
      return pageOrData(context, () => errorPage(code, kind), { error: code, ...kind })
    })
}

interface Context {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

/** Answers browsers with a page, and other clients with the same content as JSON. */
function pageOrData({ request, set }: Context, page: () => string, data: object): Response | object {
  set.headers['vary'] = 'accept'
  return prefersPage(request) ? pageAnswer(page(), SCRIPTED) : data
}

function asset(name: string): Response {
  const file = Object.hasOwn(docsAssets, name) ? docsAssets[name] : undefined
  if (!file) throw notFound('page')
  return fileAnswer(file.path, file.type, SCRIPTED)
}

/** A page that runs no script. */
function guidePage(path: string | undefined): Response {
  if (path === undefined) throw notFound('page')
  return fileAnswer(path, 'text/html; charset=utf-8', {})
}

const fileAnswer = (path: string, type: string, policy: PagePolicy): Response =>
  new Response(Bun.file(path), {
    headers: { 'content-type': type, 'cache-control': 'public, max-age=3600', ...pageHeaders(policy) },
  })
