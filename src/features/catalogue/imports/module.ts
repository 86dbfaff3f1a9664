import type { Guards } from '../../../http/guards.ts'
import { readSpooledForm } from '../../../http/multipart/spooled-form.ts'
import type { Spool } from '../../../http/spool.ts'
import { openZip } from '../../../platform/archives/zip.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import { createFairQueue } from '../../../platform/fair/fair-queue.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base, Module } from '../../module.ts'
import type { JobsModule } from '../jobs/module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createReadingGate } from './reading-gate.ts'
import { importRoutes } from './routes.ts'
import { type ImportDeps, importService } from './service.ts'

export interface ImportNeeds extends Pick<ImportDeps, 'findMapping' | 'findFacts'> {
  products: Pick<
    ProductsModule['service'],
    'check' | 'findPrecomputed' | 'pictures' | 'findRow' | 'count' | 'listDemoIds'
  >
  jobs: Pick<JobsModule['service'], 'start' | 'checkCallbackUrl'>
  embedder: Pick<Embedder, 'embedPicture'>
  /** Takes in the files. */
  spool: Spool
  /** Holds a file that came within a form. */
  files: Pick<WorkFiles, 'create' | 'remove'>
}

/** Wires imports: what a shop exports becomes a job. */
export function buildImports({ clock, ids, defer, log }: Base, needs: ImportNeeds) {
  const { products, jobs, embedder, spool, files, findMapping, findFacts } = needs
  const imports = importService({
    ...{ openZip, findMapping, findFacts, log, clock },
    gate: createReadingGate({ turns: createFairQueue(), clock, defer }),
    checkProduct: products.check,
    findPrecomputed: products.findPrecomputed,
    findStored(storeId, productId) {
      const row = products.findRow(storeId, productId)
      return row && { ...row, imageUrls: row.pictures.map(({ imageUrl }) => imageUrl) }
    },
    toPublicUrl: products.pictures.toPublicUrl,
    countProducts: products.count,
    countDemo: (storeId) => products.listDemoIds(storeId).length,
    startJob: jobs.start,
    showPicture: (storeId, url) =>
      products.pictures.withUrl(storeId, url, async (bytes) => {
        const options = { priority: 'index', storeId, thumbnail: true } as const
        const { facts, thumbnail = new Uint8Array() } = await embedder.embedPicture(bytes, options)
        const content = Buffer.from(thumbnail).toString('base64')
        return { width: facts.width, height: facts.height, thumbnail: `data:image/webp;base64,${content}` }
      }),
  })
  return {
    service: imports,
    routes: (guards: Guards) =>
      importRoutes(guards, imports, {
        spool,
        checkCallbackUrl: jobs.checkCallbackUrl,
        readForm: (body, type) => readSpooledForm(body, type, { files, ids }),
      }),
  } satisfies Module<object>
}

export type ImportsModule = ReturnType<typeof buildImports>
