import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import type { ProductDeletions } from './deletion.ts'
import { DeletedProducts, ProductDeletion } from './schema.ts'

/** Contract 2.4: products that pass a filter. */
export function filterRoutes({ forStore }: Pick<Guards, 'forStore'>, deletions: ProductDeletions) {
  return new Elysia({ name: 'filters.routes', prefix: '/v1/products', tags: ['Products'] })
    .use(forStore)
    .delete('', ({ actor, body }) => deletions.run(actor.store, body, actor), {
      can: 'products:delete',
      parse: jsonBody(),
      body: ProductDeletion,
      response: {
        200: DeletedProducts,
        ...failures(
          ...FOR_STORE,
          ...WRITING,
          ...JSON_BODY,
          'filter_operator_unknown',
          'filter_type_mismatch',
        ),
      },
      detail: {
        operationId: 'deleteProducts',
        summary: 'Delete the products that pass a filter',
        description:
          'Sends one `product.deleted` for each. A filter without conditions is refused; so is an unknown field. `dry_run` answers what would be deleted.',
      },
    })
}
