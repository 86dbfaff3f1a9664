import type { SpokenColour } from '../../../core/colours/spoken.ts'
import { foldColour } from '../../../core/colours/words.ts'
import { splitWords } from '../../../core/text.ts'
import type { Calibration, FinalKind } from '../../../platform/embedder/embedder.ts'
import { describeCategories, type PictureCategories } from './category-names.ts'
import { mixMaps, mixWords } from './early-fusion.ts'
import { askForColours, type Blend, type Fusion, fuseSides, type Side } from './fusion.ts'
import { type Priors, withClicks } from './legs/clicks.ts'
import { RANKING } from './parameters.ts'
import type { QueryPicture } from './picture-source.ts'
import type { Comparison, MixedComparison, ReferencesComparison, SidesComparison } from './query.ts'
import type { SearchedStore } from './searched-store.ts'
import { scaleVote } from './second-look.ts'
import { coloursSide, pictureSide, type QueryWords, readWordsOf, type Steering, wordsSide } from './sides.ts'
import { coloursOf } from './wanted-colours.ts'

/** The numbers that a store is ranked by, for one query. */
export interface Plan {
  /** One list is made for each; those of several take turns. */
  fusions: Fusion[]
  /** Those that the query picture seems to show, the best first. */
  categories?: { name: string; score: number }[] | undefined
  /** The category that the search steers towards, as the store spells it. */
  steersTo?: string | undefined
  /** Whether neither the model nor any product knows a word of the query, and nothing else is searched by. */
  isGuess?: boolean | undefined
}

export interface PlanContext {
  storeId: string
  store: SearchedStore
  calibration: Calibration
  steering: Steering
  /** Whether the first hits vote. */
  looksTwice: boolean
  /** What products gain by clicks; undefined where the store does not learn. */
  priors?: Priors | undefined
  /** How well the names of the store's categories fit a picture. */
  compare(storeId: string, store: SearchedStore, vector: Float32Array): PictureCategories | undefined
}

/** Says what the products of a store are ranked by. The plan is valid as long as the store's index is. */
export function makePlan(context: PlanContext, rankBy: Comparison): Plan {
  const { priors } = context
  const plan = planFor(context, rankBy)
  return priors ? { ...plan, fusions: plan.fusions.map((fusion) => withClicks(fusion, priors)) } : plan
}

function planFor(context: PlanContext, rankBy: Comparison): Plan {
  switch (rankBy.kind) {
    case 'sides':
      return planSides(context, rankBy)
    case 'mixed':
      return planMixed(context, rankBy)
    case 'references':
      return planReferences(context, rankBy)
  }
}

function planSides(context: PlanContext, rankBy: SidesComparison): Plan {
  const { store, calibration, steering } = context
  const { picture, words, colours = [], visualWeight = 0.5 } = rankBy
  const ofPicture = picture && planPicture(context, picture)
  const spoken = words ? coloursOf(words, store) : []
  const ofWords =
    words && wordsSide(store, words, calibration.text_image, steering, picture === undefined, spoken)
  // Meaningless words would only blur the picture, and so would those that name nothing but its colour.
  const isBlur = ofWords?.isGuess || (visualWeight > 0 && words && saysOnlyColours(words, spoken))
  const counted = ofPicture && isBlur ? undefined : ofWords
  const sides = [
    ...(ofPicture ? [{ ...ofPicture.side, share: counted ? visualWeight : 1 }] : []),
    ...(counted ? [{ ...counted, share: ofPicture ? 1 - visualWeight : 1 }] : []),
  ].filter(({ share }) => share > 0)
  const kind: FinalKind = ofPicture && counted ? 'hybrid' : counted ? 'text' : 'picture'
  const onlyColours: Side = { ...coloursSide(colours), share: 1 }
  const fusion =
    sides.length === 0
      ? fuseSides([onlyColours])
      : askForColours(
          fuseSides(sides, {
            final: calibration.final?.[kind],
            ceiling: counted?.isGuess ? RANKING.guess : 1,
          }),
          {
            ...{ picked: colours, spoken, query: words ? readWordsOf(words) : '' },
            isByPicturesOnly: words?.isByModelOnly === true,
            spokenLoss: ofPicture ? lossBeside(visualWeight) : RANKING.colourWord,
          },
        )
  // Guesses and colours say nothing about kinds.
  const votes = context.looksTwice && sides.length > 0 && !counted?.isGuess
  const isBoth = sides.length > 1
  const isByPicture = sides[0]?.vector?.name === 'image'
  const vote = isBoth
    ? scaleVote(RANKING.voteBoth, fusion.map)
    : isByPicture
      ? scaleVote(RANKING.votePicture, fusion.map)
      : scaleVote(RANKING.voteText, fusion.map, calibration.image_image)
  return {
    fusions: [{ ...fusion, ...(votes && { vote }), unwanted: listUnwantedOf(words) }],
    isGuess: counted?.isGuess,
    categories: ofPicture?.categories,
    steersTo: counted?.namedCategory || ofPicture?.steersTo,
  }
}

/** What colours that words name count beside a picture: in full up to a weight of one half, nothing where it is all. */
const lossBeside = (pictureWeight: number): number =>
  RANKING.colourWordBoth * Math.min(1, 2 * (1 - pictureWeight))

const saysOnlyColours = (query: QueryWords, spoken: readonly SpokenColour[]): boolean => {
  const known = new Set(spoken.flatMap(({ word, toneWord = word }) => [word, toneWord]))
  return splitWords(readWordsOf(query).text).every((word) => known.has(foldColour(word)))
}

/** @param vector searched with in place of the picture's own. */
function planPicture(
  { storeId, store, calibration, steering, compare }: PlanContext,
  { vector: own, pictureId }: QueryPicture,
  { vector = own, map = calibration.image_image } = {},
) {
  const { columns, segment } = store
  const categories = compare(storeId, store, own)
  const slot = pictureId === undefined ? undefined : segment.findSlot(pictureId)
  const ownCategory = slot === undefined ? 0 : columns.categoryAt(slot)
  const steers = !steering.isInOne && steering.boost !== 0
  const best = ownCategory || (categories && categories.reliability > 0 ? categories.fits[0]?.category : 0)
  return {
    side: pictureSide(vector, map, steering, { categories, ownCategory }),
    categories: categories && describeCategories(categories, columns, calibration),
    steersTo: steers && best ? columns.categories.getLabel(best) : undefined,
  }
}

function planMixed(context: PlanContext, { picture, words, pictureWeight }: MixedComparison): Plan {
  const { image_image, text_image, final } = context.calibration
  // Words that the model does not know say nothing.
  const mixed = words.isUnknown
    ? { vector: picture.vector, map: image_image }
    : {
        vector: mixWords(picture.vector, words.vector, pictureWeight),
        map: mixMaps(image_image, text_image, pictureWeight),
      }
  const { side, categories, steersTo } = planPicture(context, picture, mixed)
  const fusion = askForColours(fuseSides([{ ...side, share: 1 }], { final: final?.fusion }), {
    ...{ picked: [], spoken: coloursOf(words, context.store), query: readWordsOf(words) },
    ...{ spokenLoss: lossBeside(pictureWeight), isByPicturesOnly: words.isByModelOnly === true },
  })
  const vote = context.looksTwice
    ? scaleVote(words.isUnknown ? RANKING.votePicture : RANKING.voteBoth, fusion.map)
    : undefined
  return { fusions: [{ ...fusion, vote, unwanted: listUnwantedOf(words) }], categories, steersTo }
}

/** What products lose by; nothing where their words must not count. */
const listUnwantedOf = (words: QueryWords | undefined): QueryWords['without'] =>
  words?.isByModelOnly || !words?.without?.length ? undefined : words.without

function planReferences(context: PlanContext, rankBy: ReferencesComparison): Plan {
  const { aggregation, references, mean } = rankBy
  if (aggregation === 'average') return planBlend(context, mean, [mean], { kind: 'sum' })
  const negatives = rankBy.negatives.filter(({ weight }) => weight > 0)
  const blendOf = (weights: readonly number[]): Blend => ({
    kind: 'best',
    weights,
    negatives: negatives.map(({ weight }) => weight),
    map: context.calibration.image_image,
  })
  const vectors = references.map(({ picture }) => picture.vector)
  const unwanted = negatives.map(({ picture }) => picture.vector)
  if (aggregation === 'best') {
    const blend = blendOf(references.map(({ weight }) => weight))
    return planBlend(context, mean, [...vectors, ...unwanted], blend)
  }
  // One list for each reference; negatives count in all of them.
  const plans = vectors.map((vector) => planBlend(context, vector, [vector, ...unwanted], blendOf([1])))
  return { fusions: plans.flatMap(({ fusions }) => fusions) }
}

/** @param seen the vector whose categories steer. */
function planBlend(
  context: PlanContext,
  seen: Float32Array,
  vectors: readonly Float32Array[],
  blend: Blend,
): Plan {
  const { side, categories, steersTo } = planPicture(context, { vector: seen })
  const fusion = fuseSides([{ ...side, share: 1 }], { final: context.calibration.final?.picture })
  const legs = vectors.map((vector) => ({ name: 'image' as const, vector, weight: 1 }))
  const vote = context.looksTwice ? scaleVote(RANKING.votePicture, fusion.map) : undefined
  return { fusions: [{ ...fusion, legs, blend, vote }], categories, steersTo }
}
