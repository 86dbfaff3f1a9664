import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors, storageErrors } from '../../../http/schema.ts'
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

const noSuchKey = { 404: failure('`not_found`') }
/** D8: keys that may stand in a page. */
export function widgetKeyRoutes(auth: AuthPlugin, keys: PublicKeyService) {
  return new Elysia({ name: 'widgetKeys.routes', prefix: '/v1/security/public-keys', tags: ['Security'] })
    .use(auth)
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
          409: failure('`conflict`: the store has as many widget keys as it may, `details.limit`'),
          ...signedInErrors,
          ...bodyErrors,
        },
        detail: {
          operationId: 'createPublicKey',
          summary: 'Make a widget key; its value is shown this once',
        },
      },
    )
    .get('', ({ actor }) => keys.list(actor.storeId), {
      can: 'keys:manage',
      response: { 200: PublicKeyList, ...signedInErrors },
      detail: { operationId: 'listPublicKeys', summary: 'List the widget keys' },
    })
    .get('/:id', ({ actor, params }) => keys.read(actor.storeId, params.id), {
      can: 'keys:manage',
      params: KeyParams,
      response: { 200: PublicKey, ...noSuchKey, ...signedInErrors },
      detail: { operationId: 'getPublicKey', summary: 'Read one widget key, without its value' },
    })
    .patch('/:id', ({ actor, params, body }) => keys.update(actor, params.id, body), {
      can: 'keys:manage',
      params: KeyParams,
      parse: jsonBody(),
      body: PublicKeyPatch,
      response: { 200: PublicKey, ...noSuchKey, ...signedInErrors, ...bodyErrors },
      detail: { operationId: 'updatePublicKey', summary: 'Change some fields of a widget key' },
    })
    .delete('/:id', ({ actor, params }) => keys.remove(actor, params.id), {
      can: 'keys:manage',
      parse: noBody,
      params: KeyParams,
      response: { 200: DeletedPublicKey, ...noSuchKey, ...signedInErrors, ...storageErrors },
      detail: { operationId: 'deletePublicKey', summary: 'Delete a widget key; it ends at once' },
    })
}
