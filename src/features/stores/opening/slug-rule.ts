import { ApiError } from '../../../core/errors.ts'
import { findSlugProblem, RESERVED_SLUGS } from '../../../core/slugs.ts'
import { validationError } from '../../../http/validation.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { SlugState } from './schema.ts'

/** Why no store can get a slug now; null for one that is free. */
export function findSlugReason(
  slug: string,
  { findStoreBySlug }: Pick<StoreQueries, 'findStoreBySlug'>,
): SlugState['reason'] {
  if (RESERVED_SLUGS.has(slug)) return 'reserved'
  if (findSlugProblem(slug)) return 'format'
  return findStoreBySlug(slug) ? 'taken' : null
}

/** Checks the slug that a request wants. @throws ApiError `validation_error` for one that no store can have. */
export function demandSlug({ slug }: { slug?: string | undefined }): void {
  if (slug === undefined || !findSlugProblem(slug)) return
  const fault = RESERVED_SLUGS.has(slug)
    ? { code: 'reserved', message: 'is a page of this service; choose another' }
    : {
        code: 'format',
        message: 'must have 2 to 40 letters a-z, digits and dashes, with no dash at either end',
      }
  throw validationError([{ in: 'body', pointer: '/slug', ...fault }])
}

export const slugTaken = (slug: string) =>
  new ApiError(
    'conflict',
    `The slug ${slug} belongs to another store; send another one, or none to have it made of the name`,
    { details: { slug } },
  )
