import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  AdminStore,
  AdminStoreList,
  AdminStoreQuery,
  DeleteStoreBody,
  IdParams,
  StoreOpened,
  StorePatch,
  SuspendBody,
} from './schema.ts'
import type { AdminStoreService } from './stores.ts'

const NO_STORE = ['not_found', 'There is no store with this id.'] as const

/** Contract 8.10: the stores of this service, for super-admins. */
export function adminStoreRoutes(
  { forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>,
  stores: AdminStoreService,
) {
  return new Elysia({ name: 'admin.stores', prefix: '/v1/admin/stores', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('', ({ query }) => stores.list(query), {
      superAdmin: true,
      query: AdminStoreQuery,
      response: {
        200: AdminStoreList,
        ...failures(...FOR_SUPER_ADMIN, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listStoresAsOperator',
        summary: 'List the stores with their plan, size and use',
        description:
          'All stores of this installation with plan, use and state, in pages; `q` and `status` narrow the list.',
      },
    })
    .get('/:id', ({ params }) => stores.read(params.id), {
      superAdmin: true,
      params: IdParams,
      response: {
        200: AdminStore,
        ...failures(...FOR_SUPER_ADMIN, ...READING, 'validation_error', NO_STORE),
      },
      detail: {
        operationId: 'getStoreAsOperator',
        summary: 'Read a store with its plan, size and use',
        description: 'One store with plan, use, owners and state.',
      },
    })
    .post('/:id/suspend', ({ caller, params, body }) => stores.suspend(caller, params.id, body), {
      superAdmin: true,
      parse: jsonBody(),
      params: IdParams,
      body: SuspendBody,
      response: { 200: AdminStore, ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY, NO_STORE) },
      detail: {
        operationId: 'suspendStore',
        summary: 'Suspend a store',
        description:
          'From the next request on the store’s tokens, keys and widget are answered with 403 `store_suspended`; its jobs, feeds and webhooks wait. Nothing is deleted. The owners get a mail with the reason. Of a store that is suspended already only the reason changes.',
      },
    })
    .post('/:id/resume', ({ caller, params }) => stores.resume(caller, params.id), {
      superAdmin: true,
      parse: noBody,
      params: IdParams,
      response: {
        200: AdminStore,
        ...failures(...FOR_SUPER_ADMIN, ...WRITING, 'validation_error', NO_STORE, [
          'conflict',
          'The store is not suspended.',
        ]),
      },
      detail: {
        operationId: 'resumeStore',
        summary: 'End the suspension of a store, and its planned deletion',
        description:
          'Ends a suspension, and cancels a planned deletion. Jobs, feeds and webhooks go on where they stopped.',
      },
    })
    .post('/:id/open', ({ caller, params }) => stores.open(caller, params.id), {
      superAdmin: true,
      parse: noBody,
      params: IdParams,
      response: {
        200: StoreOpened,
        ...failures(...FOR_SUPER_ADMIN, ...WRITING, 'validation_error', NO_STORE),
      },
      detail: {
        operationId: 'openStoreToActForIt',
        summary: 'Note that you begin to act for a store',
        description:
          'Writes it to the log of the store and to that of the node. Then name the store in `X-Service-Active-Tenant`, and stop at `until`.',
      },
    })
    .patch('/:id', ({ caller, params, body }) => stores.change(caller, params.id, body), {
      superAdmin: true,
      parse: jsonBody(),
      params: IdParams,
      body: StorePatch,
      response: { 200: AdminStore, ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY, NO_STORE) },
      detail: {
        operationId: 'changeStoreAsOperator',
        summary: 'Move a store to another plan, or rename it',
        description:
          'Puts the store on another plan, which counts from its next request; gives it another name, while its slug stays. The log of the store names you.',
      },
    })
    .delete('/:id', ({ caller, params, body }) => stores.delete(caller, params.id, body), {
      superAdmin: true,
      parse: jsonBody(),
      params: IdParams,
      body: DeleteStoreBody,
      response: {
        200: AdminStore,
        ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY, NO_STORE, [
          'conflict',
          'The deletion is planned already.',
        ]),
      },
      detail: {
        operationId: 'deleteStore',
        summary: 'Suspend a store and delete it for good after 7 days',
        description:
          '`confirm` must be the slug of the store. Until `delete_at` the store can be restored with `POST /v1/admin/stores/{id}/resume`; then everything that it holds is deleted, and its slug is free.',
      },
    })
}
