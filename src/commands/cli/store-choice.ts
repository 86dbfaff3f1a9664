import type { CallerStore } from '../../core/actor.ts'
import { wrongUsage } from '../../core/operator-error.ts'
import type { Install } from '../../install.ts'

/**
 * Finds the store that a command is about.
 *
 * @param slug may be left out if there is only one store.
 * @throws OperatorError if there is no such store, or if none is named and there is not exactly one.
 */
export function requireStore(
  { stores, storeRows }: Pick<Install['services'], 'stores' | 'storeRows'>,
  slug: string | undefined,
): CallerStore {
  return stores.requireBySlug(slug ?? findOnly(storeRows.listStores().map((store) => store.slug)))
}

function findOnly(slugs: readonly string[]): string {
  const [slug] = slugs
  if (slugs.length === 1 && slug !== undefined) return slug
  throw wrongUsage(
    slugs.length === 0 ? 'There is no store yet' : `Name one of the stores with --store: ${slugs.join(', ')}`,
  )
}
