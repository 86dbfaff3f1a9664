import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../../../core/clock.ts'
import type { Doors } from '../../../http/doors.ts'
import { documentedFailures, FOR_STORE, failures, READING } from '../../../http/failures.ts'
import { ExportQuery } from './schema.ts'
import type { ExportService } from './service.ts'

const NDJSON = {
  'application/x-ndjson': { schema: { type: 'string' } },
} as const

/** Contract 2.13: all products of a store as one file. */
export function exportRoutes(
  { forStore }: Pick<Doors, 'forStore'>,
  exports: Pick<ExportService, 'start'>,
  clock: Pick<Clock, 'now'>,
) {
  return new Elysia({ name: 'exports.routes', prefix: '/v1/products', tags: ['Products'] }).use(forStore).get(
    '/export',
    ({ actor, query, set }) => {
      const stream = exports.start(actor.storeId, { hasVectors: query.vectors === 'true' })
      Object.assign(set.headers, {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="products-${isoTime(clock.now()).slice(0, 10)}.ndjson"`,
        // Some proxies would collect the whole file otherwise.
        'x-accel-buffering': 'no',
      })
      return new Response(stream)
    },
    {
      can: 'products:read',
      query: ExportQuery,
      detail: {
        operationId: 'exportProducts',
        summary: 'Export all products as NDJSON',
        description:
          'One product a line, in the form that `POST /v1/products/import` takes back. A connection that breaks off before the end of the chunked body means that the file is not whole.',
        responses: {
          200: { description: 'The products of the store, by their ids.', content: NDJSON },
          ...documentedFailures(failures(...FOR_STORE, ...READING, 'validation_error')),
        },
      },
    },
  )
}
