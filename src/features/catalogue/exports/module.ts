import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  CUT_STALLED_EVERY_MS,
  createNdjsonStreams,
  type NdjsonStreamDeps,
} from '../../../http/ndjson-streams.ts'
import type { Base, Module } from '../../module.ts'
import type { FilterModule } from '../filters/module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createProductLines, type LineDeps } from './product-lines.ts'
import { exportRoutes } from './routes.ts'
import { exportService } from './service.ts'

export interface ExportNeeds extends Pick<NdjsonStreamDeps, 'stop'>, Pick<LineDeps, 'models'> {
  filters: Pick<FilterModule['service'], 'parse' | 'resolve' | 'readFields' | 'listProductIds'>
  products: Pick<ProductsModule['service'], 'findRow' | 'listIds' | 'pictures' | 'thumbnails'>
}

/**
 * Wires exports: everything of a store's catalogue as one file (contract 2.13).
 *
 * `service.ts` reads the query, `product-lines.ts` walks a store by its ids, or a selection by its rows, and reads each product as
 * its line is asked for, so an export holds no snapshot and little memory. `table.ts` makes cells of it. `http/ndjson-streams.ts` bounds the open streams and cuts them at a stop, a fault or an absent
 * reader. It does so by resetting the connection, which tells the client that the file is not whole.
 */
export function buildExports(
  { clock, log, reportFault }: Base,
  { products, filters, models, stop }: ExportNeeds,
) {
  const { findRow, listIds, pictures, thumbnails } = products
  const readLines = createProductLines({
    findRow,
    listIds,
    listIdsOf: filters.listProductIds,
    toPublicUrl: pictures.toPublicUrl,
    readThumbnail: thumbnails.readOf,
    models,
  })
  const streams = createNdjsonStreams({ limits: LIMITS.exports, reportFault, stop, clock, log })
  return {
    service: {
      /** Ends the open exports of a store. */
      endStreams: streams.forget,
    },
    routes: (guards: Guards) =>
      exportRoutes(guards, {
        ...{ streams, readLines, clock },
        exports: exportService({ filters, readFields: filters.readFields }),
      }),
    chores: [
      {
        name: 'closing stalled exports',
        everyMs: CUT_STALLED_EVERY_MS,
        reach: 'none',
        run: streams.cutStalled,
      },
    ],
    forgetStore: streams.forget,
  } satisfies Module<object>
}
