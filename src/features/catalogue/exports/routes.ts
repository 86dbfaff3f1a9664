import { Elysia } from 'elysia'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { documentedFailures, FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { NDJSON, type NdjsonStreams, ndjsonFileHeaders } from '../../../http/ndjson-streams.ts'
import type { NdjsonOptions } from './ndjson.ts'
import { ExportQuery } from './schema.ts'

export interface ExportRouteDeps {
  streams: Pick<NdjsonStreams, 'open'>
  /** The lines of a store, each read when it is asked for. */
  readNdjson(storeId: string, options: NdjsonOptions): Iterator<string, void>
  clock: Pick<Clock, 'now'>
}

/** Contract 2.13: all products of a store as one file. */
export function exportRoutes(
  { forStore }: Pick<Guards, 'forStore'>,
  { streams, readNdjson, clock }: ExportRouteDeps,
) {
  return new Elysia({ name: 'exports.routes', prefix: '/v1/products', tags: ['Products'] }).use(forStore).get(
    '/export',
    ({ actor, query, set }) => {
      const options = { hasVectors: query.vectors === 'true' }
      const stream = streams.open(actor.storeId, actor, () => readNdjson(actor.storeId, options))
      Object.assign(set.headers, ndjsonFileHeaders(`products-${isoTime(clock.now()).slice(0, 10)}`))
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
