import { ApiError } from '../../../core/errors.ts'
import { mapInOrder } from '../../../core/map-in-order.ts'
import { UploadedFile } from '../../../http/schema.ts'
import { validationError } from '../../../http/validation.ts'
import { average, type Weighted } from './early-fusion.ts'
import type { QueryPicture } from './picture-source.ts'
import type { Reference, ReferencesComparison } from './query.ts'
import type { MultiImageForm, MultiImageSearch, PictureSource } from './schema.ts'

const REFERENCES_MIN = 2
const REFERENCES_MAX = 10

/** References that are read at a time, so that one search does not fill the line of downloads. */
const AT_A_TIME = 4

/**
 * Reads the pictures of a search.
 *
 * @throws ApiError `validation_error` for too few or many, and for negatives that cancel the references out.
 */
export async function readReferences(
  body: MultiImageSearch | MultiImageForm,
  readPicture: (source: PictureSource, pointer: string) => Promise<QueryPicture>,
): Promise<ReferencesComparison> {
  const asked = listAsked(body)
  if (asked.length < REFERENCES_MIN) throw wrongCount('min_items', `at least ${REFERENCES_MIN}`)
  if (asked.length > REFERENCES_MAX) throw wrongCount('max_items', `at most ${REFERENCES_MAX}`)
  const unwanted = (body.negative ?? []).map(
    ({ weight = 1, ...source }, n): Asked => ({
      source,
      weight,
      pointer: `/negative/${n}`,
    }),
  )
  const all = await mapInOrder(
    [...asked, ...unwanted],
    AT_A_TIME,
    async ({ source, weight, pointer }): Promise<Reference> => {
      const picture = await readPicture(source, pointer).catch((error) => {
        throw inPlace(error, pointer)
      })
      return { picture, weight }
    },
  )
  const { aggregation = 'average' } = body
  const references = all.slice(0, asked.length)
  const negatives = all.slice(asked.length)
  const mean = average(references.map(toWeighted), aggregation === 'average' ? negatives.map(toWeighted) : [])
  if (!mean) throw cancelledOut()
  return { kind: 'references', aggregation, references, negatives, mean }
}

const toWeighted = ({ picture: { vector }, weight }: Reference): Weighted => ({ vector, weight })

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

/** A reference without weight does not count. */
function listAsked({ images = [], image_urls = [] }: MultiImageSearch | MultiImageForm): Asked[] {
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

const wrongCount = (code: string, howMany: string) =>
  validationError([
    { in: 'body', pointer: '/images', code, message: `must have ${howMany} pictures with a weight above 0` },
  ])

const cancelledOut = () =>
  validationError([
    { in: 'body', pointer: '/negative', code: 'conflict', message: 'must not cancel out the references' },
  ])
