import { sayShade } from '../../../../core/colours/foreign.ts'
import type { SpokenColour } from '../../../../core/colours/spoken.ts'
import { foldColour } from '../../../../core/colours/words.ts'
import { type PlacedWord, placeWords } from '../../../../core/text.ts'
import type { Interpreted } from '../answer-schema.ts'
import type { QueryWords } from '../sides.ts'
import type { Understood } from './understanding.ts'

/** Words that an answer names. */
const NAMED_MAX = 32

/** Says what was understood of a query. */
export function describeUnderstood(
  { rest, priceMin, priceMax, without, translation }: Understood,
  words: Pick<QueryWords, 'unknownWords' | 'isUnknown'> | undefined,
  { colours, isHeld }: { colours: readonly SpokenColour[]; isHeld(word: string): boolean },
): Interpreted {
  const spoken = new Set(colours.flatMap(({ word, toneWord = word }) => [word, toneWord]))
  const unknown = new Set(words?.unknownWords)
  const know = (own: readonly PlacedWord[], isTranslated: boolean): Interpreted['words'][number]['known'] => {
    if (own.some(({ word }) => spoken.has(foldColour(word)))) return 'colour'
    if (own.every(({ word }) => isHeld(word))) return 'name'
    const isSeen =
      !words?.isUnknown && own.every(({ from, to }) => !unknown.has(rest.slice(from, to).toLowerCase()))
    return isTranslated || isSeen ? 'picture' : 'no'
  }
  const placed = placeWords(rest)
  const stretches = translation?.parts.filter(({ kind, english }) => kind !== 'grammar' || english !== '')
  const parts =
    stretches ?? placed.map((_, n) => ({ from: n, to: n + 1, kind: 'other' as const, english: '' }))
  const named = parts.slice(0, NAMED_MAX).flatMap(({ from, to, kind, english }) => {
    const own = placed.slice(from, to)
    const [first, last] = [own[0], own.at(-1)]
    if (!first || !last) return []
    const word = rest.slice(first.from, last.to).toLowerCase()
    const isTranslated = kind !== 'other' && english.toLowerCase() !== word
    return [{ word, known: know(own, isTranslated), ...(isTranslated && { as: english }) }]
  })
  return {
    ...(priceMin !== undefined && { price_min: priceMin }),
    ...(priceMax !== undefined && { price_max: priceMax }),
    ...(colours.length > 0 && { colors: [...new Set(colours.map(({ shade }) => sayShade(shade)))] }),
    ...(without.length > 0 && { without: [...without] }),
    words: words ? named : [],
  }
}
