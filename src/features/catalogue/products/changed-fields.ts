import { isDeepStrictEqual } from 'node:util'
import { getImageUrl } from './pictures.ts'
import type { PictureRow, PictureToSave, ProductRow, SavedProduct } from './queries.ts'
import type { Metadata } from './schema.ts'

/** The new state of a product that is already there. */
interface NextState {
  metadata: Metadata
  /** In the product's order. */
  pictures: readonly PictureToSave[]
}

/** Whether a write would leave a product as it is. */
export function isUnchanged(before: ProductRow, after: NextState & { isDemo: boolean }): boolean {
  return (
    before.isDemo === after.isDemo &&
    before.pictures.length === after.pictures.length &&
    before.pictures.every((picture, n) => {
      const next = after.pictures[n]
      return (
        next &&
        'kept' in next &&
        !next.second &&
        next.kept.id === picture.id &&
        next.kept.imageUrl === picture.imageUrl
      )
    }) &&
    isDeepStrictEqual(before.metadata, after.metadata)
  )
}

/**
 * The fields of a product that a client sees change, as in `image_url` and `metadata.price`. `image` stands for new
 * content of the main picture, whether or not its address is the same.
 */
export function listChangedFields(before: ProductRow, { metadata, pictures }: NextState): string[] {
  const [first, ...others] = before.pictures
  const [nextFirst, ...nextOthers] = pictures
  const fields: string[] = []
  if (nextFirst && getImageUrl(nextFirst) !== before.imageUrl) fields.push('image_url')
  if (!hasSameContent(first, nextFirst)) fields.push('image')
  const areSame =
    others.length === nextOthers.length &&
    nextOthers.every(
      (next, n) => hasSameContent(others[n], next) && getImageUrl(next) === others[n]?.imageUrl,
    )
  if (!areSame) fields.push('additional_image_urls')
  for (const key of new Set([...Object.keys(before.metadata), ...Object.keys(metadata)])) {
    if (!isDeepStrictEqual(before.metadata[key], metadata[key])) fields.push(`metadata.${key}`)
  }
  return fields
}

function hasSameContent(picture: PictureRow | undefined, next: PictureToSave | undefined): boolean {
  if (!picture || !next) return picture === next
  return picture.contentHash.equals('kept' in next ? next.kept.contentHash : next.added.contentHash)
}

/** The pictures that a write has added, by their rows. */
export const listAdded = (prepared: PictureToSave[], { pictureIds }: SavedProduct) =>
  prepared.flatMap((picture, n) =>
    'vector' in picture ? [{ id: pictureIds[n] as number, vector: picture.vector }] : [],
  )
