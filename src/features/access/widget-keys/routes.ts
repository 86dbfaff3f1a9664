import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import { KeyParams } from '../api-keys/schema.ts'
import { DeletedWidgetKey, WidgetKey, WidgetKeyBody, WidgetKeyList, WidgetKeyPatch } from './schema.ts'
import { tagOf, type WidgetKeyService } from './service.ts'

/** Failures of a route about one key. */
const ONE_KEY = [...FOR_STORE, 'validation_error', 'not_found'] as const

/** Failures of a key's forced filters. */
const FILTERS = ['filter_operator_unknown', 'filter_type_mismatch'] as const

/** Routes for widget keys, which may appear in a web page (contract 4.11). */
export function widgetKeyRoutes(
  { forStoreSecurity, idempotency }: Pick<Guards, 'forStoreSecurity' | 'idempotency'>,
  keys: WidgetKeyService,
) {
  return new Elysia({ name: 'widgetKeys.routes', prefix: '/v1/security/public-keys', tags: ['Security'] })
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
        parse: jsonBody(),
        body: WidgetKeyBody,
        response: {
          201: WidgetKey,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...FILTERS, ...REPEATABLE, [
            'conflict',
            'The store already has the maximum number of widget keys, `details.limit`.',
          ]),
        },
        detail: {
          operationId: 'createPublicKey',
          summary: 'Create a widget key',
          description:
            'For the pages of a shop. The key is no secret: it works only from the origins that it lists, and only for searches and feedback.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor }) => keys.list(actor.storeId), {
      can: 'keys:manage',
      response: { 200: WidgetKeyList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listPublicKeys',
        summary: 'List the widget keys',
        description: 'Every widget key with its value, its origins and what it allows.',
      },
    })
    .get('/:id', ({ actor, params, set }) => withVersion(set, keys.read(actor.storeId, params.id), tagOf), {
      can: 'keys:manage',
      params: KeyParams,
      response: { 200: WidgetKey, ...failures(...ONE_KEY, ...READING) },
      detail: {
        operationId: 'getPublicKey',
        summary: 'Read one widget key',
        description: 'Shows the value, the origins, the limits and the forced filters of the key.',
      },
    })
    .patch(
      '/:id',
      ({ actor, params, body, request, set }) =>
        withVersion(set, keys.update(actor, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'keys:manage',
        params: KeyParams,
        parse: jsonBody(),
        body: WidgetKeyPatch,
        response: {
          200: WidgetKey,
          ...failures(...ONE_KEY, ...WRITING, ...JSON_BODY, ...FILTERS, CHANGED_SINCE),
        },
        detail: {
          operationId: 'updatePublicKey',
          summary: 'Change some fields of a widget key',
          description:
            'Absent fields stay as they are. Pages that use the key follow with their next request.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => keys.remove(actor, params.id), {
      can: 'keys:manage',
      parse: noBody,
      params: KeyParams,
      response: { 200: DeletedWidgetKey, ...failures(...ONE_KEY, ...WRITING) },
      detail: {
        operationId: 'deletePublicKey',
        summary: 'Delete a widget key; it stops working at once',
        description: 'Widgets that use the key stop searching; nothing can bring the key back.',
      },
    })
}
