import { Elysia } from 'elysia'
import { notFound } from '../../core/errors.ts'
import type { ProductPictures } from './pictures.ts'

/**
 * Pictures that arrived as bytes, for shoppers' browsers. There is no credential: the address is 128 random bits.
 */
export function pictureRoutes(pictures: Pick<ProductPictures, 'open'>) {
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
      return new Response(picture.bytes as Uint8Array<ArrayBuffer>)
    },
    {
      detail: {
        summary: 'A picture that was uploaded with a product',
        responses: { 200: { description: 'The picture' } },
      },
    },
  )
}
