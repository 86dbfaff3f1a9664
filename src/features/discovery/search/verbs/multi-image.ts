import { ApiError } from '../../../../core/errors.ts'
import { mapInOrder } from '../../../../core/map-in-order.ts'
import { UploadedFile } from '../../../../http/schema.ts'
import { validationError } from '../../../../http/validation.ts'
import { average, type Weighted } from '../early-fusion.ts'
import type { Blend } from '../fusion.ts'
import type { QueryPicture } from '../picture-source.ts'
import type { Query } from '../pipeline.ts'
import { type PlanContext, planReferences, planUnion } from '../query.ts'
import type { MultiImageForm, MultiImageSearch, PictureSource } from '../schema.ts'

const REFERENCES_MIN = 2
const REFERENCES_MAX = 10

/** References that are read at a time, so that one search does not fill the line of downloads. */
const AT_A_TIME = 4

interface Reference extends Weighted {
  picture: QueryPicture
}

type See = (source: PictureSource, pointer: string) => Promise<QueryPicture>

/** Reads the references of a search, and says what to rank by. @throws ApiError `validation_error` for too few or many. */
export async function toReferences(
  body: MultiImageSearch | MultiImageForm,
  see: See,
): Promise<Pick<Query, 'plan' | 'references' | 'ownPictureIds'>> {
  const asked = listReferences(body)
  if (asked.length < REFERENCES_MIN) throw wrongCount('min_items', `at least ${REFERENCES_MIN}`)
  if (asked.length > REFERENCES_MAX) throw wrongCount('max_items', `at most ${REFERENCES_MAX}`)
  const unwanted = (body.negative ?? []).map(({ weight, ...source }, n) => ({
    source,
    weight: weight ?? 1,
    pointer: `/negative/${n}`,
  }))
  const all = await mapInOrder([...asked, ...unwanted], AT_A_TIME, async (one): Promise<Reference> => {
    const picture = await see(one.source, one.pointer).catch((error) => {
      throw inPlace(error, one.pointer)
    })
    return { picture, vector: picture.vector, weight: one.weight }
  })
  const references = all.slice(0, asked.length)
  const negatives = all.slice(asked.length).filter(({ weight }) => weight > 0)
  return {
    references: references.map(({ vector }) => vector),
    ownPictureIds: all.flatMap(({ picture }) => picture.pictureId ?? []),
    plan: planOf(body.aggregation ?? 'average', references, negatives),
  }
}

/** Says which reference failed, where the error does not say it itself. */
function inPlace(error: unknown, pointer: string): unknown {
  if (!(error instanceof ApiError)) return error
  const { details = {} } = error.extras
  if ('errors' in details || 'pointer' in details) return error
  return new ApiError(error.code, error.message, { ...error.extras, details: { ...details, pointer } })
}

interface Asked {
  source: PictureSource
  weight: number
  pointer: string
}

/** A reference that weighs nothing is none. */
function listReferences({ images = [], image_urls = [] }: MultiImageSearch | MultiImageForm): Asked[] {
  const named = images.map((image, n): Asked => {
    const pointer = `/images/${n}`
    if (image instanceof UploadedFile) return { source: { image }, weight: 1, pointer }
    const { weight = 1, ...source } = image
    return { source, weight, pointer }
  })
  const linked = image_urls.map(
    (image_url, n): Asked => ({ source: { image_url }, weight: 1, pointer: `/image_urls/${n}` }),
  )
  return [...named, ...linked].filter(({ weight }) => weight > 0)
}

function planOf(
  aggregation: 'average' | 'best' | 'union',
  references: readonly Reference[],
  negatives: readonly Reference[],
): (context: PlanContext) => ReturnType<typeof planReferences> {
  const mean = average(references, aggregation === 'average' ? negatives : [])
  if (!mean) throw cancelledOut()
  if (aggregation === 'average') {
    return (context) => planReferences(context, mean, [mean], { kind: 'sum' })
  }
  const unwanted = negatives.map(({ vector }) => vector)
  const blendOf = (weights: readonly number[], context: PlanContext): Blend => ({
    kind: 'best',
    weights,
    negatives: negatives.map(({ weight }) => weight),
    map: context.calibration.image_image,
  })
  if (aggregation === 'best') {
    const vectors = [...references.map(({ vector }) => vector), ...unwanted]
    const weights = references.map(({ weight }) => weight)
    return (context) => planReferences(context, mean, vectors, blendOf(weights, context))
  }
  return (context) =>
    planUnion(
      context,
      references.map(({ vector }) => vector),
      (vector) => ({ vectors: [vector, ...unwanted], blend: blendOf([1], context) }),
    )
}

const wrongCount = (code: string, howMany: string) =>
  validationError([
    { in: 'body', pointer: '/images', code, message: `must have ${howMany} pictures with a weight above 0` },
  ])

const cancelledOut = () =>
  validationError([
    { in: 'body', pointer: '/negative', code: 'conflict', message: 'must not cancel out the references' },
  ])
