import { Elysia } from 'elysia'
import { answerPortalFile, answerPortalPage } from '../../../http/portal-page.ts'

/** Every address of the portal where nothing but the document is. */
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

/** Pages behind the links of mails. Where a program gets data by the same link, the feature of the link shows the page. */
const LINKS = ['/invite', '/verify/cancel', '/verify/email', '/verify/email/approve', '/unsubscribe'] as const

/** The pages for people (contract 5.3, 5.9). They tell strangers nothing: what they show comes by calls of the API. */
export function portalPageRoutes() {
  const routes = new Elysia({ name: 'portal.routes', detail: { hide: true } }).get(
    '/assets/:file',
    ({ request, params: { file } }) => answerPortalFile(request, file),
  )
  for (const address of ADDRESSES) routes.get(address, ({ request }) => answerPortalPage(request))
  // The links of older mails have their token in the query.
  for (const address of LINKS) routes.get(address, ({ request }) => answerPortalPage(request, 'no-store'))
  return routes
}
