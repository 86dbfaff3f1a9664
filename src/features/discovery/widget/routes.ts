import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { formBody, jsonBody } from '../../../http/body.ts'
import { FORM_BODY, failures, JSON_BODY, PICTURE_URL, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY } from '../../../http/idempotency.ts'
import { validationError } from '../../../http/validation.ts'
import { WIDGET_KEY } from '../../../http/widget-guard.ts'
import { countEvents, FeedbackAnswer, FeedbackBody } from '../feedback/schema.ts'
import type { SearchSource } from '../search/queries.ts'
import {
  WidgetAnswer,
  WidgetRow,
  WidgetSuggest,
  WidgetSuggestions,
  WidgetText,
  WidgetTogether,
  WidgetUpload,
  WidgetUrl,
} from './schema.ts'
import type { WidgetService } from './service.ts'
import { listSights } from './sights.ts'

const PREFIX = '/v1/widget'

/** Failures of every route of widgets. */
const FOR_WIDGET = [
  'unauthorized',
  'origin_missing',
  'origin_not_allowed',
  'store_not_here',
  'store_suspended',
  ['permission_denied', 'The key does not allow this, `details.required`.'],
  ['not_a_member', 'Of a preview key: its person no longer belongs to the store.'],
  ['ip_not_allowed', 'Of a preview key: the IP list of the store does not include the address.'],
  'rate_limit_exceeded',
  ...WRITING,
] as const

const SEARCH = [...FOR_WIDGET, ...JSON_BODY, 'model_not_ready'] as const

const WITH_PICTURE = [
  ...SEARCH,
  ...PICTURE_URL,
  'crop_too_small',
  [
    'not_found',
    'The picture is forgotten or did not come with this key, so send it again; or the key finds no such product.',
  ],
] as const

/** Failures of a row for a product page. */
const ROW = [
  ...FOR_WIDGET,
  'validation_error',
  ['not_found', 'The key finds no such product.'],
  'model_not_ready',
] as const

const DETAIL = { tags: ['Widget'], security: WIDGET_KEY }
const small = jsonBody(LIMITS.widgetBytesMax)

/** Where feedback comes from. */
export interface FeedbackContext {
  searchSource: SearchSource
  /** The request's Idempotency-Key after the id of the widget key, so that no page meets the keys of the backend. */
  idempotencyKey: string | null
  /** Whether the key does not show every product. */
  hidesPrices?: boolean
}

/**
 * Records what shoppers did with products: one event, or a list.
 *
 * @throws ApiError `validation_error`.
 */
export type RecordFeedback = (
  storeId: string,
  body: Record<string, unknown>,
  context: FeedbackContext,
) => Promise<FeedbackAnswer>

/** Contract 10: what a shop's own pages call with a widget key. Each route has a guard of its own, because a key allows uses. */
export function widgetRoutes({ forWidget }: Pick<Guards, 'forWidget'>, widget: WidgetService) {
  const route = (use: Parameters<typeof forWidget>[0]) =>
    new Elysia({ name: `widget.routes.${use}`, prefix: PREFIX }).use(forWidget(use))
  return new Elysia({ name: 'widget.routes' })
    .use(
      route('text').post('/search/text', ({ widget: key, body }) => widget.byText(key, body), {
        parse: small,
        body: WidgetText,
        response: { 200: WidgetAnswer, ...failures(...SEARCH) },
        detail: {
          ...DETAIL,
          operationId: 'widgetSearchByText',
          summary: 'Find products by text',
          description:
            'The same search as for backends, with fewer parameters. The answer leaves out private metadata; where nothing is found, `popular` has products that shoppers like.',
        },
      }),
    )
    .use(
      new Elysia({ name: 'widget.routes.suggestions', prefix: PREFIX })
        .use(forWidget('text', 'suggestions'))
        .post('/search/suggestions', ({ widget: key, body }) => widget.suggest(key, body), {
          parse: small,
          body: WidgetSuggest,
          response: { 200: WidgetSuggestions, ...failures(...FOR_WIDGET, ...JSON_BODY) },
          detail: {
            ...DETAIL,
            operationId: 'widgetSuggest',
            summary: 'Complete what a shopper types',
            description:
              'Queries that several shoppers searched for, then words, categories and names of products that the key finds. Typing has a budget of its own and spends no search.',
          },
        }),
    )
    .use(
      route('upload').post('/search/upload', ({ widget: key, body }) => widget.byUpload(key, body), {
        parse: formBody(WidgetUpload, 'search', { maxBytes: LIMITS.widgetPictureBytesMax }),
        body: WidgetUpload,
        response: { 200: WidgetAnswer, ...failures(...WITH_PICTURE, ...FORM_BODY) },
        detail: {
          ...DETAIL,
          operationId: 'widgetSearchByUpload',
          summary: 'Find products similar to an uploaded picture',
          description: 'The picture may come with words in `query`, which count as much as the picture.',
        },
      }),
    )
    .use(
      // A key that may search by the picture of a product may ask for the rows of its page.
      route('url')
        .post('/search/url', ({ widget: key, body }) => widget.byUrl(key, body), {
          parse: small,
          body: WidgetUrl,
          response: { 200: WidgetAnswer, ...failures(...WITH_PICTURE) },
          detail: {
            ...DETAIL,
            operationId: 'widgetSearchByUrl',
            summary: 'Find products similar to the picture at a URL, or to a part of the last one',
            description: 'Send `image_url`, or the `image_id` of an earlier answer with another `crop`.',
          },
        })
        .get('/similar', ({ widget: key, query }) => widget.bySimilar(key, query), {
          query: WidgetRow,
          response: { 200: WidgetAnswer, ...failures(...ROW) },
          detail: {
            ...DETAIL,
            operationId: 'widgetFindSimilar',
            summary: 'Find products similar to the one that a page shows',
            description: 'The same as for backends, with fewer parameters and without private metadata.',
          },
        })
        .get('/together', ({ widget: key, query }) => widget.byTogether(key, query), {
          query: WidgetRow,
          response: { 200: WidgetTogether, ...failures(...ROW) },
          detail: {
            ...DETAIL,
            operationId: 'widgetFindTogether',
            summary: 'Find products that shoppers take together with the one that a page shows',
            description:
              'With too little data, similar ones; `basis` says which. `similarity_score` says how closely they belong together.',
          },
        }),
    )
}

export interface FeedbackVerbs extends Pick<WidgetService, 'answerPreview'> {
  recordFeedback: RecordFeedback
  /** Notes what a page of a key was seen to tell of. */
  see(keyId: string, origin: string, sight: 'click' | 'cart' | 'purchase' | 'search'): void
}

/** POST /v1/widget/search/feedback. */
export function widgetFeedbackRoutes(
  { forWidget }: Pick<Guards, 'forWidget'>,
  { recordFeedback, answerPreview, see }: FeedbackVerbs,
) {
  return new Elysia({ name: 'widget.routes.feedback', prefix: PREFIX }).use(forWidget('feedback')).post(
    '/search/feedback',
    async ({
      widget: { storeId, keyId, origin, forcedFilters, previewer },
      spendMore,
      body,
      request,
      set,
    }) => {
      const idempotencyKey = readIdempotencyKey(request, keyId)
      spendMore(countUnits(body) - 1)
      set.status = 201
      if (previewer) return answerPreview(body)
      const searchSource = { keyId, origin }
      const answer = await recordFeedback(storeId, body, {
        searchSource,
        idempotencyKey,
        ...(forcedFilters !== null && { hidesPrices: true }),
      })
      for (const sight of listSights(body, answer)) see(keyId, origin, sight)
      return answer
    },
    {
      parse: small,
      body: FeedbackBody,
      response: { 201: FeedbackAnswer, ...failures(...FOR_WIDGET, ...JSON_BODY, 'idempotency_key_reused') },
      detail: {
        ...DETAIL,
        operationId: 'widgetRecordFeedback',
        summary: 'Record what a shopper did with products: one event, or a list',
        description:
          'Takes what the same endpoint for backends takes. Send `search_id` from the answer of the search.',
        parameters: [IDEMPOTENCY_KEY],
      },
    },
  )
}

/** The cost of a body, in requests. */
const countUnits = (body: unknown): number => Math.ceil(countEvents(body) / LIMITS.feedbackEventsPerUnit)

/** @throws ApiError `validation_error`. */
function readIdempotencyKey(request: Request, keyId: string): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (key !== '' && key.length <= LIMITS.idempotencyKeyCharsMax) return `${keyId} ${key}`
  const message = `must have 1 to ${LIMITS.idempotencyKeyCharsMax} characters`
  throw validationError([{ in: 'header', pointer: '/idempotency-key', code: 'length', message }])
}
