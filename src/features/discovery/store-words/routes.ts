import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import { StoreWords, StoreWordsBody, Synonyms, SynonymsBody } from './schema.ts'
import { type StoreWordsService, tagOf } from './service.ts'

/** Contract 3.19: the words of a store. */
export const storeWordsRoutes = (
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  words: StoreWordsService,
) =>
  new Elysia({ name: 'storeWords.routes', prefix: '/v1/store/words', tags: ['Store'] })
    .use(forStore)
    .get('', ({ actor, set }) => withVersion(set, words.show(actor.storeId), tagOf), {
      can: 'search:read',
      response: { 200: StoreWords, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getStoreWords',
        summary: 'Read the words of the store',
        description: 'All synonyms, redirects and ignored words.',
      },
    })
    .put(
      '',
      ({ actor, body, request, set }) =>
        withVersion(set, words.replace(actor, body, readIfMatch(request)), tagOf),
      {
        can: 'search:write',
        parse: jsonBody(LIMITS.storeWordsJsonBytesMax, undefined, LIMITS.storeWordsJsonPiecesMax),
        body: StoreWordsBody,
        response: { 200: StoreWords, ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, CHANGED_SINCE) },
        detail: {
          operationId: 'replaceStoreWords',
          summary: 'Replace the words of the store',
          description:
            'Synonyms let a query for one word also find products that say another. Redirects answer a query with the address of a page, as `redirect_url`. Ignored words are taken out of queries. The lists replace all that was there; an absent one is emptied. The next search obeys them.',
          parameters: [IF_MATCH],
        },
      },
    )
    .post(
      '/synonyms',
      ({ request, path, actor, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, () => ({
          status: 201 as const,
          body: words.addSynonyms(actor, body),
        })),
      {
        can: 'search:write',
        parse: jsonBody(),
        body: SynonymsBody,
        response: {
          201: Synonyms,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'The store has as many groups of synonyms as it may (`details.limit`).',
          ]),
        },
        detail: {
          operationId: 'addSynonyms',
          summary: 'Add a group of synonyms',
          description:
            'Puts one group behind the others, such as a word without results and the word that products have for it. A group that is there already is not added twice.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
