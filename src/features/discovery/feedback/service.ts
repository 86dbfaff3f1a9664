import { DAY_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { Base } from '../../module.ts'
import type { SearchHistory } from '../search/history.ts'
import type { EventContext, FeedbackSource, Judged } from './judging.ts'
import type { KnownEvent } from './queries.ts'
import { type ReadEvent, readEvent } from './reading.ts'
import type { RemovalQueries } from './removal-queries.ts'
import type { EventOutcome, FeedbackAnswer, RecordedEvent } from './schema.ts'

export interface FeedbackDeps extends Pick<Base, 'clock' | 'withoutFsync'> {
  removal: Pick<RemovalQueries, 'forgetBefore'>
  history: Pick<SearchHistory, 'enqueue' | 'restoreAs' | 'find' | 'flush'>
  judging: {
    readContext(storeId: string, productIds: readonly string[], source: FeedbackSource): EventContext
    judge(context: EventContext, event: ReadEvent, index: number): Judged
  }
  /** Writes and counts an event, in a transaction. @returns the event that is there afterwards. */
  write(event: Judged): KnownEvent
  /** Ends the burst of keystrokes of a search as feedback on it arrives, before the feedback is counted. */
  endKeystrokeBurst(searchId: string): void
  writeTogether: WriteTogether
  /** Days that an event is kept. */
  days: number
}

/** What a restart needs to write and count an event. */
type EventRecord = Pick<Judged, 'row' | 'isKnownProduct' | 'standing'>

/** Events of a list that are recorded in one step. */
const EVENTS_AT_ONCE = 50

/** Events deleted at a time. */
const FORGET_STEP = 200

export type FeedbackService = ReturnType<typeof feedbackService>

/** Records what shoppers did with products, and which search led to it. */
export function feedbackService(deps: FeedbackDeps) {
  const { removal, history, judging, write, endKeystrokeBurst, writeTogether, withoutFsync, clock, days } =
    deps

  history.restoreAs('event', (storeId, record) => {
    const { row, isKnownProduct, standing } = record as EventRecord
    return () => {
      const search =
        row.isAttributed && row.searchId !== null ? history.find(storeId, row.searchId) : undefined
      write({ row, search, isKnownProduct, standing, warnings: [] })
    }
  })

  function writeLater(event: Judged): void {
    const { row, isKnownProduct, standing } = event
    history.enqueue({
      storeId: row.storeId,
      kind: 'event',
      toRecord: (): EventRecord => ({ row, isKnownProduct, standing }),
      write: () => void write(event),
    })
  }

  /** Purchases, and events with an order or a key, wait for the disk. Others are written with the next searches. */
  async function keep(judged: readonly Judged[]): Promise<KnownEvent[]> {
    for (const { search } of judged) if (search) endKeystrokeBurst(search.id)
    const isAwaited = ({ row }: Judged) =>
      row.action === 'purchase' || row.orderId !== null || row.repeatKey !== null
    for (const event of judged) if (!isAwaited(event)) writeLater(event)
    if (!judged.some(isAwaited)) return judged.map(({ row }) => row)
    // The searches that the events belong to are counted first.
    history.flush()
    return Promise.all(
      judged.map((event) => (isAwaited(event) ? writeTogether({ write: () => write(event) }) : event.row)),
    )
  }

  const describe = ({ id, isAttributed, position }: KnownEvent, warnings: string[]): RecordedEvent => ({
    status: 'recorded',
    feedback_id: id,
    attributed: isAttributed,
    position,
    ...(warnings.length > 0 && { warnings }),
  })

  async function recordOne(storeId: string, body: unknown, source: FeedbackSource): Promise<RecordedEvent> {
    const event = readEvent(body, clock.now())
    const judged = judging.judge(judging.readContext(storeId, [event.productId], source), event, 0)
    const [kept = judged.row] = await keep([judged])
    return describe(kept, judged.warnings)
  }

  async function recordSome(
    storeId: string,
    values: readonly unknown[],
    first: number,
    source: FeedbackSource,
  ): Promise<EventOutcome[]> {
    const now = clock.now()
    const read = values.map((value) => tryTo(() => readEvent(value, now)))
    const sound = read.flatMap((event) => (event instanceof ApiError ? [] : [event.productId]))
    const context = judging.readContext(storeId, sound, source)
    const judged = read.map((event, n) =>
      event instanceof ApiError ? event : judging.judge(context, event, first + n),
    )
    const kept = await keep(judged.flatMap((event) => (event instanceof ApiError ? [] : [event])))
    let next = 0
    return judged.map((event, n): EventOutcome => {
      const index = first + n
      if (!(event instanceof ApiError))
        return { index, ...describe(kept[next++] ?? event.row, event.warnings) }
      const { code: error, message, extras } = event
      return { index, status: 'failed', error, message, ...(extras.details && { details: extras.details }) }
    })
  }

  return {
    /**
     * Records one event, or each event of the list `events` independently.
     *
     * @throws ApiError `validation_error` if a single event or the list itself is invalid.
     */
    async record(storeId: string, body: unknown, source: FeedbackSource): Promise<FeedbackAnswer> {
      if (!isObject(body)) throw validationError([NO_OBJECT])
      const events = body['events']
      if (events === undefined) return recordOne(storeId, body, source)
      const results: EventOutcome[] = []
      const list = readList(events)
      for (let first = 0; first < list.length; first += EVENTS_AT_ONCE) {
        if (first > 0) {
          // Flushed in between, so that no group of writes takes long.
          history.flush()
          await turn()
        }
        results.push(...(await recordSome(storeId, list.slice(first, first + EVENTS_AT_ONCE), first, source)))
      }
      return {
        status: 'recorded',
        count: results.filter(({ status }) => status === 'recorded').length,
        results,
      }
    },

    /** Deletes events that are too old, a few at a time. */
    async prune(): Promise<void> {
      const before = clock.now() - days * DAY_MS
      while (withoutFsync(() => removal.forgetBefore(before, FORGET_STEP)) === FORGET_STEP) await turn()
    },
  }
}

/** @throws ApiError `validation_error`. */
function readList(events: unknown): unknown[] {
  const max = LIMITS.feedbackEventsMax
  const problem = (code: string, message: string) =>
    validationError([{ in: 'body', pointer: '/events', code, message }])
  if (!Array.isArray(events)) throw problem('type', 'must be an array')
  if (events.length === 0) throw problem('min_items', 'must have at least 1 item')
  if (events.length > max) throw problem('max_items', `must have at most ${max} items`)
  return events
}

function tryTo<Result>(work: () => Result): Result | ApiError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** The body has one of several schemas; only this service distinguishes them. */
const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body)

const NO_OBJECT = {
  in: 'body',
  pointer: '',
  code: 'type',
  message: 'must be an object',
  expected: 'object',
} as const
