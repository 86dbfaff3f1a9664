import type { Lab } from '../../../core/colours/lab.ts'
import type { Shade } from '../../../core/colours/shades.ts'
import type { SpokenColour } from '../../../core/colours/spoken.ts'
import type { Calibration, EmbeddedText } from '../../../platform/embedder/embedder.ts'
import type { QueryText } from '../../catalogue/product-index/words/asked.ts'
import type { PictureCategories } from './category-names.ts'
import type { Side } from './fusion.ts'
import {
  findNamedCategory,
  findSpared,
  namedCategoryLeg,
  oneCategoryLeg,
  pictureCategoryLeg,
  steeringFactor,
} from './legs/category.ts'
import { hasWords, keywordLeg, measureDeviation } from './legs/keyword.ts'
import type { ExactLeg } from './legs/leg.ts'
import { paletteLeg } from './legs/palette.ts'
import { RANKING } from './parameters.ts'
import type { SearchedStore } from './searched-store.ts'

/** How a search steers by category. */
export interface Steering {
  /** The request's `category_boost`. */
  boost: number | undefined
  /** Whether a pre-filter leaves one category, inside which steering changes nothing. */
  isInOne: boolean
}

/** The words of a query, with the model's answer. */
export interface QueryWords
  extends Pick<
    EmbeddedText,
    'vector' | 'isUnknown' | 'unknownShare' | 'unknownWords' | 'doubtfulWords' | 'words'
  > {
  /** As somebody typed it. */
  text: string
  /** As it is compared with the words of products, and without what is no word to search; by default as it was typed. */
  read?: QueryText | undefined
  /** The texts that it may mean, the likeliest first; by default the one that was typed. */
  variants?: readonly string[] | undefined
  /** Words that mean a colour in the language of the query, folded. */
  foreignColours?: ReadonlyMap<string, Shade> | undefined
  /** What products should not have; each with what else says it. */
  without?: readonly (readonly string[])[] | undefined
  /** The page of the shop that it leads to. */
  redirectUrl?: string | undefined
  /** Whether the words of products must not count. */
  isByModelOnly?: boolean | undefined
}

/** What of a query is compared with words. */
export const readWordsOf = ({ text, read }: Pick<QueryWords, 'text' | 'read'>): QueryText =>
  read ?? { text, typed: text, standIns: NO_STAND_INS }

const NO_STAND_INS: QueryText['standIns'] = []

const present = (legs: readonly (ExactLeg | undefined)[]): ExactLeg[] =>
  legs.filter((leg) => leg !== undefined)

/**
 * The side of a query picture: its cosines, steered by what the names of the store's categories say about it.
 *
 * @param vector what is searched with.
 * @param ownCategory number of the category of the product that has the picture; 0 for none.
 */
export function pictureSide(
  vector: Float32Array,
  map: Calibration['image_image'],
  { boost, isInOne }: Steering,
  { categories, ownCategory = 0 }: { categories?: PictureCategories | undefined; ownCategory?: number },
): Omit<Side, 'share'> {
  const factor = isInOne ? 0 : steeringFactor(boost)
  const weight = factor * RANKING.categoryName * (categories?.reliability ?? 0)
  return {
    map,
    vector: { name: 'image', vector },
    exactLegs: (store) =>
      present([
        ownCategory > 0 && factor > 0
          ? oneCategoryLeg(store, ownCategory, factor * RANKING.ownCategory)
          : pictureCategoryLeg(store, categories?.fits ?? [], weight),
      ]),
  }
}

export interface WordsSide extends Omit<Side, 'share'> {
  /** Neither the model nor any product of the store has a word of the query. */
  isGuess: boolean
  /** The category that the words name; empty for none. */
  namedCategory: string
}

/**
 * The side of words: what the model makes of them, the words of the products themselves, and the category that the query
 * names. Both scores are added in the unit of the store: a standard deviation of its cosines to the query.
 *
 * @param isAlone whether the search has no other side.
 * @param colours that the words name. Their words are left to {@link ColourLoss}, or a lamp in the colour would outdo a mug.
 */
export function wordsSide(
  store: SearchedStore,
  query: QueryWords,
  map: Calibration['text_image'],
  { boost, isInOne }: Steering,
  isAlone: boolean,
  colours: readonly SpokenColour[] = [],
): WordsSide {
  const {
    text,
    variants = [text],
    vector,
    isUnknown = false,
    unknownShare = 0,
    isByModelOnly = false,
  } = query
  const read = readWordsOf(query)
  const namedCategory = isInOne || boost === 0 ? '' : findCategory([read.text, ...variants], store)
  // The model's vector of words that it does not know means nothing, but the store may have them.
  if (isUnknown && !isByModelOnly && hasWords(store, read)) {
    const byWords = { slope: RANKING.keywordSlope, midpoint: 0.5 }
    return {
      map: byWords,
      exactLegs: (now) => present([keywordLeg(now, read, 1, { isOnly: isAlone })]),
      hasKeywords: () => true,
      isGuess: false,
      namedCategory,
    }
  }
  const silent = new Set(colours.flatMap(({ word, toneWord = word }) => [word, toneWord]))
  const weight = RANKING.keyword + unknownShare * (RANKING.keywordOfUnknown - RANKING.keyword)
  return {
    map,
    vector: { name: 'text', vector },
    isGuess: isUnknown,
    namedCategory,
    hasKeywords: (now) => !isByModelOnly && hasWords(now, read),
    exactLegs(now, scannedBy) {
      const loss = namedCategory !== '' ? RANKING.namedCategory * steeringFactor(boost) : 0
      const unit = measureDeviation(now, vector, scannedBy?.(vector))
      return present([
        isByModelOnly ? undefined : keywordLeg(now, read, unit * weight, { silent }),
        loss > 0
          ? namedCategoryLeg(
              now,
              namedCategory,
              loss * unit,
              isByModelOnly ? undefined : findSpared(now, read, namedCategory, silent),
            )
          : undefined,
      ])
    },
  }
}

/** The category that one of some texts names, the first that does. */
function findCategory(texts: readonly string[], { columns }: SearchedStore): string {
  for (const text of new Set(texts)) {
    const named = findNamedCategory(text, columns)
    if (named !== '') return named
  }
  return ''
}

/** The side of wanted colours where nothing else is asked. */
export const coloursSide = (colours: readonly Lab[]): Omit<Side, 'share'> => ({
  map: { slope: RANKING.paletteSlope, midpoint: 0.5 },
  exactLegs: (store) => present([paletteLeg(store, colours, 1)]),
})
