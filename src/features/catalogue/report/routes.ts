import { Elysia } from 'elysia'
import { jsonOrNothing } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CatalogueReport, ReportAsked, ReportBody } from './schema.ts'
import type { ReportService } from './service.ts'

/** Contract 2.15: what a store may want to correct about its products. */
export const reportRoutes = (
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  reports: ReportService,
) =>
  new Elysia({ name: 'catalogueReport.routes', prefix: '/v1/catalogue/report', tags: ['Products'] })
    .use(forStore)
    .get('', ({ actor }) => reports.read(actor.storeId), {
      can: 'products:read',
      response: { 200: CatalogueReport, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getCatalogueReport',
        summary: 'Read what may be wrong in the catalogue',
        description:
          'Dead links, placeholders, pictures that contradict the category or the colour, duplicates, tiny pictures, products without words. Made every night after a change, and on request.',
      },
    })
    .post(
      '',
      ({ request, path, actor, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, () => ({
          status: 202 as const,
          body: reports.ask(actor.storeId),
        })),
      {
        can: 'products:write',
        parse: jsonOrNothing(),
        body: ReportBody,
        response: {
          202: ReportAsked,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE),
        },
        detail: {
          operationId: 'makeCatalogueReport',
          summary: 'Make a new report',
          description:
            'In the background; `state` of the report is `waiting` until then. A store gets a new one every five minutes at most: another request waits for that.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
