import type { Identity, Standing } from '../../../core/actor.ts'
import type { ApiError } from '../../../core/errors.ts'
import type { Precomputed, Product } from '../products/schema.ts'

/** One item of a job, in the order of its source. */
export type JobItem =
  /** Writes a product that `products.check` has accepted. Its pictures may be `data:` URIs, or come with their vectors. */
  | { kind: 'put'; product: Product; precomputed?: Precomputed | undefined }
  /** Deletes a product, if it is there. */
  | { kind: 'delete'; productId: string }
  /** Is wrong, and has failed before it is tried. */
  | { kind: 'wrong'; productId: string | null; error: ApiError }

/**
 * The content of an item that writes a product, as its row keeps it; rows of earlier versions name precomputed vectors `given`,
 * too. Clients never write that field: `products.check` lets no other one through.
 */
export type ItemContent = Product & { given?: Precomputed | undefined }

/** Where the items of a job came from. */
export interface JobSource {
  kind: 'file' | 'feed' | 'api' | 'cli'
  /** The file's name or the feed's address; null where there is none. */
  name: string | null
  bytes: number | null
}

/** Who started a job: a person, an API key, or the store's machine grant. */
export interface JobAuthor extends Standing, Pick<Identity, 'kind' | 'role' | 'userId' | 'keyId'> {}

/** A job to start. */
export interface NewJob {
  type: 'bulk_index' | 'import' | 'feed'
  /** The author of the request, who must still have the right once all items have arrived. */
  author?: JobAuthor | undefined
  source?: JobSource | undefined
  /** Any number of items; the job begins when all of them are on the disk. */
  items: AsyncIterable<JobItem>
  /** The address of the callback; read once all items are written. Checked by the caller. */
  callbackUrl?: (() => string | null) | undefined
  /** Warnings about the job as a whole; read once all items are written. */
  warnings?: (() => readonly string[]) | undefined
  /** Called in the transaction that makes the job visible; nothing is left of the job when it throws. */
  acknowledgedWith?: ((job: { jobId: string; arrival: number }) => void) | undefined
}
