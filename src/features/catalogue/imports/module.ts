import { LIMITS } from '../../../core/limits.ts'
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
    'check' | 'findPrecomputed' | 'pictures' | 'thumbnails' | 'findRow' | 'count' | 'listDemoIds'
  >
  jobs: Pick<JobsModule['service'], 'start' | 'checkCallbackUrl'>
  embedder: Pick<Embedder, 'seePicture'>
  /** Takes in the files. */
  spool: Spool
  /** Holds a file that came within a form. */
  files: Pick<WorkFiles, 'create' | 'remove'>
}

/**
 * Wires imports: what a shop exports becomes the items of a job, or the preview of a dry run.
 *
 * `source.ts` opens the file: a table, a packed table, or a zip file with its pictures. `formats/` reads its records
 * piece by piece, as often as asked. A broken row is a record with a problem; a file that cannot be read to its end
 * throws `UnreadableFile`. `pace.ts` gives others a turn after 8 ms and ends a reading with too many rows, too much
 * work or no client; `reading-gate.ts` lets stores read in turns.
 *
 * `mapping/plan.ts` infers from the column names and the first rows whose export it is and which column fills which
 * field. `assemble.ts` joins the rows of one product; where variations are rows of their own anywhere in the file,
 * `families.ts` reads it once before. `losses.ts` counts what is left out or guessed, for the warnings. `items.ts`
 * checks each product as a request would.
 *
 * Vectors in a line of an export become `precomputed` of the item. They are a client's claim: `pictures.is_given` marks
 * them, and the search for content that is known already leaves them out.
 */
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
    addThumbnailUrls: products.thumbnails.addUrls,
    showPicture: (storeId, url) =>
      products.pictures.withUrl(storeId, url, async (bytes) => {
        const options = { priority: 'index', storeId, thumbnail: LIMITS.thumbnailSide } as const
        const { facts, thumbnail = new Uint8Array() } = await embedder.seePicture(bytes, options)
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
