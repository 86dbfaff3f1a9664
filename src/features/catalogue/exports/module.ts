import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createLines, type LineDeps } from './lines.ts'
import { exportRoutes } from './routes.ts'
import { type ExportDeps, exportService } from './service.ts'

export interface ExportNeeds
  extends Pick<ExportDeps, 'noteFault' | 'stop'>,
    Pick<LineDeps, 'vectors' | 'model'> {
  products: Pick<ProductsModule['service'], 'findRow' | 'listIds' | 'pictures'>
}

/** How often exports that nobody reads are looked for. */
const LOOK_MS = 10_000

/** Wires exports: everything of a store's catalogue as one file. */
export function buildExports(
  { clock, log }: Ground,
  { products, vectors, model, noteFault, stop }: ExportNeeds,
) {
  const { findRow, listIds, pictures } = products
  const lines = createLines({ findRow, listIds, toPublicUrl: pictures.toPublicUrl, vectors, model })
  const exports = exportService({ lines, noteFault, stop, clock, log })
  return {
    service: exports,
    routes: (doors: Doors) => exportRoutes(doors, exports, clock),
    chores: [{ name: 'giving up exports that nobody reads', everyMs: LOOK_MS, run: exports.cutStalled }],
    forgetStore: exports.forgetStore,
  } satisfies Module<object>
}
