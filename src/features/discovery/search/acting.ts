import type { ActingRule, Arrangement } from './arrangement.ts'

/** A rule that acted on a hit. */
export interface Acting {
  rule: ActingRule
  action: 'pin' | 'boost' | 'bury'
}

interface Placed {
  /** Row of the product. */
  product: number
  /** The rule that gave it its place. */
  pinnedBy?: ActingRule | undefined
}

/** Lists the rules that acted on a hit. A pinned product stands where it is pinned, whatever else would move it. */
export function listActing({ shifts }: Pick<Arrangement, 'shifts'>, { product, pinnedBy }: Placed): Acting[] {
  if (pinnedBy) return [{ rule: pinnedBy, action: 'pin' }]
  return shifts
    .filter(({ rows }) => rows.has(product))
    .map(({ rule, by }) => ({ rule, action: by > 0 ? 'boost' : 'bury' }))
}

/**
 * Lists the rules that acted on a page, each with its products there; those that hide have none.
 *
 * @param shown the hits of the page, by the id of the product.
 */
export function listActed(
  arrangement: Arrangement,
  shown: readonly (Placed & { productId: string })[],
): { rule: ActingRule; productIds: string[] }[] {
  const acted = new Map<string, { rule: ActingRule; productIds: string[] }>()
  const note = (rule: ActingRule, ...productIds: string[]): void => {
    const known = acted.get(rule.id) ?? { rule, productIds: [] }
    known.productIds.push(...productIds.filter((id) => !known.productIds.includes(id)))
    acted.set(rule.id, known)
  }
  for (const { rule, rows } of arrangement.hidings) if (rows.size > 0) note(rule)
  for (const hit of shown) for (const { rule } of listActing(arrangement, hit)) note(rule, hit.productId)
  return [...acted.values()]
}
