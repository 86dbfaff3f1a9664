import { Elysia } from 'elysia'
import { guidePictures } from '#generated/guide/pictures.ts'
import { CURES } from '../../../core/cures.ts'
import { ERRORS, type ErrorCode, notFound } from '../../../core/errors.ts'
import { answerPacked, packFile } from '../../../http/encoding.ts'
import { MARK } from '../../../http/layout.ts'
import { answerPage, pageHeaders, prefersPage, SCRIPTED } from '../../../http/page.ts'
import { docsAssets } from './assets.ts'
import { renderErrorIndex, renderErrorPage } from './error-page.ts'
import { guideFiles, guideIndex, guidePages } from './guide-pages.ts'
import { renderLicencesPage } from './licences-page.ts'
import { readNotices } from './notices.ts'
import { createSenders, type ListedRoute } from './senders.ts'
import { renderStartPage, START } from './start-page.ts'

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

export interface DocsDeps {
  /** Whether there is a super-admin. */
  hasOwner(): boolean
  /** Every route of the program. */
  listRoutes(): readonly ListedRoute[]
}

/**
 * The pages for readers: the start page, the API page, the guide and one page for each error. They work without a network.
 */
export function docsRoutes({ hasOwner, listRoutes }: DocsDeps) {
  const listSenders = createSenders(listRoutes)
  return new Elysia({ name: 'docs.routes', detail: { hide: true } })
    .get('/', ({ request, set }) => {
      set.headers['vary'] = 'accept'
      if (!prefersPage(request)) return START
      return hasOwner() ? leadToSignIn() : answerPage(renderStartPage())
    })
    .get('/favicon.ico', () => answerMark())
    .get('/docs', ({ request }) => serveAsset(request, 'page.html'))
    .get('/docs/:file', ({ request, params }) => serveAsset(request, params.file))
    .get('/docs/guide', ({ request }) => serveGuidePage(request, guideIndex))
    .get('/docs/guide/:name', ({ request, params: { name } }) => {
      if (Object.hasOwn(guidePictures, name)) return servePicture(String(guidePictures[name]))
      const file = Object.hasOwn(guideFiles, name) ? guideFiles[name] : undefined
      if (file) return serveGuidePage(request, file.path, file.type)
      return serveGuidePage(request, Object.hasOwn(guidePages, name) ? guidePages[name] : undefined)
    })
    .get('/licences', async ({ request, set }) => {
      set.headers['vary'] = 'accept, accept-encoding'
      return prefersPage(request)
        ? answerPage(renderLicencesPage(await unpackNotices()))
        : serveNotices(request)
    })
    .get('/licences.txt', ({ request }) => serveNotices(request))
    .get('/errors', ({ request, set }) => answerPageOrData({ request, set }, renderErrorIndex, ERRORS))
    .get('/errors/:code', ({ request, set, params: { code } }) => {
      if (!isErrorCode(code)) throw notFound('error')
      return answerPageOrData({ request, set }, () => renderErrorPage(code, listSenders(code)), {
        error: code,
        ...ERRORS[code],
        ...(CURES[code] && { operator: CURES[code] }),
      })
    })
}

interface Context {
  request: Request
  set: { headers: Record<string, string | number | undefined> }
}

/** Answers browsers with a page, and other clients with the same content as JSON. */
function answerPageOrData({ request, set }: Context, page: () => string, data: object): Response | object {
  set.headers['vary'] = 'accept'
  return prefersPage(request) ? answerPage(page()) : data
}

/** People go on at the page that knows whether they are signed in. Its cookie comes with no other request. */
const leadToSignIn = (): Response =>
  new Response(null, { status: 302, headers: { location: '/login', vary: 'accept', ...pageHeaders() } })

function serveAsset(request: Request, name: string): Promise<Response> {
  const asset = Object.hasOwn(docsAssets, name) ? docsAssets[name] : undefined
  if (!asset) throw notFound('page')
  return answerPacked(request, packFile(asset.gzip), asset.hash, {
    'content-type': asset.type,
    'cache-control': asset.isImmutable ? FOR_EVER : 'no-cache',
    ...pageHeaders(SCRIPTED),
  })
}

const FOR_EVER = 'public, max-age=31536000, immutable'

async function serveGuidePage(
  request: Request,
  path: string | undefined,
  type = 'text/html; charset=utf-8',
): Promise<Response> {
  if (path === undefined) throw notFound('page')
  const hash = Bun.hash(await Bun.file(path).bytes()).toString(36)
  return answerPacked(request, packFile(path), hash, {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    ...pageHeaders(SCRIPTED),
  })
}

const servePicture = (path: string): Response =>
  new Response(Bun.file(path), {
    headers: { 'content-type': 'image/webp', 'cache-control': FOR_EVER, ...pageHeaders() },
  })

const unpackNotices = async (): Promise<string> =>
  new TextDecoder().decode(Bun.gunzipSync(await readNotices()))

const answerMark = (): Response =>
  new Response(MARK, {
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400', ...pageHeaders() },
  })

/** Serves the licences as they are kept, and unpacked to the few programs that do not take gzip. */
async function serveNotices({ headers }: Request): Promise<Response> {
  const packed = await readNotices()
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(headers.get('accept-encoding') ?? '')
  return new Response(takesGzip ? packed : Bun.gunzipSync(packed), {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'accept, accept-encoding',
      ...(takesGzip && { 'content-encoding': 'gzip' }),
      ...pageHeaders({}),
    },
  })
}
