import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, jsonOrNothing, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { JobStarted } from '../../catalogue/jobs/schema.ts'
import { CheckBody, CheckParams, DeletedCheck, RunBody, SearchCheck, SearchCheckList } from './schema.ts'
import type { CheckService } from './service.ts'

/** Contract 3.16: saved checks of a store's searches. */
export const checkRoutes = (
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  checks: CheckService,
) =>
  new Elysia({ name: 'searchChecks.routes', prefix: '/v1/search/checks', tags: ['Search'] })
    .use(forStore)
    .get('', ({ actor }) => checks.list(actor.storeId), {
      can: 'search:read',
      response: { 200: SearchCheckList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listSearchChecks',
        summary: 'List the saved checks with the result of their last run',
        description: 'At which place each expected product was found, and whether the check passed.',
      },
    })
    .post(
      '',
      ({ request, path, actor, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, async () => ({
          status: 201 as const,
          body: await checks.create(actor, body),
        })),
      {
        can: 'search:write',
        parse: jsonBody(LIMITS.checkJsonBytesMax, 'search'),
        body: CheckBody,
        response: {
          201: SearchCheck,
          ...failures(
            ...FOR_STORE,
            ...WRITING,
            ...JSON_BODY,
            ...REPEATABLE,
            'image_too_large',
            'image_too_small',
            'image_unreadable',
            'image_unsupported_format',
            'model_not_ready',
            ['conflict', 'The store has as many checks, or pictures of checks, as it may (`details.limit`).'],
          ),
        },
        detail: {
          operationId: 'createSearchCheck',
          summary: 'Save a search with the products that it should find',
          description:
            'With words (`query`) or a picture (`image`), which is kept until the check is deleted. A check passes if every product of `expect` stands at place `within` or before it.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => checks.remove(actor.storeId, params.id), {
      can: 'search:write',
      parse: noBody,
      params: CheckParams,
      response: {
        200: DeletedCheck,
        ...failures(...FOR_STORE, ...WRITING, 'validation_error', [
          'not_found',
          'The store has no check with this id.',
        ]),
      },
      detail: {
        operationId: 'deleteSearchCheck',
        summary: 'Delete a saved check',
        description: 'With its picture. A job that has yet to run it leaves it out.',
      },
    })
    .post(
      '/run',
      ({ request, path, actor, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, () => ({
          status: 202 as const,
          body: checks.run(actor),
        })),
      {
        can: 'search:write',
        parse: jsonOrNothing(),
        body: RunBody,
        response: {
          202: JobStarted,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'The store has no checks, or they are being run already (`details.job_id`).',
          ]),
        },
        detail: {
          operationId: 'runSearchChecks',
          summary: 'Run all saved checks of the store',
          description:
            'As a job, behind other work. Its searches cost no requests and count nowhere. `GET /v1/search/checks` has the results, each as soon as it is there.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
