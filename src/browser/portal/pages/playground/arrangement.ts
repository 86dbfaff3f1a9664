import type { FilterNode, SearchRule } from '#generated/api.ts'

type Action = SearchRule['then'][number]

/** The results of some words as a person has put them. */
export interface Arrangement {
  /** Ids of the results in their order. */
  order: readonly string[]
  /** Those of them that keep their place. */
  pinned: ReadonlySet<string>
  hidden: ReadonlySet<string>
}

/** Puts a result at another place, where it then stays. @param to from 0 */
export function moveTo({ order, pinned, hidden }: Arrangement, id: string, to: number): Arrangement {
  const others = order.filter((one) => one !== id)
  const place = Math.max(0, Math.min(to, others.length))
  return {
    order: [...others.slice(0, place), id, ...others.slice(place)],
    pinned: new Set([...pinned, id]),
    hidden,
  }
}

export function hide({ order, pinned, hidden }: Arrangement, id: string): Arrangement {
  return {
    order: order.filter((one) => one !== id),
    pinned: new Set([...pinned].filter((one) => one !== id)),
    hidden: new Set([...hidden, id]),
  }
}

/** Lets a result stand where its score puts it. */
export const release = ({ pinned, ...rest }: Arrangement, id: string): Arrangement => ({
  ...rest,
  pinned: new Set([...pinned].filter((one) => one !== id)),
})

/** The entry of `words` that is this query and no other. */
export const entryOf = (words: string): string => `"${words.replaceAll('"', ' ').trim()}"`

/** Whether a rule acts on these words alone, so that it can hold what is decided about them. */
export const isRuleFor = ({ when }: Pick<SearchRule, 'when'>, entry: string): boolean =>
  Object.keys(when).length === 1 && when.words?.length === 1 && when.words[0] === entry

/** The ids that an action hides by name; null for every other action. */
function readHidden({ action, filters }: Action): string[] | null {
  const nodes: FilterNode[] = filters === undefined ? [] : [filters].flat()
  const [node] = nodes
  if (action !== 'hide' || nodes.length !== 1 || !node || !('operator' in node)) return null
  const isList = node.field === 'product_id' && node.operator === 'in' && Array.isArray(node.value)
  return isList ? (node.value as unknown[]).map(String) : null
}

/** The actions of the rule with an arrangement in them. What concerns other products stays. */
export function mergeActions(
  then: readonly Action[],
  { order, pinned, hidden }: Arrangement,
  shown: readonly string[],
): Action[] {
  const pins = order.flatMap((product_id, n) =>
    pinned.has(product_id) ? [{ action: 'pin', product_id, position: n + 1 }] : [],
  )
  const taken = new Set(pins.map(({ position }) => position))
  const here = new Set(shown)
  const others = then.filter(
    ({ action, product_id = '', position = 0 }) =>
      action !== 'pin' || !(here.has(product_id) || taken.has(position)),
  )
  const known = others.flatMap((action) => readHidden(action) ?? [])
  const value = [...new Set([...known, ...hidden])].filter((id) => !pinned.has(id))
  return [
    ...others.filter((action) => readHidden(action) === null),
    ...pins,
    ...(value.length > 0
      ? [{ action: 'hide', filters: [{ field: 'product_id', operator: 'in' as const, value }] }]
      : []),
  ]
}
