import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { countEvents, FeedbackAnswer, FeedbackBody } from './schema.ts'
import type { FeedbackService } from './service.ts'

/** Contract 3.11: clicks, products in carts and purchases. */
export function feedbackRoutes(
  {
    forStoreFeedback,
    idempotency,
    spendEvents,
  }: Pick<Guards, 'forStoreFeedback' | 'idempotency' | 'spendEvents'>,
  feedback: Pick<FeedbackService, 'record'>,
) {
  return new Elysia({ name: 'feedback.routes', prefix: '/v1/search/feedback', tags: ['Analytics'] })
    .use(forStoreFeedback)
    .post(
      '',
      ({ actor, body, path, request, set }) => {
        const idempotencyKey = request.headers.get('idempotency-key')
        return idempotency.answer({ actor, body, path, request, set }, async () => {
          spendEvents(actor, countEvents(body))
          return {
            status: 201,
            body: await feedback.record(actor.storeId, body, { searchSource: null, idempotencyKey }),
          }
        })
      },
      {
        can: 'search:write',
        parse: jsonBody(),
        body: FeedbackBody,
        response: {
          201: FeedbackAnswer,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE),
        },
        detail: {
          operationId: 'recordFeedback',
          summary: 'Record what shoppers did with products: one event, or up to 1,000',
          description:
            'Send the `search_id` of the search that the shopper came from, so that analytics can tell which searches sell. Of a list each event is recorded or refused apart.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
}
