import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import { DeletedRule, RuleBody, RuleParams, RuleQuery, SearchRule, SearchRuleList } from './schema.ts'
import { type RuleService, tagOf } from './service.ts'

/** Failures of a route about one rule. */
const ONE_RULE = [...FOR_STORE, 'validation_error', 'not_found'] as const

const FILTERS = ['filter_operator_unknown', 'filter_type_mismatch'] as const

const FULL =
  'The store has as many rules (`details.limit`), or bytes of them (`details.limit_bytes`), as it may.'

/** Contract 3.17: what a merchant decides about the results of searches. */
export function ruleRoutes(
  { forStoreSettings, idempotency }: Pick<Guards, 'forStoreSettings' | 'idempotency'>,
  rules: RuleService,
) {
  return new Elysia({ name: 'rules.routes', prefix: '/v1/store/rules', tags: ['Merchandising'] })
    .use(forStoreSettings)
    .get('', ({ actor, query }) => rules.list(actor.storeId, query), {
      can: 'search:read',
      query: RuleQuery,
      response: {
        200: SearchRuleList,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listSearchRules',
        summary: 'List the rules for the results of searches',
        description:
          'Oldest first, which is the order in which they count. Rules that are switched off or over are listed, too; `missing` and `faults` tell which parts do nothing.',
      },
    })
    .post(
      '',
      async ({ request, path, actor, body, set }) =>
        withVersion(
          set,
          await idempotency.answer({ request, path, actor, body, set }, async () => ({
            status: 201 as const,
            body: await rules.create(actor, body),
          })),
          tagOf,
        ),
      {
        can: 'search:write',
        parse: jsonBody(LIMITS.ruleJsonBytesMax),
        body: RuleBody,
        response: {
          201: SearchRule,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...FILTERS, ...REPEATABLE, ['conflict', FULL]),
        },
        detail: {
          operationId: 'createSearchRule',
          summary: 'Pin, hide, boost or bury products in some searches',
          description:
            'Searches that meet all conditions of `when` get their results in another order; scores stay as they are. Of several rules hiding wins over pins, pins win over boosts, boosts add up to 3 at most, and of equal pins the older rule wins.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get(
      '/:id',
      async ({ actor, params, set }) => withVersion(set, await rules.read(actor.storeId, params.id), tagOf),
      {
        can: 'search:read',
        params: RuleParams,
        response: { 200: SearchRule, ...failures(...ONE_RULE, ...READING) },
        detail: {
          operationId: 'getSearchRule',
          summary: 'Read one rule',
          description:
            '`uses` and `clicks` tell what became of it, `missing`, `faults` and `warnings` which parts do nothing.',
        },
      },
    )
    .put(
      '/:id',
      async ({ actor, params, body, request, set }) =>
        withVersion(set, await rules.replace(actor, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'search:write',
        params: RuleParams,
        parse: jsonBody(LIMITS.ruleJsonBytesMax),
        body: RuleBody,
        response: {
          200: SearchRule,
          ...failures(...ONE_RULE, ...WRITING, ...JSON_BODY, ...FILTERS, [
            'conflict',
            `${CHANGED_SINCE[1]} Or: ${FULL}`,
          ]),
        },
        detail: {
          operationId: 'replaceSearchRule',
          summary: 'Replace a rule',
          description:
            'As a whole: a condition that is left out is gone. A rule may be sent as it was read. Its counts and its age stay.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => rules.remove(actor, params.id), {
      can: 'search:write',
      parse: noBody,
      params: RuleParams,
      response: { 200: DeletedRule, ...failures(...ONE_RULE, ...WRITING) },
      detail: {
        operationId: 'deleteSearchRule',
        summary: 'Delete a rule',
        description: 'With its counts. The next search does without it.',
      },
    })
}
