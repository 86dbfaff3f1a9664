import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, jsonOrFormBody, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, PICTURE_URL, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH } from '../../../http/if-match.ts'
import {
  DeletedProduct,
  IndexedProduct,
  IndexedProductView,
  NewProductParams,
  ProductBody,
  ProductForm,
  ProductList,
  ProductListQuery,
  ProductParams,
  ProductPatch,
  ProductReplacement,
  ProductReplacementForm,
} from './schema.ts'
import type { Indexed, ProductService } from './service.ts'

/** Failures of a route that indexes a product. */
const INDEXING = [
  ...FOR_STORE,
  ...WRITING,
  ...JSON_BODY,
  ...PICTURE_URL,
  'product_limit_exceeded',
  'storage_limit_exceeded',
] as const

/** Failures of a route about one product. */
const ONE_PRODUCT = [...FOR_STORE, 'validation_error', 'not_found'] as const

/** 201 for a new product, 200 for a product that existed before. */
const withStatus = ({ isNew, answer }: Indexed) => ({
  status: isNew ? (201 as const) : (200 as const),
  body: answer,
})

/** Contract 2: one product at a time. */
export function productRoutes(
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  products: ProductService,
) {
  return new Elysia({ name: 'products.routes', prefix: '/v1/products', tags: ['Products'] })
    .use(forStore)
    .post(
      '',
      (context) =>
        idempotency.answer(context, async () =>
          withStatus(await products.create(context.actor.store, context.body, context.actor)),
        ),
      {
        can: 'products:write',
        parse: jsonOrFormBody(LIMITS.pictureJsonBytesMax, ProductForm, 'index'),
        body: ProductBody,
        response: {
          200: IndexedProduct,
          201: IndexedProduct,
          ...failures(...INDEXING, ...REPEATABLE),
        },
        detail: {
          operationId: 'indexProduct',
          summary: 'Index a product, or index it again',
          description:
            'Reads the picture, keeps its vector and makes the product searchable before it answers. The same `product_id` again replaces the product; the same content changes nothing. Send JSON with `image_url` (also a `data:` URI), or a form with the file `image`.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor, query }) => products.list(actor.storeId, query), {
      can: 'products:read',
      query: ProductListQuery,
      response: {
        200: ProductList,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listProducts',
        summary: 'List products',
        description:
          'Pages of products with their metadata. Follow `next_cursor` until it is null, with the same filters and `sort`.',
      },
    })
    .get(
      '/:product_id',
      ({ actor, params, set }) => {
        const found = products.find(actor.storeId, params.product_id)
        set.headers['etag'] = products.tagOf(found)
        return found
      },
      {
        can: 'products:read',
        params: ProductParams,
        response: { 200: IndexedProductView, ...failures(...ONE_PRODUCT, ...READING) },
        detail: {
          operationId: 'getProduct',
          summary: 'Read a product',
          description:
            'Gives the metadata as it was sent, and what is known of the picture: size, palette and hash.',
        },
      },
    )
    .put(
      '/:product_id',
      async ({ actor, params, body, status }) => {
        const { status: code, body: answer } = withStatus(
          await products.replace(actor.store, params.product_id, body, actor),
        )
        return status(code, answer)
      },
      {
        can: 'products:write',
        params: NewProductParams,
        parse: jsonOrFormBody(LIMITS.pictureJsonBytesMax, ProductReplacementForm, 'index'),
        body: ProductReplacement,
        response: { 200: IndexedProduct, 201: IndexedProduct, ...failures(...INDEXING) },
        detail: {
          operationId: 'replaceProduct',
          summary: 'Replace a product, or index it under this id',
          description: 'Takes what indexing takes, without the id. Metadata that are not sent are removed.',
        },
      },
    )
    .patch(
      '/:product_id',
      async ({ actor, params, body, request }) => {
        const ifMatch = request.headers.get('if-match')
        return (await products.patch(actor.store, params.product_id, body, actor, ifMatch)).answer
      },
      {
        can: 'products:write',
        params: ProductParams,
        parse: jsonBody(LIMITS.pictureJsonBytesMax, 'index'),
        body: ProductPatch,
        response: { 200: IndexedProduct, ...failures(...INDEXING, 'not_found', CHANGED_SINCE) },
        detail: {
          operationId: 'updateProduct',
          summary: 'Change some fields of a product',
          description:
            'Metadata are merged (RFC 7396): absent keys stay, and `null` removes a key. A picture is read again only if its address changes, or with `refresh`.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:product_id', ({ actor, params }) => products.remove(actor.storeId, params.product_id, actor), {
      can: 'products:delete',
      parse: noBody,
      params: ProductParams,
      response: { 200: DeletedProduct, ...failures(...ONE_PRODUCT, ...WRITING) },
      detail: {
        operationId: 'deleteProduct',
        summary: 'Delete a product with its pictures and vectors',
        description:
          'The product is in no search from the next request on, and its pictures are deleted within a minute.',
      },
    })
}
