import type { Lab } from '../../../core/colours/lab.ts'
import type { Calibration, FinalKind } from '../../../platform/embedder/embedder.ts'
import { describeCategories, type PictureCategories } from './category-names.ts'
import { type Blend, type Fusion, fuseSides, type Side } from './fusion.ts'
import { paletteLeg } from './legs/palette.ts'
import { RANKING } from './parameters.ts'
import type { QueryPicture } from './picture-source.ts'
import type { SearchedStore } from './searched-store.ts'
import { coloursSide, pictureSide, type QueryWords, type Steering, wordsSide } from './sides.ts'

/** What a store is ranked by, for one query. */
export interface Plan {
  /** One list is made for each; those of several take turns. */
  fusions: Fusion[]
  /** What the query picture seems to show. */
  categories?: { name: string; score: number }[] | undefined
  /** The category that the search steers towards, as the store spells it. */
  steersTo?: string | undefined
}

/** What planning reads. */
export interface PlanContext {
  storeId: string
  store: SearchedStore
  calibration: Calibration
  steering: Steering
  /** What the names of the store's categories say about a picture. */
  look(storeId: string, store: SearchedStore, vector: Float32Array): PictureCategories | undefined
}

/** Ranks by whichever sides a query has: a picture, words and colours. */
export interface SidesQuery {
  picture?: QueryPicture | undefined
  words?: QueryWords | undefined
  colours?: readonly Lab[]
  /** Weight of the picture where there are words too; they have the rest. */
  visualWeight?: number
}

export function planSides(context: PlanContext, query: SidesQuery): Plan {
  const { store, calibration, steering } = context
  const { picture, words, colours = [], visualWeight = 0.5 } = query
  const seen = picture && planPicture(context, picture)
  const spoken = words && wordsSide(store, words, calibration.text_image, steering, picture === undefined)
  // Meaningless words would only blur the picture.
  const said = spoken?.isGuess && seen ? undefined : spoken
  const sides = [
    ...(seen ? [{ ...seen.side, share: said ? visualWeight : 1 }] : []),
    ...(said ? [{ ...said, share: seen ? 1 - visualWeight : 1 }] : []),
  ].filter(({ share }) => share > 0)
  const kind: FinalKind = seen && said ? 'hybrid' : said ? 'text' : 'picture'
  const onlyColours: Side = { ...coloursSide(colours), share: 1 }
  const fusion =
    sides.length === 0
      ? fuseSides([onlyColours])
      : fuseSides(sides, {
          final: calibration.final?.[kind],
          ceiling: said?.isGuess ? RANKING.guess : 1,
          added: (now, odds) => paletteLeg(now, colours, RANKING.palette * odds) ?? [],
        })
  return {
    fusions: [fusion],
    categories: seen?.categories,
    steersTo: said?.namedCategory || seen?.steersTo,
  }
}

/** @param vector what is searched with, where that is not the picture's own vector. */
function planPicture(
  { storeId, store, calibration, steering, look }: PlanContext,
  { vector: own, pictureId }: QueryPicture,
  { vector = own, map = calibration.image_image } = {},
) {
  const { columns, segment } = store
  const categories = look(storeId, store, own)
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

/** Ranks by one vector that is made of a picture and of words (early fusion). */
export function planMixed(
  context: PlanContext,
  picture: QueryPicture,
  mixed: { vector: Float32Array; map: Calibration['image_image'] },
): Plan {
  const { side, categories, steersTo } = planPicture(context, picture, mixed)
  const fusion = fuseSides([{ ...side, share: 1 }], { final: context.calibration.final?.fusion })
  return { fusions: [fusion], categories, steersTo }
}

/** Ranks by several references. */
export function planReferences(
  context: PlanContext,
  mean: Float32Array,
  vectors: readonly Float32Array[],
  blend: Blend,
): Plan {
  const { side, categories, steersTo } = planPicture(context, { vector: mean })
  const fusion = fuseSides([{ ...side, share: 1 }], { final: context.calibration.final?.picture })
  const legs = vectors.map((vector) => ({ name: 'image' as const, vector, weight: 1 }))
  return { fusions: [{ ...fusion, legs, blend }], categories, steersTo }
}

/** Ranks by each of several references apart; negatives count in every list. */
export function planUnion(
  context: PlanContext,
  references: readonly Float32Array[],
  listOf: (reference: Float32Array, n: number) => { vectors: readonly Float32Array[]; blend: Blend },
): Plan {
  const plans = references.map((reference, n) => {
    const { vectors, blend } = listOf(reference, n)
    return planReferences(context, reference, vectors, blend)
  })
  return { fusions: plans.flatMap(({ fusions }) => fusions) }
}
