import { isoTime } from '../../../core/clock.ts'
import type { EmitEvent, EventOrigin } from '../../../core/events.ts'
import type { DuplicateScan } from '../duplicates/service.ts'
import { listChangedFields } from './changed-fields.ts'
import type { PictureToSave, ProductRow, ProductToSave } from './queries.ts'

export interface ProductEventsDeps {
  /** Called with every change that a client can see, inside its transaction. */
  emit: EmitEvent
  /** The public form of a saved address. */
  toPublicUrl(url: string): string
}

export type ProductEvents = ReturnType<typeof createProductEvents>

/** Emits the events of product changes. Call it inside their transactions. */
export function createProductEvents({ emit, toPublicUrl }: ProductEventsDeps) {
  return {
    /** Emits the event of a write, unless no client sees a difference. */
    saved(
      product: ProductToSave,
      prepared: PictureToSave[],
      before: ProductRow | undefined,
      origin: EventOrigin,
    ): void {
      const { storeId, productId: product_id, metadata } = product
      const image_url = toPublicUrl(product.imageUrl)
      const moment = isoTime(product.now)
      const changes = before ? listChangedFields(before, { metadata, pictures: prepared }) : []
      const isIndexedAgain = origin === 'reembedding' && changes.length === 0
      // Webhooks have not heard of the demo product that this one replaces.
      if (!before || before.isDemo !== product.isDemo || isIndexedAgain) {
        const data = { product_id, vector_id: product.vectorId, image_url, metadata, indexed_at: moment }
        emit({ name: 'product.indexed', storeId, origin, data })
        return
      }
      // A new model changes vectors only, which no client sees.
      if (changes.length === 0) return
      const hasNewUrl = before.imageUrl !== product.imageUrl
      const data = {
        product_id,
        changes,
        previous_image_url: hasNewUrl ? toPublicUrl(before.imageUrl) : null,
        new_image_url: hasNewUrl ? image_url : null,
        updated_at: moment,
      }
      emit({ name: 'product.updated', storeId, origin, data })
    },

    /** Emits the product that the new first picture copies, if the scan found one. */
    duplicate(product: ProductToSave, scan: DuplicateScan, origin: EventOrigin): void {
      const { storeId, productId, metadata, imageUrl, now } = product
      const group = metadata['variant_group']
      const variantGroup = typeof group === 'string' && group !== '' ? group : null
      const found = scan.find({ storeId, productId, variantGroup })
      if (!found) return
      const data = {
        new_product_id: productId,
        existing_product_id: found.productId,
        similarity_score: found.similarity,
        new_image_url: toPublicUrl(imageUrl),
        existing_image_url: toPublicUrl(found.imageUrl),
        detected_at: isoTime(now),
      }
      emit({ name: 'product.duplicate_detected', storeId, origin, data })
    },

    deleted({ storeId, productId: product_id, isDemo }: ProductRow, now: number): void {
      const data = { product_id, deleted_at: isoTime(now) }
      emit({ name: 'product.deleted', storeId, origin: isDemo ? 'demo' : 'client', data })
    },
  }
}
