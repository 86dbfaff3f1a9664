import { LIMITS } from '../../../core/limits.ts'
import type { Doors } from '../../../http/doors.ts'
import { createLineStreams, type LineStreamDeps, LOOK_MS } from '../../../http/line-streams.ts'
import type { Base, Module } from '../../module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createLines, type LineDeps } from './lines.ts'
import { exportRoutes } from './routes.ts'

export interface ExportNeeds extends Pick<LineStreamDeps, 'stop'>, Pick<LineDeps, 'vectors' | 'model'> {
  products: Pick<ProductsModule['service'], 'findRow' | 'listIds' | 'pictures'>
}

/** Wires exports: everything of a store's catalogue as one file (contract 2.13). */
export function buildExports(
  { clock, log, noteFault }: Base,
  { products, vectors, model, stop }: ExportNeeds,
) {
  const { findRow, listIds, pictures } = products
  const lines = createLines({ findRow, listIds, toPublicUrl: pictures.toPublicUrl, vectors, model })
  const streams = createLineStreams({ limits: LIMITS.exports, noteFault, stop, clock, log })
  return {
    service: {},
    routes: (doors: Doors) => exportRoutes(doors, { streams, lines, clock }),
    chores: [{ name: 'closing stalled exports', everyMs: LOOK_MS, run: streams.cutStalled }],
    forgetStore: streams.forget,
  } satisfies Module<object>
}
