import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import type { AuthPlugin } from '../../../http/auth.ts'
import { jsonBody, jsonOrFormBody, noBody } from '../../../http/body.ts'
import { IDEMPOTENCY_KEY, type Idempotency } from '../../../http/idempotency.ts'
import { bodyErrors, failure, signedInErrors } from '../../../http/schema.ts'
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

const writeErrors = {
  ...signedInErrors,
  ...bodyErrors,
  402: failure('`product_limit_exceeded`, `storage_limit_exceeded`'),
}
const noSuchProduct = { 404: failure('`not_found`') }

/** 201 for a product that was not there before, 200 for one that was. */
const statusOf = ({ isNew, answer }: Indexed) => ({
  status: isNew ? (201 as const) : (200 as const),
  body: answer,
})

/** Spec §4.2: one product at a time. */
export function productRoutes(auth: AuthPlugin, products: ProductService, idempotency: Idempotency) {
  return new Elysia({ name: 'products.routes', prefix: '/v1/products', tags: ['Products'] })
    .use(auth)
    .post(
      '',
      (context) =>
        idempotency.answer(context, async () =>
          statusOf(await products.create(context.actor.store, context.body)),
        ),
      {
        can: 'products:write',
        parse: jsonOrFormBody(LIMITS.pictureJsonBytesMax, ProductForm),
        body: ProductBody,
        response: {
          200: IndexedProduct,
          201: IndexedProduct,
          409: failure('`idempotency_in_progress`'),
          ...writeErrors,
        },
        detail: {
          operationId: 'indexProduct',
          summary: 'Index one product, or index it again',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor, query }) => products.list(actor.storeId, query), {
      can: 'products:read',
      query: ProductListQuery,
      response: {
        200: ProductList,
        ...signedInErrors,
        400: failure('`invalid_cursor`, `credential_ambiguous`'),
        422: failure('`validation_error`'),
      },
      detail: { operationId: 'listProducts', summary: 'List products' },
    })
    .get('/:product_id', ({ actor, params }) => products.find(actor.storeId, params.product_id), {
      can: 'products:read',
      params: ProductParams,
      response: { 200: IndexedProductView, ...noSuchProduct, ...signedInErrors },
      detail: { operationId: 'getProduct', summary: 'Read one product' },
    })
    .put(
      '/:product_id',
      async ({ actor, params, body, status }) => {
        const { status: code, body: answer } = statusOf(
          await products.replace(actor.store, params.product_id, body),
        )
        return status(code, answer)
      },
      {
        can: 'products:write',
        params: NewProductParams,
        parse: jsonOrFormBody(LIMITS.pictureJsonBytesMax, ProductReplacementForm),
        body: ProductReplacement,
        response: { 200: IndexedProduct, 201: IndexedProduct, ...writeErrors },
        detail: { operationId: 'replaceProduct', summary: 'Replace one product, or index it under this id' },
      },
    )
    .patch(
      '/:product_id',
      async ({ actor, params, body }) => (await products.patch(actor.store, params.product_id, body)).answer,
      {
        can: 'products:write',
        params: ProductParams,
        parse: jsonBody(LIMITS.pictureJsonBytesMax),
        body: ProductPatch,
        response: { 200: IndexedProduct, ...noSuchProduct, ...writeErrors },
        detail: { operationId: 'updateProduct', summary: 'Change some fields of one product' },
      },
    )
    .delete('/:product_id', ({ actor, params }) => products.remove(actor.storeId, params.product_id), {
      can: 'products:delete',
      parse: noBody,
      params: ProductParams,
      response: { 200: DeletedProduct, ...noSuchProduct, ...signedInErrors },
      detail: { operationId: 'deleteProduct', summary: 'Delete one product with its pictures and vectors' },
    })
}
