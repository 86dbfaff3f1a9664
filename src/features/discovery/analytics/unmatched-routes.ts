import { Elysia } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { documentedFailures, failures, READING } from '../../../http/failures.ts'
import { answerWebp, SignedAddressQuery, WEBP_CONTENT } from '../../../http/webp-answer.ts'
import type { UnmetPictures } from './unmet/pictures.ts'

/** Shoppers' pictures that found nothing, for the people of the store. The signature in the address stands for a credential. */
export function unmatchedRoutes(pictures: Pick<UnmetPictures, 'open'>) {
  return new Elysia({ name: 'unmatched.routes', tags: ['Analytics'] }).get(
    '/thumbnails/searches/:name',
    ({ params, query, set }) => {
      const found = pictures.open(params.name, query)
      if (!found) throw notFound('picture')
      return answerWebp(set, found.webp, `private, max-age=${found.seconds}, immutable`)
    },
    {
      query: SignedAddressQuery,
      detail: {
        operationId: 'getUnmatchedThumbnail',
        summary: 'Read a shopper’s picture that found nothing',
        description:
          'At most 96 pixels a side, kept for 30 days. The whole address is in `example_thumbnails` of `GET /v1/search/analytics/unmet`; it needs no credential and holds for 24 to 36 hours.',
        responses: {
          200: { description: 'The picture.', content: WEBP_CONTENT },
          ...documentedFailures(
            failures(...READING, [
              'not_found',
              'The address was altered, has ended, or its picture is gone.',
            ]),
          ),
        },
      },
    },
  )
}
