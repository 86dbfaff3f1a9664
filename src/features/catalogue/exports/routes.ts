import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { CSV, csvFileHeaders } from '../../../http/csv.ts'
import { documentedFailures, FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { NDJSON, type NdjsonStreams, ndjsonFileHeaders } from '../../../http/ndjson-streams.ts'
import type { LineOptions } from './product-lines.ts'
import { ExportQuery } from './schema.ts'
import type { ExportService } from './service.ts'

export interface ExportRouteDeps {
  streams: Pick<NdjsonStreams, 'open'>
  /** The lines of a store, each read when it is asked for. */
  readLines(storeId: string, options: LineOptions): Iterator<string, void>
  exports: ExportService
  clock: Pick<Clock, 'now'>
}

/** Contract 2.13: all products of a store as one file. */
export function exportRoutes(
  { forStore }: Pick<Guards, 'forStore'>,
  { streams, readLines, exports, clock }: ExportRouteDeps,
) {
  return new Elysia({ name: 'exports.routes', prefix: '/v1/products', tags: ['Products'] }).use(forStore).get(
    '/export',
    async ({ actor, query, set }) => {
      const options = await exports.read(actor.storeId, query)
      const stream = streams.open(actor.storeId, actor, () => readLines(actor.storeId, options))
      const headers = query.format === 'csv' ? csvFileHeaders : ndjsonFileHeaders
      Object.assign(set.headers, headers(`products-${isoTime(clock.now()).slice(0, 10)}`))
      return new Response(stream)
    },
    {
      can: 'products:read',
      query: ExportQuery,
      detail: {
        operationId: 'exportProducts',
        summary: 'Export products as NDJSON or CSV',
        description:
          'All products, or those that pass `filters`, one a line, in a form that `POST /v1/products/import` takes back. A connection that breaks off before the end of the chunked body means that the file is not whole.',
        responses: {
          200: { description: 'The products.', content: { ...NDJSON, ...CSV } },
          ...documentedFailures(
            failures(
              ...FOR_STORE,
              ...READING,
              'validation_error',
              'filter_operator_unknown',
              'filter_type_mismatch',
            ),
          ),
        },
      },
    },
  )
}
