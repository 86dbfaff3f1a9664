import { Elysia } from 'elysia'
import { noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { DemoInstalled, DemoRemoved } from './schema.ts'
import type { DemoService } from './service.ts'

/** Contract 2.8: the demo catalogue. */
export function demoRoutes({ forStore }: Pick<Guards, 'forStore'>, demo: DemoService) {
  return new Elysia({ name: 'demo.routes', prefix: '/v1/products/demo', tags: ['Products'] })
    .use(forStore)
    .post('', ({ actor }) => demo.install(actor.store, actor), {
      can: 'products:write',
      parse: noBody,
      response: {
        200: DemoInstalled,
        ...failures(
          ...FOR_STORE,
          ...WRITING,
          'product_limit_exceeded',
          'storage_limit_exceeded',
          'model_not_ready',
        ),
      },
      detail: {
        operationId: 'installDemo',
        summary: 'Install the demo catalogue',
        description:
          '40 products with pictures that the service brings along: something to search in before your own products are here. A second call changes nothing.',
      },
    })
    .delete('', ({ actor }) => demo.remove(actor.storeId, actor), {
      can: 'products:delete',
      parse: noBody,
      response: { 200: DemoRemoved, ...failures(...FOR_STORE, ...WRITING) },
      detail: {
        operationId: 'removeDemo',
        summary: 'Remove the demo products and nothing else',
        description: 'Your own products stay, also one that has taken the id of a demo product.',
      },
    })
}
