import { Elysia } from 'elysia'
import { jsonBody, jsonOrNothing, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import {
  DeletedWebhook,
  NewSecret,
  NewWebhook,
  SecretRotation,
  Webhook,
  WebhookBody,
  WebhookList,
  WebhookParams,
  WebhookPatch,
} from './schema.ts'
import { tagOf, type WebhookService } from './service.ts'

/** Failures of a route about one webhook. */
const ONE_WEBHOOK = [...FOR_STORE, 'validation_error', 'not_found'] as const

const URL_REFUSED = [
  'url_not_allowed',
  'The URL is not an https URL of a public server on the standard port, or its host leads elsewhere.',
] as const

/** Routes for webhooks (contract 9.2, 9.4). */
export function webhookRoutes(
  { forStoreSettings, idempotency }: Pick<Guards, 'forStoreSettings' | 'idempotency'>,
  webhooks: WebhookService,
) {
  return new Elysia({
    name: 'webhooks.routes',
    prefix: '/v1/search/webhooks',
    tags: ['Changes and webhooks'],
  })
    .use(forStoreSettings)
    .post(
      '',
      async (context) => {
        const { actor, body, set } = context
        // The stored answer of a repeated request must not hold the secret.
        const webhook = await idempotency.answer(context, async () => ({
          status: 200,
          body: await webhooks.create(actor, body),
        }))
        set.headers['cache-control'] = 'no-store'
        return webhooks.withSecret(actor.storeId, webhook)
      },
      {
        can: 'search:write',
        parse: jsonBody(),
        body: WebhookBody,
        response: {
          200: NewWebhook,
          ...failures(
            ...FOR_STORE,
            ...WRITING,
            ...JSON_BODY,
            URL_REFUSED,
            ['conflict', 'The store already has the maximum number of webhooks, `details.limit`.'],
            ...REPEATABLE,
          ),
        },
        detail: {
          operationId: 'createWebhook',
          summary: 'Create a webhook; its secret is shown only once',
          description:
            'Sends a signed notice of every event that it names, and repeats it for 28 hours until the receiver answers 2xx.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor }) => webhooks.list(actor.storeId), {
      can: 'search:read',
      response: { 200: WebhookList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks',
        description: 'Every webhook of the store with the state of its last delivery, without the secrets.',
      },
    })
    .get(
      '/:id',
      ({ actor, params, set }) => withVersion(set, webhooks.read(actor.storeId, params.id), tagOf),
      {
        can: 'search:read',
        params: WebhookParams,
        response: { 200: Webhook, ...failures(...ONE_WEBHOOK, ...READING) },
        detail: {
          operationId: 'getWebhook',
          summary: 'Read one webhook, without its secret',
          description:
            '`disabled_reason` tells why it is off, `consecutive_failures` how near it is to being switched off.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ actor, params, body, request, set }) =>
        withVersion(set, await webhooks.update(actor, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'search:write',
        params: WebhookParams,
        parse: jsonBody(),
        body: WebhookPatch,
        response: {
          200: Webhook,
          ...failures(...ONE_WEBHOOK, ...WRITING, ...JSON_BODY, URL_REFUSED, CHANGED_SINCE),
        },
        detail: {
          operationId: 'updateWebhook',
          summary: 'Change some fields of a webhook, or switch it on or off',
          description: 'Absent fields stay as they are. Switching it on again sends what waits.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => webhooks.remove(actor, params.id), {
      can: 'search:write',
      parse: noBody,
      params: WebhookParams,
      response: { 200: DeletedWebhook, ...failures(...ONE_WEBHOOK, ...WRITING) },
      detail: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook; nothing more is sent to it',
        description:
          'Deliveries that wait are dropped, and its log is deleted. The feed of changes still holds what they told of.',
      },
    })
    .post(
      '/:id/rotate-secret',
      ({ actor, params, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return webhooks.rotateSecret(actor, params.id, body)
      },
      {
        can: 'search:write',
        params: WebhookParams,
        parse: jsonOrNothing(),
        body: SecretRotation,
        response: { 200: NewSecret, ...failures(...ONE_WEBHOOK, ...WRITING, ...JSON_BODY) },
        detail: {
          operationId: 'rotateWebhookSecret',
          summary: 'Replace the signing secret; the old one goes on signing for a while',
          description:
            'For `grace_seconds` the old secret signs `X-Webhook-Signature` and the new one `X-Webhook-Signature-Next`, so that no receiver breaks. `webhook-signature` holds both.',
        },
      },
    )
}

/** The route that replaces the secret of callbacks (contract 9.7). */
export function callbackSecretRoutes(
  { forStoreSettings }: Pick<Guards, 'forStoreSettings'>,
  webhooks: WebhookService,
) {
  return new Elysia({
    name: 'callbackSecret.routes',
    prefix: '/v1/store/callback-secret',
    tags: ['Changes and webhooks'],
  })
    .use(forStoreSettings)
    .post(
      '/rotate',
      ({ actor, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return webhooks.rotateCallbackSecret(actor, body)
      },
      {
        can: 'security:manage',
        parse: jsonOrNothing(),
        body: SecretRotation,
        response: { 200: NewSecret, ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY) },
        detail: {
          operationId: 'rotateCallbackSecret',
          summary: 'Replace the secret that signs the callbacks of jobs, or make the first one',
          description:
            'The secret is shown only once. For `grace_seconds` every callback carries both signatures, as after the rotation of a webhook’s secret.',
        },
      },
    )
}
