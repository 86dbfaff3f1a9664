import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { isJson, jsonOrNothing } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { BAD_LINK, keepPrivate, TOO_MANY_FROM_ADDRESS } from '../../../http/link-answers.ts'
import { Unsubscribed, UnsubscribeQuery, Unsubscription } from './schema.ts'
import type { WeeklyMailService } from './service.ts'

const json = jsonOrNothing(LIMITS.openBodyBytesMax)
/** Programs that read mail send a form, which says nothing that the address does not say. */
const jsonOrForm: typeof json = Object.assign(
  ({ request, intake }: Parameters<typeof json>[0]) =>
    isJson(request) ? json({ request, intake }) : Promise.resolve({}),
  json,
)

/** POST /unsubscribe. The page of the link is the portal's. */
export function weeklyMailRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  { unsubscribe }: Pick<WeeklyMailService, 'unsubscribe'>,
) {
  return new Elysia({ name: 'weekly-mail.routes', tags: ['Account'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => keepPrivate({ set }))
    .post('/unsubscribe', ({ body, query }) => unsubscribe({ ...query, ...body }), {
      parse: spendingFirst(budgets.signIn, jsonOrForm),
      query: UnsubscribeQuery,
      body: Unsubscription,
      response: { 200: Unsubscribed, ...failures(...WRITING, ...JSON_BODY, TOO_MANY_FROM_ADDRESS, BAD_LINK) },
      detail: {
        operationId: 'unsubscribe',
        summary: 'End the weekly mail of a store by the link in it, or take that back',
        description:
          'The one click of RFC 8058: a program that reads mail sends a form to the address in the mail’s `List-Unsubscribe`, with the token in the query. No sign-in is needed.',
      },
    })
}
