import { Elysia } from 'elysia'
import { noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { SessionErased, ShopperSessionParams } from './schema.ts'
import type { SessionService } from './service.ts'

/** Contract 3.14: a shopper's session. */
export function sessionRoutes(
  { forStoreSettings }: Pick<Guards, 'forStoreSettings'>,
  sessions: SessionService,
) {
  return new Elysia({ name: 'shopper-sessions.routes', prefix: '/v1/search/sessions', tags: ['Analytics'] })
    .use(forStoreSettings)
    .delete('/:session_id', ({ actor, params }) => sessions.erase(actor, params.session_id), {
      can: 'search:write',
      parse: noBody,
      params: ShopperSessionParams,
      response: { 200: SessionErased, ...failures(...FOR_STORE, ...WRITING, 'validation_error') },
      detail: {
        operationId: 'eraseShopperSession',
        summary: 'Erase what is kept under a shopper’s session',
        description:
          'Searches and feedback of the session are deleted. Sums of analytics stay. Repeat it as often as you like: a session that nothing is kept about answers with zeros.',
      },
    })
}
