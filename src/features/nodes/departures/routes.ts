import { Elysia } from 'elysia'
import type { Operator } from '../../../core/audit.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CancelQuery, StoreMove, StoreMoveBody, StoreParams } from './schema.ts'
import type { DeparturesService } from './service.ts'

const CHANGE = [...FOR_SUPER_ADMIN, ...WRITING, ...REPEATABLE] as const
const NO_STORE = ['not_found', 'There is no store with this id.'] as const

type Context = Pick<Parameters<Guards['idempotency']['answerPerson']>[0], 'request' | 'path' | 'set' | 'body'>

/** Contract 8.18: moves of stores to other nodes, for super-admins and for commands. */
export function departureRoutes(
  { forOperator, idempotency }: Pick<Guards, 'forOperator' | 'idempotency'>,
  departures: DeparturesService,
) {
  /** Does something once for each key of a person; a command sends none. */
  function once(context: Context, operator: Operator, work: () => Promise<StoreMove>): Promise<StoreMove> {
    if (operator) {
      const begin = async () => ({ status: 202 as const, body: await work() })
      return idempotency.answerPerson({ ...context, actor: operator }, begin)
    }
    context.set.status = 202
    return work()
  }

  return new Elysia({ name: 'nodes.departures', prefix: '/v1/admin/stores', tags: ['Operator'] })
    .use(forOperator)
    .get('/:id/move', ({ params }) => departures.read(params.id), {
      operator: true,
      params: StoreParams,
      response: {
        200: StoreMove,
        ...failures(...FOR_SUPER_ADMIN, ...READING, 'validation_error', [
          'not_found',
          'There is no store with this id, or it has never begun to move.',
        ]),
      },
      detail: {
        operationId: 'getStoreMove',
        summary: 'Read how far a store has moved to another node',
        description: 'The running move, or the last one.',
      },
    })
    .post(
      '/:id/move',
      ({ request, path, set, body, params, operator }) =>
        once({ request, path, set, body }, operator, () => departures.begin(operator, params.id, body)),
      {
        operator: true,
        parse: jsonBody(),
        params: StoreParams,
        body: StoreMoveBody,
        response: {
          202: StoreMove,
          ...failures(
            ...CHANGE,
            ...JSON_BODY,
            NO_STORE,
            [
              'conflict',
              'The store is moving already, is suspended or going to be deleted, or another model is about to answer; the message says which.',
            ],
            'node_refused',
            'node_unreachable',
          ),
        },
        detail: {
          operationId: 'moveStore',
          summary: 'Move a store to another node',
          description:
            'In the background, while the store is served: it is copied, then what has changed meanwhile, then writes wait for some seconds until the other node has everything and serves the store. A refusal of the other node changes nothing here.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .post(
      '/:id/move/cancel',
      ({ request, path, set, params, query, operator }) =>
        once({ request, path, set, body: undefined }, operator, () =>
          departures.cancel(operator, params.id, query.target === 'lost'),
        ),
      {
        operator: true,
        parse: noBody,
        params: StoreParams,
        query: CancelQuery,
        response: {
          202: StoreMove,
          ...failures(...CHANGE, 'validation_error', NO_STORE, [
            'conflict',
            'The store is not moving; or the other node has been asked to serve it already, and is not said to be lost, or answers.',
          ]),
        },
        detail: {
          operationId: 'cancelStoreMove',
          summary: 'Cancel the move of a store to another node',
          description:
            'At any moment before the other node is asked to serve the store, which stays here; what the other node holds of it is dropped. Afterwards only with `target=lost`, when that node is gone for good.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
}
