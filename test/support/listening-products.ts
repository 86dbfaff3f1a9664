import pino from 'pino'
import { createByteBudget } from '../../src/core/byte-budget.ts'
import type { EmitEvent } from '../../src/core/events.ts'
import { PLANS } from '../../src/core/plans.ts'
import { createWriteGate } from '../../src/core/write-gate.ts'
import { buildProductIndex } from '../../src/features/catalogue/product-index/module.ts'
import { buildProducts } from '../../src/features/catalogue/products/module.ts'
import { registerModel } from '../../src/platform/db/models.ts'
import { createReads } from '../../src/platform/db/reads.ts'
import { createThrottles } from '../../src/platform/db/throttles.ts'
import { createWriteGroups } from '../../src/platform/db/write-groups.ts'
import { createPictureFiles } from '../../src/platform/pictures/kept.ts'
import type { TestApp } from './app.ts'
import { fakeEmbedder } from './embedder.ts'
import { oneModel } from './models.ts'

/** Collaborators of products that do nothing. */
const QUIET = {
  duplicates: { scan: async () => undefined, addPictures: () => {} },
  waiting: { latest: () => 0, drop: () => {} },
  warnNearLimit: () => {},
}

/** Creates products with a listener and an index of their own, beside those of the app and in the same database. */
export function listeningProducts(app: TestApp, emit: EmitEvent, memoryBytesMax?: number) {
  const { db, clock, ids } = app
  const embedder = fakeEmbedder()
  const models = oneModel(registerModel(db, embedder.model, 0), embedder)
  const base = {
    ...{ db, clock, ids },
    log: pino({ level: 'silent' }),
    atomically: <Result>(work: () => Result) => db.transaction(work).immediate(),
    record: () => {},
    withoutFsync: <Result>(write: () => Result) => write(),
    reportFault: () => {},
    throttle: createThrottles(db).create,
    defer: () => {},
    gate: createWriteGate(),
    plans: PLANS,
    baseUrl: () => 'http://lookalike.test',
  }
  const { service: index } = buildProductIndex(base, { models, memoryBytesMax })
  const { service } = buildProducts(base, {
    ...{ models, index, emit },
    ...QUIET,
    wantsThumbnails: () => true,
    thumbnailKey: Buffer.alloc(32),
    reads: createReads(db),
    writeTogether: createWriteGroups(db, clock),
    fetcher: { fetch: async (url) => app.web.get(url) ?? Promise.reject(new Error(url)) },
    files: createPictureFiles(app.folder, ids.uuid),
    budget: createByteBudget(),
    storeRows: app.storeRows,
  })
  return { ...service, index }
}
