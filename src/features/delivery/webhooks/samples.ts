import type { EventData } from '../../../core/events.ts'
import type { WebhookEvent } from './schema.ts'

/** The events of products, and those without a fixed shape. */
type Samples = {
  [Name in WebhookEvent]: Name extends keyof EventData ? EventData[Name] : Record<string, unknown>
}

/** Data of a test, in the shape of the real ones. @param at ISO 8601. */
export const sampleOf = (event: WebhookEvent, at: string): Record<string, unknown> => ({
  ...samples(at)[event],
})

const URLS = ['https://shop.example/pictures/mug.jpg', 'https://shop.example/pictures/cup.jpg'] as const
const ID = '00000000-0000-7000-8000-000000000000'

const samples = (at: string): Samples => ({
  'product.indexed': {
    ...{ product_id: 'sample', vector_id: ID, image_url: URLS[0] },
    ...{ metadata: { name: 'Sample mug', price: 12.5 }, indexed_at: at },
  },
  'product.updated': {
    ...{ product_id: 'sample', changes: ['image_url', 'metadata.price'] },
    ...{ previous_image_url: URLS[0], new_image_url: URLS[1], updated_at: at },
  },
  'product.deleted': { product_id: 'sample', deleted_at: at },
  'product.duplicate_detected': {
    ...{ new_product_id: 'sample', existing_product_id: 'sample-2', similarity_score: 0.98 },
    ...{ new_image_url: URLS[0], existing_image_url: URLS[1], detected_at: at },
  },
  'job.completed': { ...job('completed', at), succeeded: 3, failed: 0 },
  'job.failed': { ...job('failed', at), succeeded: 0, failed: 3 },
  'plan.limit_near': {
    plan_name: 'basic',
    resource: 'products',
    percent: 80,
    used: 4000,
    limit: 5000,
    max_products: 5000,
    products_count: 4000,
  },
  'backup.failed': { failed_at: at, reason: 'The disk is full' },
})

const job = (status: string, at: string) => ({
  ...{ job_id: ID, type: 'bulk_index', status, total: 3, processed: 3, unchanged: 0 },
  finished_at: at,
})
