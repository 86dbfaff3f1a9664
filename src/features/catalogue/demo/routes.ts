import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { noBody } from '../../../http/body.ts'
import { failure, signedInErrors } from '../../../http/schema.ts'
import { DemoInstalled, DemoRemoved } from './schema.ts'
import type { DemoService } from './service.ts'

/** Spec §4.2: the demo catalogue. */
export function demoRoutes(auth: AuthPlugin, demo: DemoService) {
  return new Elysia({ name: 'demo.routes', prefix: '/v1/products/demo', tags: ['Products'] })
    .use(auth)
    .post('', ({ actor }) => demo.install(actor.store), {
      can: 'products:write',
      parse: noBody,
      response: {
        200: DemoInstalled,
        402: failure('`product_limit_exceeded`, `storage_limit_exceeded`'),
        ...signedInErrors,
        503: failure('`overloaded`, `model_not_ready`, `storage_full`, `storage_failed`, `read_only`'),
      },
      detail: { operationId: 'installDemo', summary: 'Install the demo catalogue' },
    })
    .delete('', ({ actor }) => demo.remove(actor.storeId), {
      can: 'products:delete',
      parse: noBody,
      response: { 200: DemoRemoved, ...signedInErrors },
      detail: { operationId: 'removeDemo', summary: 'Remove the demo products, and nothing else' },
    })
}
