import { MINUTE_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import { readSpooledForm } from '../../../http/multipart/spooled-form.ts'
import type { Spool } from '../../../http/spool.ts'
import { openZip } from '../../../platform/archives/zip.ts'
import { createFairQueue } from '../../../platform/fair/fair-queue.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base, Module } from '../../module.ts'
import type { JobsModule } from '../jobs/module.ts'
import type { ProductsModule } from '../products/module.ts'
import { createReadingGate } from './reading-gate.ts'
import { importRoutes } from './routes.ts'
import { type ImportDeps, importService } from './service.ts'
import { createUploads, type UploadDeps } from './uploads.ts'

export interface ImportNeeds extends Pick<ImportDeps, 'findMapping' | 'findFacts'> {
  products: Pick<
    ProductsModule['service'],
    'check' | 'findPrecomputed' | 'pictures' | 'thumbnails' | 'findRow' | 'count' | 'listIds' | 'listDemoIds'
  >
  jobs: Pick<JobsModule['service'], 'start' | 'checkCallbackUrl'>
  models: Pick<ModelSet, 'of'>
  /** Takes in the files. */
  spool: Spool
  /** Holds files that came within forms, and those of dry runs. */
  files: Pick<WorkFiles, 'create' | 'remove' | 'pieces'>
  readFreeDiskShare: UploadDeps['readFreeDiskShare']
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
 * `uploads.ts` keeps the files of dry runs for half an hour, for the imports that follow. `missing.ts` adds the products that a
 * file lacks, for an import that deletes them.
 *
 * Vectors in a line of an export become `precomputed` of the item. They are a client's claim: `pictures.is_given` marks
 * them, and the search for content that is known already leaves them out.
 */
export function buildImports({ clock, ids, defer, log }: Base, needs: ImportNeeds) {
  const { products, jobs, models, spool, files, findMapping, findFacts, readFreeDiskShare } = needs
  const uploads = createUploads({ clock, ids, log, files, readFreeDiskShare })
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
    listIds: products.listIds,
    listDemoIds: products.listDemoIds,
    countDemo: (storeId) => products.listDemoIds(storeId).length,
    startJob: jobs.start,
    addThumbnailUrls: products.thumbnails.addUrls,
    showPicture: (storeId, url) =>
      products.pictures.withUrl(storeId, url, async (bytes) => {
        const options = { priority: 'index', storeId, thumbnail: LIMITS.thumbnailSide } as const
        const { facts, thumbnail = new Uint8Array() } = await models
          .of(storeId)
          .embedder.seePicture(bytes, options)
        const content = Buffer.from(thumbnail).toString('base64')
        return { width: facts.width, height: facts.height, thumbnail: `data:image/webp;base64,${content}` }
      }),
  })
  return {
    service: imports,
    routes: (guards: Guards) =>
      importRoutes(guards, imports, {
        ...{ spool, uploads },
        checkCallbackUrl: jobs.checkCallbackUrl,
        readForm: (body, type) => readSpooledForm(body, type, { files, ids }),
      }),
    chores: [{ name: 'deleting uploads of dry runs', everyMs: MINUTE_MS, run: uploads.tidy }],
    forgetStore: uploads.forgetStore,
  } satisfies Module<object>
}

export type ImportsModule = ReturnType<typeof buildImports>
