import type { FinalMap } from '../../../platform/embedder/embedder.ts'
import type { Loss } from './lowering.ts'
import { WITHOUT } from './meaning/exclusions.ts'
import { RANKING } from './parameters.ts'
import type { SearchedStore } from './searched-store.ts'

/** More products than these having a thing say that nobody means it. */
const HOLDERS_MAX = 50_000

const SAYS_WITHOUT = [...WITHOUT].join(' ')
/** Endings of words that say that something is not there: "ärmellos", "sleeveless". */
const LACKS = ['los', 'lose', 'loser', 'loses', 'losen', 'less', 'free', 'frei', 'loze'] as const

/**
 * What products lose that say a thing which the query does not want. It is a loss and no filter, because words alone do not show
 * what a product has; and one that says "without" itself loses nothing, or the right products would be last.
 *
 * @param unwanted each with what else says it. Descriptions do not count: they also name what goes well with a product.
 */
export function unwantedLoss(
  { words, columns }: SearchedStore,
  unwanted: readonly (readonly string[])[],
  { slope }: Pick<FinalMap, 'slope'>,
): Loss | undefined {
  const losing = new Set<number>()
  const saysWithout = words.holderTest(SAYS_WITHOUT)
  for (const thing of unwanted.flat()) {
    const lacks = words.holderTest(LACKS.map((ending) => `${thing}${ending}`).join(' '))
    for (const document of words.listHoldersOfAll(thing, HOLDERS_MAX))
      if (!saysWithout(document) && !lacks(document)) losing.add(document)
  }
  if (losing.size === 0) return undefined
  const loss = RANKING.unwanted / slope
  return {
    leg: 'keyword',
    lower(values, slots) {
      for (let n = 0; n < values.length; n++)
        if (losing.has(columns.documentAt(slots[n] as number))) values[n] = (values[n] as number) - loss
    },
  }
}
