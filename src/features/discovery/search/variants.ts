import { fold, placeWords } from '../../../core/text.ts'
import type { EmbeddedText } from '../../../platform/embedder/embedder.ts'
import type { QueryText, Stretch } from '../../catalogue/product-index/words/asked.ts'
import type { Alternative } from './alternatives.ts'
import { average } from './early-fusion.ts'

/** Texts that the model reads for one query: the query itself, and the first that may stand for it. */
const VARIANTS_MAX = 4
/** The model reads no further. */
const VARIANT_CHARS_MAX = 1_000

const NO_STAND_INS: readonly Stretch[] = []

/** A query as the words of products are compared with it. */
export function readForKeywords(
  typed: string,
  text: string,
  alternatives: readonly Alternative[],
): QueryText {
  if (alternatives.length === 0) return { text, typed, standIns: NO_STAND_INS }
  const words = placeWords(text)
  const standIns = alternatives.flatMap(({ from, to, instead, for: reader }): Stretch[] => {
    const stretch = words.slice(from, to).map(({ word }) => word)
    return reader === 'both' && stretch.length > 0 ? [{ words: stretch.join(' '), instead }] : []
  })
  return { text, typed, standIns }
}

/**
 * The texts that a query may mean, the likeliest first. All stretches change together, so their number is that of the
 * stretch with most alternatives, and not the product of all.
 */
export function listVariants(text: string, alternatives: readonly Alternative[]): string[] {
  if (alternatives.length === 0) return [text]
  const stretches = readStretches(text, alternatives)
  const most = Math.max(1, ...stretches.map(({ ways }) => ways.length))
  const variants = new Set<string>()
  for (let n = 0; n < most && variants.size < VARIANTS_MAX; n++) {
    let variant = ''
    let written = 0
    for (const { from, to, ways } of stretches) {
      // A stretch without so many begins again with what may stand for it, not with what it says.
      const way = n < ways.length ? n : 1 + ((n - 1) % (ways.length - 1))
      variant += text.slice(written, from) + (ways[way] ?? ways[0])
      written = to
    }
    variant += text.slice(written)
    if (variant.length <= Math.max(text.length, VARIANT_CHARS_MAX)) variants.add(variant)
  }
  return [...variants]
}

interface Ways {
  from: number
  to: number
  /** What may stand there, the likeliest first. */
  ways: string[]
}

/** The stretches from left to right. Of two that overlap the one that begins first counts, of these the longer one. */
function readStretches(text: string, alternatives: readonly Alternative[]): Ways[] {
  const words = placeWords(text)
  const stretches: Ways[] = []
  let end = 0
  for (const { from, to, instead } of mergeSame(alternatives)) {
    const [first, last] = [words[from], words[to - 1]]
    if (!first || !last || first.from < end || from >= to) continue
    const own = text.slice(first.from, last.to)
    stretches.push({ from: first.from, to: last.to, ways: [...new Set(instead(own))] })
    end = last.to
  }
  return stretches
}

interface Merged extends Pick<Alternative, 'from' | 'to'> {
  /** @param own the words that stand there. */
  instead(own: string): string[]
}

/** What may stand for each stretch. What the model gets in its place comes first, and then the stretch does not. */
function mergeSame(alternatives: readonly Alternative[]): Merged[] {
  const byStretch = Map.groupBy(alternatives, ({ from, to }) => `${from} ${to}`)
  return [...byStretch.values()]
    .map((same): Merged => {
      const { from, to } = same[0] as Alternative
      const listFor = (reader: Alternative['for']) =>
        same.flatMap(({ instead, for: own }) => (own === reader ? instead : []))
      const forModel = listFor('model')
      return { from, to, instead: (own) => [...(forModel.length > 0 ? forModel : [own]), ...listFor('both')] }
    })
    .sort((a, b) => a.from - b.from || b.to - a.to)
}

/**
 * Embeds the texts that a query may mean, and gives the direction between their vectors. Only those count of which the model
 * does not know the fewest words.
 *
 * @param texts the likeliest first. Each is embedded by itself, so that the next query finds it known.
 */
export async function embedVariants(
  embed: (text: string) => Promise<EmbeddedText>,
  texts: readonly string[],
): Promise<EmbeddedText> {
  const [own, ...others] = await Promise.all(texts.map(embed))
  if (!own) throw new Error('there is no text')
  const all = [own, ...others]
  const fewest = Math.min(...all.map(countUnknown))
  const [best = own, ...asGood] = all.filter((one) => countUnknown(one) === fewest)
  if (others.length === 0 || fewest === Infinity) return own
  const vectors = [best, ...asGood].map(({ vector }) => ({ vector, weight: 1 }))
  const stillUnknown = new Set(best.unknownWords)
  return {
    ...own,
    vector: average(vectors, []) ?? best.vector,
    ...(own.isUnknown && { isUnknown: false }),
    ...(best.unknownShare !== undefined && { unknownShare: best.unknownShare }),
    ...(own.unknownWords && { unknownWords: own.unknownWords.filter((word) => stillUnknown.has(word)) }),
  }
}

const countUnknown = ({ isUnknown, unknownWords = [] }: EmbeddedText): number =>
  isUnknown ? Infinity : unknownWords.length

/** Those of some words that stand in no stretch with alternatives: somebody has said what these mean, so they are no typos. */
export function listUnexplained(
  words: readonly string[],
  text: string,
  alternatives: readonly Alternative[],
): readonly string[] {
  if (alternatives.length === 0) return words
  const placed = placeWords(text)
  const explained = new Set(
    alternatives.flatMap(({ from, to }) => placed.slice(from, to).map(({ word }) => word)),
  )
  return words.filter((word) => !explained.has(fold(word)))
}
