import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import type { Doors } from '../../../http/doors.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import { KeyParams } from '../api-keys/schema.ts'
import {
  DeletedPublicKey,
  NewPublicKey,
  PublicKey,
  PublicKeyBody,
  PublicKeyList,
  PublicKeyPatch,
} from './schema.ts'
import type { PublicKeyService } from './service.ts'

/** Failures of a route about one key. */
const ONE_KEY = [...FOR_STORE, 'validation_error', 'not_found'] as const

/** D8: public keys, which may appear in a web page. */
export function widgetKeyRoutes(
  { forStoreSecurity }: Pick<Doors, 'forStoreSecurity'>,
  keys: PublicKeyService,
) {
  return new Elysia({ name: 'widgetKeys.routes', prefix: '/v1/security/public-keys', tags: ['Security'] })
    .use(forStoreSecurity)
    .post(
      '',
      ({ actor, body, set, status }) => {
        set.headers['cache-control'] = 'no-store'
        return status(201, keys.create(actor, body))
      },
      {
        can: 'keys:manage',
        parse: jsonBody(),
        body: PublicKeyBody,
        response: {
          201: NewPublicKey,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, [
            'conflict',
            'The store already has the maximum number of widget keys, `details.limit`.',
          ]),
        },
        detail: {
          operationId: 'createPublicKey',
          summary: 'Create a widget key; its value is shown only once',
        },
      },
    )
    .get('', ({ actor }) => keys.list(actor.storeId), {
      can: 'keys:manage',
      response: { 200: PublicKeyList, ...failures(...FOR_STORE, ...READING) },
      detail: { operationId: 'listPublicKeys', summary: 'List the widget keys' },
    })
    .get('/:id', ({ actor, params }) => keys.read(actor.storeId, params.id), {
      can: 'keys:manage',
      params: KeyParams,
      response: { 200: PublicKey, ...failures(...ONE_KEY, ...READING) },
      detail: { operationId: 'getPublicKey', summary: 'Read one widget key, without its value' },
    })
    .patch('/:id', ({ actor, params, body }) => keys.update(actor, params.id, body), {
      can: 'keys:manage',
      params: KeyParams,
      parse: jsonBody(),
      body: PublicKeyPatch,
      response: { 200: PublicKey, ...failures(...ONE_KEY, ...WRITING, ...JSON_BODY) },
      detail: { operationId: 'updatePublicKey', summary: 'Change some fields of a widget key' },
    })
    .delete('/:id', ({ actor, params }) => keys.remove(actor, params.id), {
      can: 'keys:manage',
      parse: noBody,
      params: KeyParams,
      response: { 200: DeletedPublicKey, ...failures(...ONE_KEY, ...WRITING) },
      detail: { operationId: 'deletePublicKey', summary: 'Delete a widget key; it stops working at once' },
    })
}
