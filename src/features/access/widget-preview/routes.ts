import { Elysia } from 'elysia'
import { noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { answerPage, escapeHtml, type PagePolicy } from '../../../http/page.ts'
import { KeyParams } from '../api-keys/schema.ts'
import { WidgetPreview } from './schema.ts'
import type { WidgetPreviewService } from './service.ts'

/** Routes that show a widget before a shop has it (contract 4.11). */
export const widgetPreviewRoutes = (
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  previews: WidgetPreviewService,
) => new Elysia({ name: 'widgetPreview' }).use(keyRoute({ forStoreSecurity }, previews)).use(pageRoute())

const keyRoute = (
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  previews: Pick<WidgetPreviewService, 'create'>,
) =>
  new Elysia({ name: 'widgetPreview.routes', prefix: '/v1/security/public-keys', tags: ['Security'] })
    .use(forStoreSecurity)
    .post('/:id/preview', ({ actor, params, request }) => previews.create(actor, params.id, request), {
      can: 'keys:manage',
      parse: noBody,
      params: KeyParams,
      response: {
        200: WidgetPreview,
        ...failures(...FOR_STORE, ...WRITING, 'validation_error', 'not_found'),
      },
      detail: {
        operationId: 'previewPublicKey',
        summary: 'Make a preview key for 15 minutes',
        description:
          'Needs a signed-in person. Shows the widget with your products on a page of this service. The preview key finds what the widget key finds, works for the pages of this service alone, and ends with your sign-in. Its searches spend your own budget, 30 a minute; neither searches nor clicks count in the analytics.',
      },
    })

/** The page may stand in a frame of this service. Products have their pictures on other servers. */
const POLICY: PagePolicy = {
  more: "script-src 'self'; connect-src 'self'; ",
  pictures: 'https: http:',
  ancestors: "'self'",
}

/** The page is the same for every store: the key, which it reads of its address, says which products it shows. */
const pageRoute = () =>
  new Elysia({ name: 'widgetPreview.page', detail: { hide: true } }).get(
    '/:slug/portal/widget/preview',
    ({ set }) => {
      set.headers['cache-control'] = 'no-cache'
      return answerPage(PAGE, POLICY)
    },
  )

const NO_SCRIPT = 'The preview needs JavaScript, as the widget does.'

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>Preview of the widget · Lookalike</title>
    <link rel="stylesheet" href="/docs/preview.css" />
    <script src="/docs/preview.js" defer></script>
  </head>
  <body>
    <header>
      <p class="shop">Your shop</p>
      <label class="field"><span>Search</span><input id="search" type="search" placeholder="Search" /></label>
      <span id="button"></span>
    </header>
    <main>
      <p id="note" role="status"></p>
      <noscript><p>${escapeHtml(NO_SCRIPT)}</p></noscript>
      <ul id="products" aria-label="Products"></ul>
    </main>
  </body>
</html>
`
