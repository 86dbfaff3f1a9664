import { type Breathe, createFound, type Found } from './found.ts'
import type { ReportQueries } from './queries.ts'

const AT_ONCE = 500
/** Failures of a store that are read. */
const READ_MAX = 100_000

/** What a failed item keeps of the reason. */
interface KeptError {
  error: string
  message: string
  details?: { reason?: unknown }
}

/** Finds the products whose picture could not be loaded, from what jobs and a change of the model have met. */
export async function findDeadLinks(
  queries: Pick<ReportQueries, 'listFailures' | 'listFailedRetries'>,
  storeId: string,
  breathe: Breathe,
): Promise<Found> {
  const { found, add } = createFound('dead_link')
  let last = ''
  for (let read = 0; read < READ_MAX; read += AT_ONCE) {
    const rows = queries.listFailures(storeId, last, AT_ONCE)
    for (const { productId, error } of rows) {
      // Of several failures of one product the first decides.
      if (productId === last) continue
      last = productId
      const { error: code, message, details } = JSON.parse(error) as KeptError
      if (code !== 'image_download_failed') continue
      const reason = details?.reason
      add(productId, typeof reason === 'string' ? { failure: reason } : {}, message)
    }
    if (rows.length < AT_ONCE) break
    await breathe()
  }
  for (const productId of queries.listFailedRetries(storeId, AT_ONCE)) add(productId, {})
  return found
}
