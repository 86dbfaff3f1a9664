import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { KeyParams } from '../../access/api-keys/schema.ts'
import { AddressesToCheck, CheckedAddresses, PageCheck, PageToCheck } from './schema.ts'
import type { ShopPagesService } from './service.ts'

const FAILURES = [
  ...FOR_STORE,
  ...WRITING,
  ...JSON_BODY,
  ['rate_limit_exceeded', 'A budget is used up, or six pages were checked within a minute.'],
] as const

/** Routes that look at pages of the shop (contract 4.11, 4.13). */
export const shopPagesRoutes = (
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  shopPages: ShopPagesService,
) =>
  new Elysia({ name: 'shopPages.routes', prefix: '/v1' })
    .use(forStoreSecurity)
    .post(
      '/security/public-keys/:id/check',
      ({ actor, params, body }) => shopPages.checkPage(actor.storeId, params.id, body.url),
      {
        can: 'keys:manage',
        params: KeyParams,
        parse: jsonBody(),
        body: PageToCheck,
        response: {
          200: PageCheck,
          ...failures(...FAILURES, 'not_found', 'url_not_allowed', 'page_fetch_failed'),
        },
        detail: {
          operationId: 'checkShopPage',
          summary: 'Check whether a page of the shop shows the widget',
          description:
            'Fetches the page as a stranger sees it, and answers facts about the widget and nothing else of the page. At most six checks a minute and store.',
          tags: ['Security'],
        },
      },
    )
    .post(
      '/store/check-addresses',
      ({ actor, body }) => shopPages.checkAddresses(actor.storeId, body.product_url_template),
      {
        can: 'security:manage',
        parse: jsonBody(),
        body: AddressesToCheck,
        response: { 200: CheckedAddresses, ...failures(...FAILURES) },
        detail: {
          operationId: 'checkProductAddresses',
          summary: 'Try a template for the addresses of products',
          description:
            'Asks for the addresses that the template gives three products of the store, and saves nothing. Counts as one check of a page. The list is empty if none of the first 20 products has every key of the template.',
          tags: ['Store'],
        },
      },
    )
