import type { Standing } from '../../../core/actor.ts'
import type { ApiError } from '../../../core/errors.ts'
import type { Given, Product } from '../products/schema.ts'

/** One item of a job, in the order of its source. */
export type JobItem =
  /** Writes a product that `products.check` has accepted. Its pictures may be `data:` URIs, or come with their vectors. */
  | { kind: 'put'; product: Product; given?: Given | undefined }
  /** Deletes a product, if it is there. */
  | { kind: 'delete'; productId: string }
  /** Is wrong, and has failed before it is tried. */
  | { kind: 'wrong'; productId: string | null; error: ApiError }

/** What is kept of an item that writes a product. Clients never write it: `products.check` lets no other field through. */
export type ItemContent = Product & { given?: Given | undefined }

/** A job to start. */
export interface NewJob {
  type: 'bulk_index' | 'import' | 'feed'
  /** Whose request brings it; must still have its right when all items are there. */
  author?: Standing | undefined
  /** Any number of items; the job begins when all of them are on the disk. */
  items: AsyncIterable<JobItem>
  /** Where to send a callback when the job is over; read once all items are there. Checked by the caller. */
  callbackUrl?: (() => string | null) | undefined
  /** What the client should know about the job as a whole; read once all items are there. */
  warnings?: (() => readonly string[]) | undefined
  /** Called in the transaction that makes the job visible; nothing is left of the job when it throws. */
  acknowledgedWith?: ((job: { jobId: string; arrival: number }) => void) | undefined
}
