import { Elysia } from 'elysia'
import { FOR_STORE, failures, READING } from '../../../../http/failures.ts'
import type { Guards } from '../../../../http/guards.ts'
import { StoreFields } from './schema.ts'
import type { FieldsService } from './service.ts'

/** Contract 4.15: what the products of a store can be filtered by. */
export function fieldsRoutes({ forStore }: Pick<Guards, 'forStore'>, fields: FieldsService) {
  return new Elysia({ name: 'fields.routes', prefix: '/v1/store/fields', tags: ['Store'] })
    .use(forStore)
    .get('', ({ actor }) => fields.read(actor.storeId), {
      can: 'products:read',
      response: { 200: StoreFields, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listStoreFields',
        summary: 'List the fields that your products have, with their types and most frequent values',
        description:
          'For the builder of a filter. Private fields are among them: widgets never see this list. While products change, the counts are at most 10 seconds old, or a hundred times as old as counting takes.',
      },
    })
}
