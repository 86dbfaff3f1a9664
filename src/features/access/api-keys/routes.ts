import { Elysia } from 'elysia'
import { jsonBody, jsonOrNothing, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
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
import { type ApiKeyService, tagOf } from './service.ts'

/** Failures of a route about one key. */
const ONE_KEY = [...FOR_STORE, 'validation_error', 'not_found'] as const
const json = jsonBody()

/** Routes for the API keys of a store (contract 4.10). */
export function apiKeyRoutes(
  { forStoreSecurity, idempotency }: Pick<Guards, 'forStoreSecurity' | 'idempotency'>,
  keys: ApiKeyService,
) {
  return new Elysia({ name: 'apiKeys.routes', prefix: '/v1/security/api-keys', tags: ['Security'] })
    .use(forStoreSecurity)
    .post(
      '',
      ({ request, path, actor, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        const create = () => ({ status: 201 as const, body: keys.create(actor, body) })
        return idempotency.answer({ request, path, actor, body, set }, create, { isSecret: true })
      },
      {
        can: 'keys:manage',
        parse: json,
        body: ApiKeyBody,
        response: {
          201: NewApiKey,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'The store already has the maximum number of API keys, `details.limit`.',
          ]),
        },
        detail: {
          operationId: 'createApiKey',
          summary: 'Create an API key; its value is shown only once',
          description:
            'For scripts that need fewer permissions than the machine grant. The scopes can hold only what you may do yourself.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor }) => keys.list(actor.storeId), {
      can: 'keys:manage',
      response: { 200: ApiKeyList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listApiKeys',
        summary: 'List the API keys',
        description: 'Every key with its scopes and its last use; the values are not kept.',
      },
    })
    .get('/:id', ({ actor, params, set }) => withVersion(set, keys.read(actor.storeId, params.id), tagOf), {
      can: 'keys:manage',
      params: KeyParams,
      response: { 200: ApiKey, ...failures(...ONE_KEY, ...READING) },
      detail: {
        operationId: 'getApiKey',
        summary: 'Read one API key, without its value',
        description: '`effective_scopes` tells what the key may do at this moment.',
      },
    })
    .patch(
      '/:id',
      ({ actor, params, body, request, set }) =>
        withVersion(set, keys.update(actor, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'keys:manage',
        params: KeyParams,
        parse: json,
        body: ApiKeyPatch,
        response: { 200: ApiKey, ...failures(...ONE_KEY, ...WRITING, ...JSON_BODY, CHANGED_SINCE) },
        detail: {
          operationId: 'updateApiKey',
          summary: 'Change the name, the scopes or the lifetime of an API key',
          description: 'Absent fields stay as they are. The value of the key stays the same.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => keys.revoke(actor, params.id), {
      can: 'keys:manage',
      parse: noBody,
      params: KeyParams,
      response: { 200: RevokedApiKey, ...failures(...ONE_KEY, ...WRITING) },
      detail: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key; it stops working at once',
        description: 'Nothing can bring it back: create another one.',
      },
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
        // The body is optional.
        parse: jsonOrNothing(),
        body: Rotation,
        response: { 200: RotatedApiKey, ...failures(...ONE_KEY, ...WRITING, ...JSON_BODY) },
        detail: {
          operationId: 'rotateApiKey',
          summary: 'Replace the value of an API key; its lifetime starts again',
          description: 'The old value goes on for `grace_seconds`, by default not at all.',
        },
      },
    )
}
