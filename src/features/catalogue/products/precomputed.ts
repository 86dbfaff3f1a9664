import { TypeCompiler } from '@sinclair/typebox/compiler'
import { findProblems, validationError } from '../../../http/validation.ts'
import type { ModelFingerprint } from '../../../platform/embedder/embedder.ts'
import type { NewPicture } from './queries.ts'
import { type Precomputed, type PrecomputedPicture, PrecomputedPictures } from './schema.ts'

/** A picture that came with its vector and its facts: the client's claim, of which only the form has been checked. */
export interface PrecomputedContent {
  picture: Omit<NewPicture, 'imageUrl'>
  /** Of length 1. */
  vector: Float32Array
  /** Any bytes. */
  thumbnail?: Uint8Array
}

const isPrecomputedPictures = TypeCompiler.Compile(PrecomputedPictures)

/**
 * Finds the vectors that came with a product, in a line of an export.
 *
 * @returns `other_model` if they are of another model, and undefined if there are none.
 * @throws ApiError `validation_error` for vectors of the present model that cannot be used.
 */
export function findPrecomputed(
  value: object,
  model: ModelFingerprint,
): Precomputed | 'other_model' | undefined {
  const { model: of, pictures } = value as { model?: { hash?: unknown } | null; pictures?: unknown }
  if (typeof of?.hash !== 'string' || !Array.isArray(pictures)) return undefined
  if (of.hash !== model.hash) return 'other_model'
  if (!isPrecomputedPictures.Check(pictures)) {
    throw validationError(
      findProblems(PrecomputedPictures, pictures, 'body').map((problem) => ({
        ...problem,
        pointer: `/pictures${problem.pointer}`,
      })),
    )
  }
  for (const [n, { vector }] of pictures.entries()) {
    if (vector === null || readVector(vector, model.dimension)) continue
    const message = `must be ${model.dimension} finite numbers as 32-bit floats in base64, not all of them 0`
    throw validationError([{ in: 'body', pointer: `/pictures/${n}/vector`, code: 'invalid_vector', message }])
  }
  return { model: model.hash, pictures: pictures.filter(({ vector }) => vector !== null).map(pickFields) }
}

/** Drops everything else that a client has written there. */
const pickFields = ({
  image_url,
  content_hash,
  content_type,
  bytes,
  width,
  height,
  phash,
  palette,
  vector,
  thumbnail,
}: PrecomputedPicture): PrecomputedPicture => ({
  ...{ image_url, content_hash, content_type, bytes, width, height, phash, vector },
  palette: palette.map(({ hex, share }) => ({ hex, share })),
  ...(thumbnail && { thumbnail }),
})

/** Reads a precomputed picture. @returns undefined if its vector is not of this model. */
export function readPrecomputed(
  { vector: text, thumbnail, ...facts }: PrecomputedPicture,
  dimension: number,
): PrecomputedContent | undefined {
  const vector = text === null ? undefined : readVector(text, dimension)
  const { content_hash, content_type: contentType, bytes, width, height, phash, palette } = facts
  const contentHash = Buffer.from(content_hash, 'hex')
  return (
    vector && {
      picture: { contentHash, contentType, bytes, width, height, phash, palette, isPrecomputed: true },
      vector,
      ...(thumbnail && { thumbnail: Buffer.from(thumbnail, 'base64') }),
    }
  )
}

/** Reads a vector and gives it the length 1. Every machine that the program runs on has the low byte first. */
function readVector(base64: string, dimension: number): Float32Array | undefined {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length !== dimension * Float32Array.BYTES_PER_ELEMENT) return undefined
  const vector = new Float32Array(new Uint8Array(bytes).buffer)
  let squares = 0
  for (const value of vector) squares += value * value
  if (!Number.isFinite(squares) || squares === 0) return undefined
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}
