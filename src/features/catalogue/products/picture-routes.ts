import { Elysia } from 'elysia'
import { notFound } from '../../../core/errors.ts'
import { documentedFailures, failures, READING } from '../../../http/failures.ts'
import type { KeptPictures } from './kept-pictures.ts'

const PICTURE_CONTENT = { 'image/*': { schema: { type: 'string', format: 'binary' } } } as const

/** Uploaded pictures, for the browsers of shoppers. No credential is needed: the address holds 128 random bits. */
export function pictureRoutes(pictures: Pick<KeptPictures, 'open'>) {
  return new Elysia({ name: 'pictures.routes', tags: ['Products'] }).get(
    '/pictures/:address',
    async ({ params, set }) => {
      const picture = await pictures.open(params.address)
      if (!picture) throw notFound('picture')
      Object.assign(set.headers, {
        'content-type': picture.contentType,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      })
      return new Response(picture.file)
    },
    {
      detail: {
        operationId: 'getPicture',
        summary: 'Read a picture that was uploaded with a product',
        description:
          'For the browsers of shoppers: needs no credential, and may be cached for ever. The address is in `image_url` of the product.',
        responses: {
          200: { description: 'The picture as it was uploaded', content: PICTURE_CONTENT },
          ...documentedFailures(failures(...READING, ['not_found', 'No picture has this address.'])),
        },
      },
    },
  )
}
