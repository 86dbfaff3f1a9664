import type { Hit } from '#generated/api.ts'
import { call } from '../../api/client.ts'

/** What is shown of a product. */
export type Known = Pick<Hit, 'product_id' | 'metadata' | 'thumbnail_url'>

/** One search answers with at most so many. */
const LIMIT = 100
/** More pictures than these help nobody: the rest stand there by their ids. */
const READ_MAX = 300

async function readSome(value: readonly string[], signal: AbortSignal): Promise<readonly Known[]> {
  const { results } = await call('POST /v1/search/filtered', {
    body: {
      filters: [{ field: 'product_id', operator: 'in', value }],
      ...{ limit: LIMIT, threshold: 0, cutoff: 'none', rules: false, sold_out: 'keep', analytics: false },
    },
    signal,
  })
  return results
}

/** Reads products by their ids, a hundred in one call; those that are gone are missing in the answer. */
export async function readProducts(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, Known>>> {
  const wanted = [...new Set(ids)].slice(0, READ_MAX)
  const found: Known[] = []
  for (let n = 0; n < wanted.length; n += LIMIT)
    found.push(...(await readSome(wanted.slice(n, n + LIMIT), signal)))
  return Object.fromEntries(found.map((one) => [one.product_id, one]))
}
