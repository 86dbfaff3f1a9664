import { Elysia } from 'elysia'
import type { Operator } from '../../../core/audit.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import {
  AdminModels,
  ModelBody,
  ModelConfirmed,
  ModelFetch,
  ModelFetchStarted,
  ModelMove,
  ModelParams,
  ModelRemoved,
  ReindexBody,
} from './schema.ts'
import type { ModelsService } from './service.ts'

const CHANGE = [...FOR_SUPER_ADMIN, ...WRITING] as const
const BEGIN = [...CHANGE, ...REPEATABLE] as const
const NO_MODEL = ['not_found', 'There is no model of this name.'] as const
const MOVE_FAILURES = [
  'conflict',
  'Another move is under way, the model is in use already or cannot be used, or `MODEL_DIR` is set; `message` says which.',
] as const

type Needs = Pick<Guards, 'forOperator' | 'idempotency'>

/** Contract 8.15: the models of a service, for super-admins and for commands. */
export const modelRoutes = (guards: Needs, models: ModelsService) =>
  new Elysia({ name: 'models' }).use(shelfRoutes(guards, models)).use(moveRoutes(guards, models))

type Context = Pick<Parameters<Guards['idempotency']['answerPerson']>[0], 'request' | 'path' | 'set' | 'body'>

/** Begins something once for each key of a person; a command sends none. */
const createOnce =
  ({ idempotency }: Needs) =>
  <Body>(context: Context, operator: Operator, begin: () => Promise<Body>): Promise<Body> => {
    if (operator) {
      const work = async () => ({ status: 202 as const, body: await begin() })
      return idempotency.answerPerson({ ...context, actor: operator }, work)
    }
    context.set.status = 202
    return begin()
  }

/** What lies here, what could be fetched, and how far all is. */
function shelfRoutes(guards: Needs, models: ModelsService) {
  const once = createOnce(guards)
  return new Elysia({ name: 'models.shelf', prefix: '/v1/admin/models', tags: ['Operator'] })
    .use(guards.forOperator)
    .get('', () => models.list(), {
      operator: true,
      response: { 200: AdminModels, ...failures(...FOR_SUPER_ADMIN, ...READING) },
      detail: {
        operationId: 'listModels',
        summary: 'List the models, and read how far a move or a download is',
        description:
          'Those that are here, with the one in use, and those that could be fetched, with what each costs and whom it suits.',
      },
    })
    .post(
      '/fetch',
      ({ request, path, set, body, operator }) =>
        once({ request, path, set, body }, operator, () => models.fetch(operator, body.name)),
      {
        operator: true,
        parse: jsonBody(),
        body: ModelBody,
        response: {
          202: ModelFetchStarted,
          ...failures(...BEGIN, ...JSON_BODY, NO_MODEL, [
            'conflict',
            'The model is here already, another one is being fetched, nobody has confirmed its files, or `OFFLINE` is set; `details.reason` says which.',
          ]),
        },
        detail: {
          operationId: 'fetchModel',
          summary: 'Download a known model',
          description:
            'In the background, from the addresses in the executable alone, each file held against its hash. `GET /v1/admin/models` says how far it is.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .post('/fetch/cancel', ({ operator }) => models.cancelFetch(operator), {
      operator: true,
      parse: noBody,
      response: { 200: ModelFetch, ...failures(...CHANGE, ['conflict', 'No model is being fetched.']) },
      detail: {
        operationId: 'cancelModelFetch',
        summary: 'Stop the download of a model',
        description: 'What was loaded stays, and the next download goes on there.',
      },
    })
    .delete(
      '/:name',
      async ({ operator, params: { name } }) => {
        await models.remove(operator, name)
        return { status: 'removed' as const, name }
      },
      {
        operator: true,
        params: ModelParams,
        response: {
          200: ModelRemoved,
          ...failures(...CHANGE, 'validation_error', NO_MODEL, [
            'conflict',
            'The model is in use, is the way back, is needed by a move, or is part of the executable.',
          ]),
        },
        detail: {
          operationId: 'removeModel',
          summary: 'Delete the files of a model',
          description: 'Of one that nothing uses.',
        },
      },
    )
}

/** The way of the stores to another model, and back. */
function moveRoutes(guards: Needs, models: ModelsService) {
  const once = createOnce(guards)
  return new Elysia({ name: 'models.moves', prefix: '/v1/admin/models', tags: ['Operator'] })
    .use(guards.forOperator)
    .post(
      '/use',
      ({ request, path, set, body, operator }) =>
        once({ request, path, set, body }, operator, () => models.use(operator, body.name)),
      {
        operator: true,
        parse: jsonBody(),
        body: ModelBody,
        response: { 202: ModelMove, ...failures(...BEGIN, ...JSON_BODY, NO_MODEL, MOVE_FAILURES) },
        detail: {
          operationId: 'useModel',
          summary: 'Move the catalogue of every store to another model',
          description:
            'In the background. Searches answer from the old model until every picture of a store has its new vector.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .post(
      '/back',
      ({ request, path, set, operator }) =>
        once({ request, path, set, body: undefined }, operator, () => models.back(operator)),
      {
        operator: true,
        parse: noBody,
        response: {
          202: ModelMove,
          ...failures(...BEGIN, ['conflict', 'There is no former model, or a move is under way.']),
        },
        detail: {
          operationId: 'useFormerModel',
          summary: 'Go back to the former model',
          description:
            'Its vectors are kept for seven days, so only what has changed since is embedded first.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .post(
      '/reindex',
      ({ request, path, set, body, operator }) =>
        once({ request, path, set, body }, operator, () => models.reindex(operator, body.store)),
      {
        operator: true,
        parse: jsonBody(),
        body: ReindexBody,
        response: {
          202: ModelMove,
          ...failures(
            ...BEGIN,
            ...JSON_BODY,
            ['not_found', 'There is no store with this slug.'],
            MOVE_FAILURES,
          ),
        },
        detail: {
          operationId: 'reindexProducts',
          summary: 'Embed all products again with the model in use',
          description: 'Of every store or of one, in the background. Searches find everything meanwhile.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .post(
      '/cancel',
      ({ request, path, set, operator }) =>
        once({ request, path, set, body: undefined }, operator, () => models.cancel(operator)),
      {
        operator: true,
        parse: noBody,
        response: { 202: ModelMove, ...failures(...BEGIN, ['conflict', 'No move is under way.']) },
        detail: {
          operationId: 'cancelModelMove',
          summary: 'Cancel the move to another model',
          description: 'Stores that have moved already go back; their old vectors are still there.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .post(
      '/confirm',
      async ({ operator }) => ({ status: 'confirmed' as const, in_use: await models.confirm(operator) }),
      {
        operator: true,
        parse: noBody,
        response: {
          200: ModelConfirmed,
          ...failures(...CHANGE, ['conflict', 'There is no former model, or a move is under way.']),
        },
        detail: {
          operationId: 'confirmModel',
          summary: 'Keep the model in use, and delete the vectors of the former one',
          description: 'There is no way back then. It happens by itself after seven days.',
        },
      },
    )
}
