import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import { REAUTHENTICATING } from '../../access/reauthentication/schema.ts'
import { DeletedStore, OwnStore, OwnStoreDeletion, OwnStorePatch } from './schema.ts'
import { type OwnStoreService, tagOf } from './service.ts'

/** Routes for a store itself (contract 4.14). They never spend the plan's budget. */
export function ownStoreRoutes(
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  ownStore: OwnStoreService,
) {
  return new Elysia({ name: 'own-store.routes', prefix: '/v1/store', tags: ['Store'] })
    .use(forStoreSecurity)
    .get('', ({ actor, set }) => withVersion(set, ownStore.show(actor), tagOf), {
      can: 'security:manage',
      response: { 200: OwnStore, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getStore',
        summary: 'Read name, slug and plan of the store',
        description: 'The store itself. Its settings are at `GET /v1/store/settings`.',
      },
    })
    .patch(
      '',
      ({ actor, body, request, set }) =>
        withVersion(set, ownStore.change(actor, body, readIfMatch(request)), tagOf),
      {
        can: 'security:manage',
        parse: jsonBody(),
        body: OwnStorePatch,
        response: { 200: OwnStore, ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, CHANGED_SINCE) },
        detail: {
          operationId: 'renameStore',
          summary: 'Give the store another name',
          description:
            'The name is what people read, from the next request on. The slug stays, because addresses hold it.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('', ({ actor, body }) => ownStore.delete(actor, body), {
      can: 'store:delete',
      parse: jsonBody(),
      body: OwnStoreDeletion,
      response: {
        200: DeletedStore,
        ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REAUTHENTICATING, [
          'conflict',
          'The deletion is planned already.',
        ]),
      },
      detail: {
        operationId: 'deleteOwnStore',
        summary: 'Suspend your store and delete it for good after 7 days',
        description:
          '`confirm` must be the slug of the store. The store stops working at once; until `delete_at` the operator can restore it. Then everything that it holds is deleted, and its slug is free.',
      },
    })
}
