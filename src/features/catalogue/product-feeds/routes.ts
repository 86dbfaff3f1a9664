import { Elysia } from 'elysia'
import { jsonBody, jsonOrNothing, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import {
  DeletedFeed,
  Feed,
  FeedBody,
  FeedList,
  FeedParams,
  FeedPatch,
  FeedRunList,
  RunBody,
} from './schema.ts'
import { type FeedService, tagOf } from './service.ts'

/** Failures of a route about one feed. */
const ONE_FEED = [...FOR_STORE, 'validation_error', 'not_found'] as const

const URL_REFUSED = [
  'url_not_allowed',
  'The URL is not that of a public server on a standard port, as far as it tells without a look-up.',
] as const

/** Contract 2.14: files that the service pulls by their address. */
export function feedRoutes(
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  feeds: FeedService,
) {
  return new Elysia({ name: 'feeds.routes', prefix: '/v1/feeds', tags: ['Feeds'] })
    .use(forStore)
    .post(
      '',
      ({ request, path, actor, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, async () => ({
          status: 201 as const,
          body: feeds.create(actor.store, body),
        })),
      {
        can: 'products:bulk',
        parse: jsonBody(),
        body: FeedBody,
        response: {
          201: Feed,
          ...failures(
            ...FOR_STORE,
            ...WRITING,
            ...JSON_BODY,
            URL_REFUSED,
            ['conflict', 'The store already has the maximum number of feeds, `details.limit`.'],
            ...REPEATABLE,
          ),
        },
        detail: {
          operationId: 'createFeed',
          summary: 'Pull products from an address, now and regularly',
          description:
            'Takes the same files as an import. The first run begins at once; later runs follow every `interval_minutes` and read only a file that has changed.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor }) => feeds.list(actor.storeId), {
      can: 'products:read',
      response: { 200: FeedList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listFeeds',
        summary: 'List the feeds',
        description: 'Every feed of the store with its last run.',
      },
    })
    .get('/:id', ({ actor, params, set }) => withVersion(set, feeds.read(actor.storeId, params.id), tagOf), {
      can: 'products:read',
      params: FeedParams,
      response: { 200: Feed, ...failures(...ONE_FEED, ...READING) },
      detail: {
        operationId: 'getFeed',
        summary: 'Read a feed with its last run',
        description: '`last_run` tells what the last run brought, and why it failed if it did.',
      },
    })
    .get('/:id/runs', ({ actor, params }) => feeds.listRuns(actor.storeId, params.id), {
      can: 'products:read',
      params: FeedParams,
      response: { 200: FeedRunList, ...failures(...ONE_FEED, ...READING) },
      detail: {
        operationId: 'listFeedRuns',
        summary: 'List the last runs of a feed',
        description: 'The run in progress, if there is one, and the last ten that are over, newest first.',
      },
    })
    .patch(
      '/:id',
      ({ actor, params, body, request, set }) =>
        withVersion(set, feeds.update(actor.storeId, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'products:bulk',
        params: FeedParams,
        parse: jsonBody(),
        body: FeedPatch,
        response: {
          200: Feed,
          ...failures(...ONE_FEED, ...WRITING, ...JSON_BODY, URL_REFUSED, CHANGED_SINCE),
        },
        detail: {
          operationId: 'updateFeed',
          summary: 'Change some fields of a feed',
          description:
            'Absent fields stay as they are. After a new address, format or mapping the next run reads the file in any case.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => feeds.remove(actor.storeId, params.id), {
      can: 'products:bulk',
      parse: noBody,
      params: FeedParams,
      response: { 200: DeletedFeed, ...failures(...ONE_FEED, ...WRITING) },
      detail: {
        operationId: 'deleteFeed',
        summary: 'Delete a feed; its products stay',
        description: 'No further run begins.',
      },
    })
    .post(
      '/:id/run',
      ({ request, path, actor, params, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, async () => ({
          status: 202 as const,
          body: feeds.run(actor.storeId, params.id, body),
        })),
      {
        can: 'products:bulk',
        params: FeedParams,
        parse: jsonOrNothing(),
        body: RunBody,
        response: {
          202: Feed,
          ...failures(
            ...ONE_FEED,
            ...WRITING,
            ...JSON_BODY,
            ['conflict', 'A run is in progress, or deletions are asked of a feed that deletes nothing.'],
            ...REPEATABLE,
          ),
        },
        detail: {
          operationId: 'runFeed',
          summary: 'Pull a feed now',
          description: 'Does not wait for the interval. `full` reads a file also if it has not changed.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
}
