import { Elysia, t } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { documentedFailures, failures, READING } from '../../../http/failures.ts'
import type { Thumbnails } from './thumbnails.ts'

const PICTURE_CONTENT = { 'image/webp': { schema: { type: 'string', format: 'binary' } } } as const

/** Thumbnails, for the browsers of people who work with a store. The signature in the address stands for a credential. */
export function thumbnailRoutes(thumbnails: Pick<Thumbnails, 'open'>) {
  return new Elysia({ name: 'thumbnails.routes', tags: ['Products'] }).get(
    '/thumbnails/:name',
    ({ params, query, set }) => {
      const found = thumbnails.open(params.name, query)
      if (!found) throw notFound('picture')
      Object.assign(set.headers, {
        'content-type': 'image/webp',
        'cache-control': `private, max-age=${found.seconds}, immutable`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      })
      return new Response(Uint8Array.from(found.webp))
    },
    {
      query: t.Object({
        until: t.Optional(
          t.String({ description: 'The hour, counted from 1970, at which the address ends.' }),
        ),
        sig: t.Optional(t.String({ description: 'The signature of name and hour.' })),
      }),
      detail: {
        operationId: 'getThumbnail',
        summary: 'Read the thumbnail of a product',
        description:
          'At most 192 pixels a side. The whole address is in `thumbnail_url` of products, results and lists; it needs no credential and holds for 24 to 36 hours.',
        responses: {
          200: { description: 'The thumbnail.', content: PICTURE_CONTENT },
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
