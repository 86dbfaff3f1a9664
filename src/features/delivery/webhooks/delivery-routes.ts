import { Elysia } from 'elysia'
import { jsonBody, jsonOrNothing, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Deliveries } from './deliveries.ts'
import type { createInbox } from './inbox.ts'
import type { createRecovery } from './recovery.ts'
import {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  Inbox,
  RecoverBody,
  Recovered,
  TestBody,
  WebhookParams,
} from './schema.ts'
import type { WebhookService } from './service.ts'

/** Failures of a route about one webhook or one delivery. */
const ONE = [...FOR_STORE, 'validation_error', 'not_found'] as const

export interface DeliveryRouteDeps {
  findWebhook: WebhookService['findOwned']
  deliveries: Deliveries
  recover: ReturnType<typeof createRecovery>
  listInbox: ReturnType<typeof createInbox>
}

/** Routes for what webhooks were sent (contract 9.5, 9.6). */
export function deliveryRoutes(
  { forStoreSettings }: Pick<Guards, 'forStoreSettings'>,
  { findWebhook, deliveries, recover, listInbox }: DeliveryRouteDeps,
) {
  return new Elysia({
    name: 'deliveries.routes',
    prefix: '/v1/search/webhooks',
    tags: ['Changes and webhooks'],
  })
    .use(forStoreSettings)
    .get('/inbox', ({ actor }) => listInbox(actor.storeId), {
      can: 'search:read',
      response: { 200: Inbox, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'readInbox',
        summary: 'Read the last 100 deliveries as receivers get them, with or without a receiver',
        description:
          'Shows what a receiver would get, byte for byte, so that you can write one before it has an address.',
      },
    })
    .get(
      '/deliveries/:delivery_id',
      ({ actor, params }) => deliveries.read(actor.storeId, params.delivery_id),
      {
        can: 'search:read',
        params: DeliveryParams,
        response: { 200: DeliveryDetail, ...failures(...ONE, ...READING) },
        detail: {
          operationId: 'getDelivery',
          summary: 'Read a delivery with its request and its answer',
          description: 'The headers and the body as they were sent, and the first 2 KiB of the answer.',
        },
      },
    )
    .post(
      '/deliveries/:delivery_id/resend',
      ({ actor, params }) => deliveries.resend(actor.storeId, params.delivery_id),
      {
        can: 'search:write',
        parse: noBody,
        params: DeliveryParams,
        response: { 200: Delivery, ...failures(...ONE, ...WRITING) },
        detail: {
          operationId: 'resendDelivery',
          summary: 'Send a delivery again, with the same id',
          description: 'The receiver can tell by `webhook-id` that it is the same notice.',
        },
      },
    )
    .get(
      '/:id/deliveries',
      ({ actor, params, query }) => deliveries.list(findWebhook(actor.storeId, params.id), query),
      {
        can: 'search:read',
        params: WebhookParams,
        query: DeliveryQuery,
        response: { 200: DeliveryList, ...failures(...ONE, ...READING, 'invalid_cursor') },
        detail: {
          operationId: 'listDeliveries',
          summary: 'List the deliveries to a webhook, newest first',
          description: 'Each with its state, its attempts and the status of the last answer.',
        },
      },
    )
    .post(
      '/:id/test',
      ({ actor, params, body }) =>
        deliveries.test(findWebhook(actor.storeId, params.id), body.event ?? 'product.indexed'),
      {
        can: 'search:write',
        params: WebhookParams,
        parse: jsonOrNothing(),
        body: TestBody,
        response: { 200: DeliveryDetail, ...failures(...ONE, ...WRITING, ...JSON_BODY) },
        detail: {
          operationId: 'testWebhook',
          summary: 'Send a sample to a webhook, and wait for its answer',
          description:
            'The sample has `data.test: true`. It is sent once, also to a webhook that is off, and does not count as a failure.',
        },
      },
    )
    .post('/:id/recover', ({ actor, params, body }) => recover(findWebhook(actor.storeId, params.id), body), {
      can: 'search:write',
      params: WebhookParams,
      parse: jsonBody(),
      body: RecoverBody,
      response: { 200: Recovered, ...failures(...ONE, ...WRITING, ...JSON_BODY) },
      detail: {
        operationId: 'recoverDeliveries',
        summary: 'Send again what a webhook has missed since a moment',
        description:
          'For a receiver that was down or had a fault: everything since that moment that has not been delivered is sent again.',
      },
    })
}
