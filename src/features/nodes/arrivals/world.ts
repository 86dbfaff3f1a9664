import type { StoredModel } from '../../../platform/db/models.ts'
import type { MoveWriter } from '../../../platform/db/store-move/applying.ts'
import type { MoveCapture } from '../../../platform/db/store-move/capture.ts'
import type { MoveDigest } from '../../../platform/db/store-move/digest.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { ProductIndexService } from '../../catalogue/product-index/module.ts'
import type { Base } from '../../module.ts'
import type { ErasureService } from '../../stores/erasure/service.ts'
import type { StoreFileQueries } from '../../stores/store-files/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import type { ProofSearch } from '../protocol/schema.ts'
import type { TrustService } from '../trust/service.ts'
import type { ArrivalQueries } from './queries.ts'

/** What the target of a move needs of the program. */
export interface ArrivalDeps
  extends Pick<
    Base,
    'clock' | 'ids' | 'log' | 'atomically' | 'withoutFsync' | 'record' | 'defer' | 'plans' | 'baseUrl'
  > {
  queries: ArrivalQueries
  trust: Pick<TrustService, 'demand' | 'use'>
  storeRows: Pick<
    StoreQueries,
    'findStoreBySlug' | 'findMoved' | 'findMovedBySlug' | 'addArriving' | 'openArrived' | 'countProducts'
  >
  /** Keeps the erasure away from a store that is on its way. */
  leases: Pick<StoreFileQueries, 'addArrival' | 'renewArrival' | 'completeArrival' | 'endArrival'>
  comeBack: StoreService['comeBack']
  erasure: Pick<ErasureService, 'run' | 'eraseRemains'>
  createWriter(storeId: string): MoveWriter
  capture: MoveCapture
  digest: MoveDigest
  listModels(): StoredModel[]
  registerModel(model: { id: string; hash: string; dimension: number }): void
  /** Keeps the sweeper from a kept picture whose product comes later. */
  holdPicture(address: string): void
  /** Lets the sweeper look at all kept pictures of a store, in steps. */
  releasePictures(storeId: string): Generator<void>
  models: Pick<ModelSet, 'of' | 'inUse'>
  index: Pick<
    ProductIndexService,
    'readStoreInTurns' | 'removeStore' | 'remove' | 'put' | 'of' | 'hasSpace' | 'noSpace'
  >
  files: Pick<PictureFiles, 'write' | 'file'>
  readFreeDiskBytes(): Promise<number>
  /** Makes a search that nothing counts. */
  search(
    storeId: string,
    body: ProofSearch,
  ): Promise<readonly { product_id: string; similarity_score: number }[]>
  /** Drops what memory holds about a store, but its index. */
  forgetCaches(storeId: string): void
  version: string
  schemaVersion: number
}

/** What memory holds about a move, from its first call on. A restart begins with a new one. */
export interface ArrivalSession {
  writer: MoveWriter
  /** Whether rows go into the index as they come. */
  isFed: boolean
  /** Whether the index and the sums are whole. */
  isReady: boolean
  preparing: Promise<void> | undefined
}
