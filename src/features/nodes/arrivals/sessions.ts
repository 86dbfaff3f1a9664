import { turn } from '../../../core/turns.ts'
import type { ArrivingMoveRow } from './queries.ts'
import type { ArrivalDeps, ArrivalSession } from './world.ts'

export type Sessions = ReturnType<typeof createSessions>

/** What memory holds about the stores that are on their way here. */
export function createSessions({
  capture,
  digest,
  index,
  atomically,
  createWriter,
}: Pick<ArrivalDeps, 'capture' | 'digest' | 'index' | 'atomically' | 'createWriter'>) {
  const sessions = new Map<string, ArrivalSession>()

  function sessionOf({ id, storeId }: ArrivingMoveRow): ArrivalSession {
    const session = sessions.get(id) ?? {
      writer: createWriter(storeId),
      ...{ isFed: false, isReady: false, preparing: undefined },
    }
    sessions.set(id, session)
    return session
  }

  /** Reads index and sums, beside all other work; rows that come meanwhile reach both. */
  async function prepare({ storeId }: ArrivingMoveRow, session: ArrivalSession): Promise<void> {
    atomically(() => capture.begin(storeId))
    const loading = index.readStoreInTurns(storeId)
    session.isFed = true
    await loading
    for (const _ of digest.prepare(storeId)) await turn()
    session.isReady = true
  }

  function beginPreparing(move: ArrivingMoveRow, session: ArrivalSession): Promise<void> {
    if (session.isReady) return Promise.resolve()
    session.preparing ??= prepare(move, session).finally(() => {
      session.preparing = undefined
    })
    return session.preparing
  }

  function forget({ id, storeId }: ArrivingMoveRow): void {
    sessions.delete(id)
    digest.forget(storeId)
  }

  return { of: sessionOf, prepare: beginPreparing, forget }
}
