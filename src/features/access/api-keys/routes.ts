import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { jsonBody, jsonOrNothing, noBody } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors, storageErrors } from '../../../http/schema.ts'
import {
  ApiKey,
  ApiKeyBody,
  ApiKeyList,
  ApiKeyPatch,
  KeyParams,
  NewApiKey,
  RevokedApiKey,
  RotatedApiKey,
  Rotation,
} from './schema.ts'
import type { ApiKeyService } from './service.ts'

const noSuchKey = { 404: failure('`not_found`') }
const json = jsonBody()

/** Spec §4.7, D8: the keys of a store. */
export function apiKeyRoutes(auth: AuthPlugin, keys: ApiKeyService) {
  return new Elysia({ name: 'apiKeys.routes', prefix: '/v1/security/api-keys', tags: ['Security'] })
    .use(auth)
    .post(
      '',
      ({ actor, body, set, status }) => {
        set.headers['cache-control'] = 'no-store'
        return status(201, keys.create(actor, body))
      },
      {
        can: 'keys:manage',
        parse: json,
        body: ApiKeyBody,
        response: {
          201: NewApiKey,
          409: failure('`conflict`: the store has as many keys as it may, `details.limit`'),
          ...signedInErrors,
          ...bodyErrors,
        },
        detail: { operationId: 'createApiKey', summary: 'Make an API key; its value is shown this once' },
      },
    )
    .get('', ({ actor }) => keys.list(actor.storeId), {
      can: 'keys:manage',
      response: { 200: ApiKeyList, ...signedInErrors },
      detail: { operationId: 'listApiKeys', summary: 'List the API keys' },
    })
    .get('/:id', ({ actor, params }) => keys.read(actor.storeId, params.id), {
      can: 'keys:manage',
      params: KeyParams,
      response: { 200: ApiKey, ...noSuchKey, ...signedInErrors },
      detail: { operationId: 'getApiKey', summary: 'Read one API key, without its value' },
    })
    .patch('/:id', ({ actor, params, body }) => keys.update(actor, params.id, body), {
      can: 'keys:manage',
      params: KeyParams,
      parse: json,
      body: ApiKeyPatch,
      response: { 200: ApiKey, ...noSuchKey, ...signedInErrors, ...bodyErrors },
      detail: {
        operationId: 'updateApiKey',
        summary: 'Change the name, the scopes or the lifetime of an API key',
      },
    })
    .delete('/:id', ({ actor, params }) => keys.revoke(actor, params.id), {
      can: 'keys:manage',
      parse: noBody,
      params: KeyParams,
      response: { 200: RevokedApiKey, ...noSuchKey, ...signedInErrors, ...storageErrors },
      detail: { operationId: 'revokeApiKey', summary: 'Revoke an API key; it ends at once' },
    })
    .post(
      '/:id/rotate',
      ({ actor, params, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return keys.rotate(actor, params.id, body)
      },
      {
        can: 'keys:manage',
        params: KeyParams,
        // A rotation needs nothing said.
        parse: jsonOrNothing(),
        body: Rotation,
        response: { 200: RotatedApiKey, ...noSuchKey, ...signedInErrors, ...bodyErrors },
        detail: {
          operationId: 'rotateApiKey',
          summary: 'Give an API key a new value; its lifetime starts anew',
        },
      },
    )
}
