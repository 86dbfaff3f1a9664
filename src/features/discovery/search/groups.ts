import { turn } from '../../../core/turns.ts'
import type { SearchQueries } from './queries.ts'
import type { Hit } from './ranking.ts'

/** A hit that stands for all hits with the same value of a field. */
export interface GroupedHit extends Hit {
  /** Undefined for a hit without the field, which stands for itself. */
  group?: { value: unknown; count: number }
}

/** Products read in one step. */
const STEP = 100

/**
 * Keeps the first hit of each value of a field, and counts the others.
 *
 * @param field with or without `metadata.`; dots lead into objects.
 */
export async function groupHits(
  queries: Pick<SearchQueries, 'readField'>,
  hits: readonly Hit[],
  field: string,
): Promise<GroupedHit[]> {
  const path = toPath(field)
  const isOfVariants = field.replace(/^metadata\./, '') === 'variant_group'
  const groups = new Map<string, GroupedHit>()
  const kept: GroupedHit[] = []
  for (let start = 0; start < hits.length; start += STEP) {
    if (start > 0) await turn()
    const some = hits.slice(start, start + STEP)
    const values = path
      ? queries.readField(
          path,
          some.map(({ pictureId }) => pictureId),
        )
      : undefined
    for (const hit of some) {
      const read = values?.get(hit.pictureId)
      const own = read?.value ?? 'null'
      // The group of variations is often named after their parent, which has no group of its own.
      const isParent = isOfVariants && read !== undefined && (own === 'null' || own === '""')
      const value = isParent ? JSON.stringify(read.productId) : own
      const known = groups.get(value)
      if (value === 'null') kept.push(hit)
      else if (known) known.group = { value: JSON.parse(value), count: (known.group?.count ?? 1) + 1 }
      else {
        const first = {
          ...hit,
          ...(!isParent && { group: { value: JSON.parse(value) as unknown, count: 1 } }),
        }
        groups.set(value, first)
        kept.push(first)
      }
    }
  }
  return kept
}

/** SQLite reads a label in quotes as a JSON string, and ends it at U+0000. @returns undefined for a name that no path can have. */
function toPath(field: string): string | undefined {
  const keys = field.replace(/^metadata\./, '').split('.')
  return keys.some((key) => key === '' || key.includes('\0'))
    ? undefined
    : `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`
}
