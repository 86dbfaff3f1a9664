import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ApiError, ERRORS } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { mapInOrder } from '../../../core/map-in-order.ts'
import type { Problem } from '../../../core/problem.ts'
import { storageFailure } from '../../../core/storage.ts'
import { turn } from '../../../core/turns.ts'
import { dropEmptyIds } from '../../../http/empty-ids.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { BatchResponse, SearchResponse } from './answer-schema.ts'
import type { SearchHistory } from './history.ts'
import {
  BATCH_TYPES,
  type BatchSearch,
  type BatchType,
  common,
  FilteredSearch,
  FusionSearch,
  HybridSearch,
  MultiImageSearch,
  TextSearch,
  UrlSearch,
} from './schema.ts'
import type { Searcher } from './searcher.ts'

/** Takes more units from the budget that the request spends. @returns how many it gave, and the refusal of the next one. */
export type SpendMore = (units: number) => { given: number; refusal?: ApiError | undefined }

type Verb<Body> = (searcher: Searcher, body: Body) => Promise<SearchResponse>

export interface BatchDeps extends Pick<Base, 'clock' | 'ids' | 'reportFault'> {
  verbs: {
    byText: Verb<TextSearch>
    byUrl: Verb<UrlSearch>
    byCrop: Verb<UrlSearch>
    byHybrid: Verb<HybridSearch>
    byFusion: Verb<FusionSearch>
    byFilter: Verb<FilteredSearch>
    byPictures: Verb<MultiImageSearch>
  }
  history: Pick<SearchHistory, 'add'>
}

type Entry = BatchResponse['results'][number]

/** The schema of the entries of each type, and the verb that answers them. */
const kinds = (verbs: BatchDeps['verbs']): Record<BatchType, { schema: TSchema; verb: Verb<never> }> => ({
  text: { schema: TextSearch, verb: verbs.byText },
  url: { schema: UrlSearch, verb: verbs.byUrl },
  crop: { schema: UrlSearch, verb: verbs.byCrop },
  hybrid: { schema: HybridSearch, verb: verbs.byHybrid },
  fusion: { schema: FusionSearch, verb: verbs.byFusion },
  filtered: { schema: FilteredSearch, verb: verbs.byFilter },
  'multi-image': { schema: MultiImageSearch, verb: verbs.byPictures },
})

/**
 * Answers several searches at once. Each entry is checked, paid and answered apart, so a bad one fails alone; their pictures
 * and words meet in the model's queue.
 *
 * @throws ApiError `too_many_queries`
 */
export async function answerBatch(
  deps: BatchDeps,
  searcher: Searcher,
  { queries, defaults = {}, ...top }: BatchSearch,
  spendMore: SpendMore,
): Promise<BatchResponse> {
  const { history, clock, ids } = deps
  if (queries.length > LIMITS.batchQueriesMax) throw tooMany(queries.length)
  const startedAt = clock.monotonic()
  // The request itself has paid for the first entry.
  const { given, refusal } = spendMore(queries.length - 1)
  const shared = { ...defaults, ...pickCommon(top) }
  const results = await mapInOrder(queries, LIMITS.batchQueriesAtOnce, async (query, index) => {
    const head = { id: readId(query.id), index }
    // A search of what is in memory never leaves its turn, and twenty of them would hold the event loop.
    await turn()
    try {
      if (index > given && refusal) throw refusal
      const answer = await answerEntry(deps, searcher, { ...shared, ...query }, index)
      return { ...head, status: 200, ...answer }
    } catch (error) {
      return { ...head, ...describe(error, deps.reportFault) }
    }
  })
  const count = results.filter(({ status }) => status === 200).length
  const search_id = ids.uuid()
  const query_time_ms = Math.round((clock.monotonic() - startedAt) * 100) / 100
  history.add({
    id: search_id,
    storeId: searcher.storeId,
    type: 'batch',
    query: null,
    parameters: { queries: queries.length },
    results: [],
    topScore: null,
    durationMs: query_time_ms,
    // Its entries are counted.
    isTracked: false,
    sessionId: null,
    searchSource: null,
    createdAt: clock.now(),
  })
  return { query_time_ms, count, search_id, results }
}

async function answerEntry(
  { verbs }: BatchDeps,
  searcher: Searcher,
  { id: _id, type, ...body }: BatchSearch['queries'][number],
  index: number,
): Promise<SearchResponse> {
  const place = `/queries/${index}`
  const kind = isType(type) ? kinds(verbs)[type] : undefined
  if (!kind) throw unknownType(`${place}/type`)
  dropEmptyIds(kind.schema, body)
  try {
    if (!Value.Check(kind.schema, body)) throw validationError(findProblems(kind.schema, body, 'body'))
    return await kind.verb(searcher, body as never)
  } catch (error) {
    throw error instanceof ApiError ? inPlace(error, place) : error
  }
}

/** The parameters that every search has, of the batch itself. */
const pickCommon = (top: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.keys(common).flatMap((key) => (Object.hasOwn(top, key) ? [[key, top[key]]] : [])))

const isType = (type: unknown): type is BatchType => (BATCH_TYPES as readonly unknown[]).includes(type)

/** The same failure, with pointers into the batch. */
function inPlace(error: ApiError, place: string): ApiError {
  const { details } = error.extras
  const { errors, pointer } = details ?? {}
  const placed = Array.isArray(errors)
    ? (errors as Problem[]).map((problem) => ({ ...problem, pointer: place + problem.pointer }))
    : undefined
  if (!placed && typeof pointer !== 'string') return error
  const isInvalid = placed !== undefined && error.code === 'validation_error'
  return new ApiError(error.code, isInvalid ? validationError(placed).message : error.message, {
    ...error.extras,
    details: {
      ...details,
      ...(placed && { errors: placed }),
      ...(typeof pointer === 'string' && { pointer: place + pointer }),
    },
  })
}

const unknownType = (pointer: string) =>
  validationError([
    {
      in: 'body',
      pointer,
      code: 'enum',
      message: `must be one of ${BATCH_TYPES.map((type) => `"${type}"`).join(', ')}`,
    },
  ])

const tooMany = (count: number) =>
  new ApiError('too_many_queries', `A batch has at most ${LIMITS.batchQueriesMax} queries, not ${count}`, {
    details: { max: LIMITS.batchQueriesMax, pointer: '/queries' },
  })

/** Ids are the client's own; longer ones are cut. */
const readId = (id: unknown): Entry['id'] =>
  typeof id === 'number' ? id : typeof id === 'string' ? id.slice(0, 200) : null

function describe(error: unknown, reportFault: (error: unknown) => void) {
  const failure =
    error instanceof ApiError
      ? error
      : (storageFailure(error) ?? new ApiError('internal_error', 'Something went wrong', { cause: error }))
  if (failure !== error) reportFault(error)
  const { details } = failure.extras
  return {
    status: ERRORS[failure.code].status,
    error: failure.code,
    message: failure.message,
    ...(details && { details }),
  }
}
