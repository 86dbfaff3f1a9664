import type { Actor, Caller } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { signInFirst } from '../../../core/errors.ts'
import type { NdjsonStreams } from '../../../http/ndjson-streams.ts'
import type { Base } from '../../module.ts'
import type { ExportQueries } from './export-queries.ts'
import type { ExportRow } from './export-rows-queries.ts'

export interface PeopleExportDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  queries: ExportQueries
  streams: Pick<NdjsonStreams, 'open'>
  /** Writes the searches and events that wait. */
  flush(): void
}

/** Files of the data about people that a store or the service holds: one JSON object a line. */
export function createPeopleExports({
  queries,
  streams,
  flush,
  clock,
  atomically,
  record,
}: PeopleExportDeps) {
  /** A first line that says what the file is, and a last one by which its reader knows that it is whole. */
  function* frame(about: object, rows: Iterable<ExportRow>): Generator<string, void> {
    yield `${JSON.stringify({ type: 'export', ...about, exported_at: isoTime(clock.now()) })}\n`
    let lines = 0
    for (const row of rows) {
      lines++
      yield `${JSON.stringify(row)}\n`
    }
    yield `${JSON.stringify({ type: 'end', lines })}\n`
  }

  return {
    /** Exports a store's data about its members and shoppers. @throws ApiError `overloaded`. */
    openStore(actor: Actor): ReadableStream<Uint8Array> {
      const { id, slug, name } = actor.store
      return streams.open(id, actor, () => {
        atomically(() => record(describeAct(actor, 'people_data.exported')))
        flush()
        return frame({ store: { id, slug, name } }, both(queries.ofStore(id), queries.ofShoppers(id)))
      })
    },

    /** Exports the service's data about the caller. @throws ApiError `overloaded`. */
    openOwn(caller: Caller): ReadableStream<Uint8Array> {
      const { userId } = caller
      if (userId === null) throw signInFirst()
      return streams.open(`person ${userId}`, caller, () => {
        atomically(() => record({ ...describeAct(caller, 'account.exported'), storeId: null }))
        return frame({ user_id: userId }, queries.ofPerson(userId))
      })
    },
  }
}

function* both(first: Iterable<ExportRow>, second: Iterable<ExportRow>): Generator<ExportRow, void> {
  yield* first
  yield* second
}
