import { Elysia } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { documentedFailures, failures, READING } from '../../../http/failures.ts'
import { answerWebp, SignedAddressQuery, WEBP_CONTENT } from '../../../http/webp-answer.ts'
import type { Thumbnails } from './thumbnails.ts'

/** Thumbnails, for the browsers of people who work with a store. The signature in the address stands for a credential. */
export function thumbnailRoutes(thumbnails: Pick<Thumbnails, 'open'>) {
  return new Elysia({ name: 'thumbnails.routes', tags: ['Products'] }).get(
    '/thumbnails/:name',
    ({ params, query, set }) => {
      const found = thumbnails.open(params.name, query)
      if (!found) throw notFound('picture')
      return answerWebp(set, found.webp, `private, max-age=${found.seconds}, immutable`)
    },
    {
      query: SignedAddressQuery,
      detail: {
        operationId: 'getThumbnail',
        summary: 'Read the thumbnail of a product',
        description:
          'At most 192 pixels a side. The whole address is in `thumbnail_url` of products, results and lists; it needs no credential and holds for 24 to 36 hours.',
        responses: {
          200: { description: 'The thumbnail.', content: WEBP_CONTENT },
          ...documentedFailures(
            failures(...READING, [
              'not_found',
              'The address was altered, has ended, or its thumbnail is gone.',
            ]),
          ),
        },
      },
    },
  )
}
