import { Elysia } from 'elysia'
import type { CallerStore } from '../../../core/actor.ts'
import type { ByteBudget } from '../../../core/byte-budget.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { EmitEvent } from '../../../core/events.ts'
import { LIMITS } from '../../../core/limits.ts'
import { storageFailure } from '../../../core/storage.ts'
import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import { OutboundError } from '../../../platform/outbound/failure.ts'
import { parseHttpUrl } from '../../../platform/outbound/http-url.ts'
import type { PictureFetcher } from '../../../platform/pictures/fetch.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { DuplicatesService } from '../duplicates/service.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import type { WaitingWrites } from './commits.ts'
import { foldingQueries } from './folding-queries.ts'
import { keptPictureQueries } from './kept-picture-queries.ts'
import { createKeptPictures } from './kept-pictures.ts'
import { productListQueries } from './list-queries.ts'
import { productLists } from './lists.ts'
import { createPictureLoader } from './picture-loader.ts'
import { pictureRoutes } from './picture-routes.ts'
import { productPictures } from './pictures.ts'
import { createProductEvents } from './product-events.ts'
import { productQueries } from './queries.ts'
import { productRoutes } from './routes.ts'
import { saleQueries } from './sale-queries.ts'
import { createSales } from './sales.ts'
import { secondVectorQueries } from './second-vector-queries.ts'
import { productService } from './service.ts'
import { shownQueries } from './shown-queries.ts'
import { createStorageLimit } from './storage-limit.ts'
import { storageQueries } from './storage-queries.ts'
import { createThumbnailAddresses } from './thumbnail-address.ts'
import { createThumbnailMaker } from './thumbnail-maker.ts'
import { thumbnailQueries } from './thumbnail-queries.ts'
import { thumbnailRoutes } from './thumbnail-routes.ts'
import { createThumbnails } from './thumbnails.ts'
import { createProductWriter } from './writer.ts'

export interface ProductNeeds {
  storeRows: Pick<StoreQueries, 'readStoredBytes' | 'countProducts' | 'findStore'>
  /** New pictures get the vectors of the model of their store, and of the one that it is moving to. */
  models: Pick<ModelSet, 'of' | 'comingOf'>
  /** Follows every change in the same tick. */
  index: Pick<ProductIndexService, 'put' | 'remove' | 'requireSpace' | 'claimSpace' | 'findVector'>
  /** Commits what is ready in one turn of the event loop as one transaction. */
  writeTogether: WriteTogether
  /** Whether a store wants thumbnails. */
  wantsThumbnails(storeId: string): boolean
  /** 32 bytes that sign the addresses of thumbnails, and nothing else. */
  thumbnailKey: Buffer
  reads: Pick<Reads, 'rememberSeen'>
  fetcher: PictureFetcher
  files: PictureFiles
  /** Bounds the pictures that are in memory at a time. */
  budget: Pick<ByteBudget, 'take'>
  /** Called with every change inside its transaction. */
  emit: EmitEvent
  /** Finds the product that a new picture is a copy of. */
  duplicates: DuplicatesService
  /** Work on products that was acknowledged and waits; see {@link WaitingWrites}. */
  waiting: WaitingWrites
  /** Learns inside its transaction of every write that may have taken places of the plan. */
  warnNearLimit(store: CallerStore): void
}

/** Products of an older version whose copies are rewritten in one step. */
const FOLDED_AT_ONCE = 100

/** How often the maker of thumbnails looks for work. */
const WAKE_MS = 1_000

/** How often unused pictures are swept. One is deleted a minute after its product let it go. */
const SWEEP_MS = 10_000

/**
 * Wires the products of all stores. An upload walks straight down from here: routes, service, writer, then the pictures
 * and the SQL, then the product index, which calls nothing back.
 *
 * Lists walk an index of their order, and every statement names its index, because SQLite has no statistics to choose
 * by. Triggers keep the number of products and `product_words`, the trigrams of names and ids, which only propose
 * products: each is compared with the filter itself. `lists.ts` counts up to 10,000 and takes the cheaper way to a
 * page.
 *
 * `products.price` is what is paid now, with the regular price and the sale beside it, so the indexes of lists need
 * nothing else; `price_turns_at` is its next change. `sales.ts` applies due changes once a minute and before each list
 * by price. `products.levels` has the names and paths above a category, and triggers copy them to `product_levels`. SQL
 * cannot fold texts, so a migration marks products with `is_unfolded`, and `foldOld` makes their copies again before
 * the index is loaded.
 */
export function buildProducts(base: Base, needs: ProductNeeds) {
  const { db, atomically, withoutFsync, clock, reportFault } = base
  const { storeRows, models, index } = needs
  const small = thumbnailQueries(db)
  const addresses = createThumbnailAddresses(needs.thumbnailKey, clock)
  const thumbnails = createThumbnails({
    ...base,
    queries: small,
    addresses,
    isWanted: needs.wantsThumbnails,
    storeRows,
  })
  const queries = productQueries(db, models, thumbnails)
  const folding = foldingQueries(db)
  const space = storageQueries(db)
  const kept = createKeptPictures({
    ...base,
    ...needs,
    queries: { ...keptPictureQueries(db), ...space },
  })
  const { toPublicUrl } = kept
  const loader = createPictureLoader({ ...needs, queries, kept, checkUrl, findVector: index.findVector })
  const storage = createStorageLimit({ ...base, queries: space, storeRows })
  const pictures = productPictures({ ...base, kept, loader, storage, thumbnails })
  const writer = createProductWriter({
    ...base,
    ...needs,
    queries,
    pictures,
    events: createProductEvents({ emit: needs.emit, toPublicUrl }),
  })
  const lists = productLists({ queries: productListQueries(db), countProducts: storeRows.countProducts })
  const sales = createSales({ ...base, queries: saleQueries(db), turn })
  const products = productService({
    rememberSeen: needs.reads.rememberSeen,
    queries: shownQueries(db),
    lists,
    writer,
    sales,
    toPublicUrl,
    thumbnails,
    models,
  })
  const maker = createThumbnailMaker({
    ...base,
    queries: small,
    thumbnails,
    findStore: storeRows.findStore,
    drawPicture: (storeId, url, thumbnail) =>
      loader.withUrl(
        storeId,
        url,
        (bytes) => models.of(storeId).embedder.seePicture(bytes, { storeId, thumbnail, priority: 'bulk' }),
        'bulk',
      ),
  })

  return {
    service: {
      ...products,
      /** The one way to change products; see {@link createProductWriter}. */
      writer,
      pictures: { withUrl: loader.withUrl, toPublicUrl },
      thumbnails: {
        findUrl: thumbnails.findUrl,
        addUrls: thumbnails.addUrls,
        readOf: thumbnails.readOf,
        hasRoom: thumbnails.hasRoom,
        addresses,
        drain: maker.drain,
        stop: maker.stop,
      },
      has: queries.has,
      /** A product with all its pictures, as it is stored. */
      findRow: queries.find,
      listIds: queries.listIds,
      count: storeRows.countProducts,
      listDemoIds: queries.listDemoIds,
      /**
       * Rewrites the copies that an older version has written, step by step. Call it before the index is loaded. A disk
       * that takes no writes postpones it.
       */
      *foldOld(): Generator<void> {
        try {
          while (withoutFsync(() => atomically(() => folding.foldSome(clock.now(), FOLDED_AT_ONCE)))) yield
        } catch (error) {
          if (!storageFailure(error)) throw error
          reportFault(error)
        }
      },
    },
    rows: secondVectorQueries(db),
    routes: (guards: Guards) =>
      new Elysia({ name: 'products' })
        .use(productRoutes(guards, products))
        .use(pictureRoutes(kept))
        .use(thumbnailRoutes(thumbnails)),
    chores: [
      { name: 'deleting old pictures', everyMs: SWEEP_MS, run: kept.sweep },
      { name: 'starting and ending sales', everyMs: MINUTE_MS, run: sales.refreshAll },
      { name: 'making thumbnails', everyMs: WAKE_MS, reach: 'steps', run: maker.wake },
      { name: 'deleting unwanted thumbnails', everyMs: SWEEP_MS, run: maker.sweep },
    ],
    forgetStore(storeId) {
      writer.changes.forgetStore(storeId)
      maker.forgetStore(storeId)
    },
  } satisfies Module<object>
}

/** @throws ApiError `url_not_allowed` */
function checkUrl(url: string): void {
  try {
    parseHttpUrl(url, LIMITS.fetchUrlCharsMax)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new ApiError('url_not_allowed', error.message)
  }
}

export type ProductsModule = ReturnType<typeof buildProducts>
