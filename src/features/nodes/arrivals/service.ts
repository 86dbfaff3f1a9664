import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { isSecret } from '../../../core/secrets.ts'
import { turn } from '../../../core/turns.ts'
import type { ArrivingMove, ArrivingMoveInput, ProofSearch } from '../protocol/schema.ts'
import { createBeginning } from './beginning.ts'
import { createEnding } from './ending.ts'
import { createFilling } from './filling.ts'
import { createPictures } from './pictures.ts'
import type { ArrivingMoveRow } from './queries.ts'
import { createSessions } from './sessions.ts'
import type { ArrivalDeps } from './world.ts'

/** A source that says nothing for so long is gone. */
const LEASE_MS = DAY_MS
/** How often that is written down. */
const TOUCH_MS = MINUTE_MS
/** A source that asks later which node serves its store gets no answer. */
const KNOWN_MS = 365 * DAY_MS

export type ArrivalsService = ReturnType<typeof arrivalsService>

/** The target of a store's move (contract 8.19): it takes the store in, hidden, and opens it in one transaction when it is asked to. */
export function arrivalsService(deps: ArrivalDeps) {
  const { queries, storeRows, leases, capture, digest, clock, atomically, log } = deps
  const filling = createFilling(deps)
  const locked = createKeyedLock()
  const sessions = createSessions(deps)
  const ending = createEnding(deps, sessions)
  const begin = createBeginning({ ...deps, leaseMs: LEASE_MS }, ending, locked)

  /** @throws ApiError `conflict` for a move that is over. */
  function demandArriving(id: string): ArrivingMoveRow {
    const move = queries.find(id)
    if (move?.state === 'arriving') return move
    throw new ApiError(
      'conflict',
      move?.state === 'open' ? 'The store is open here already' : 'The move was given up, and never opens',
      { details: { state: move?.state ?? 'abandoned' } },
    )
  }

  function renew(move: ArrivingMoveRow): void {
    const now = clock.now()
    if (move.state !== 'arriving' || now - move.calledAt < TOUCH_MS) return
    deps.withoutFsync(() =>
      atomically(() => {
        queries.touch(move.id, now)
        leases.renewArrival(move.storeId, now, now + LEASE_MS)
      }),
    )
  }

  return {
    /** Takes a store that another node announces with a code. @throws ApiError with one sentence; nothing is left then. */
    begin: (input: ArrivingMoveInput, address: string) =>
      locked(`store ${input.store.id}`, () => begin(input, address)),

    /** Judges the token of a move. @throws ApiError `unauthorized`, in the same words for a move that there is not. */
    admit(id: string, token: string): void {
      const move = queries.find(id)
      if (!isSecret(token, move?.tokenHash) || !move) throw signInFirst()
      renew(move)
    },

    read(id: string): ArrivingMove {
      const move = queries.find(id)
      if (!move) throw signInFirst()
      const { state, lastBatch, pictures } = move
      return { state, last_batch: lastBatch, products: storeRows.countProducts(move.storeId), pictures }
    },

    /** @param rows a line each. @throws ApiError `conflict`, `invalid_request`, `storage_full` */
    applyRows: (id: string, batch: number, rows: Uint8Array) =>
      locked(id, async () => {
        const move = demandArriving(id)
        if (batch <= move.lastBatch) return { last_batch: move.lastBatch }
        const lines = new TextDecoder()
          .decode(rows)
          .split('\n')
          .filter((line) => line !== '')
        await filling.apply(move, sessions.of(move), batch, lines)
        return { last_batch: batch }
      }),

    ...createPictures(deps, demandArriving),

    /** Begins to read the index. @returns whether it is whole; ask again until it is. */
    loadIndex(id: string): { is_loaded: boolean } {
      const move = demandArriving(id)
      const session = sessions.of(move)
      sessions
        .prepare(move, session)
        .catch((err) =>
          log.error({ err, move_id: id }, 'the index of a store that arrives could not be read'),
        )
      return { is_loaded: session.isReady }
    },

    readDigest: (id: string) =>
      locked(id, async () => {
        const move = demandArriving(id)
        await sessions.prepare(move, sessions.of(move))
        const { storeId } = move
        for (;;) {
          const rows = capture.take(storeId, 1_000)
          const last = rows.at(-1)
          if (!last) break
          digest.touch(storeId, rows)
          deps.withoutFsync(() => atomically(() => capture.forget(storeId, last.seq)))
          await turn()
        }
        for (const _ of digest.refresh(storeId)) await turn()
        return { tables: { ...digest.read(storeId) } }
      }),

    /** Searches the store as the API would once it is open. */
    async search(id: string, body: ProofSearch) {
      const move = demandArriving(id)
      await sessions.prepare(move, sessions.of(move))
      // Rows of rules, words and settings may have come since the last one.
      deps.forgetCaches(move.storeId)
      const results = await deps.search(move.storeId, body)
      return {
        results: results.map(({ product_id, similarity_score }) => ({ product_id, similarity_score })),
      }
    },

    /** @throws ApiError `conflict` for a move that was given up, and where the slug is taken by now. */
    open: (id: string) =>
      locked(id, async () => {
        const url = deps.baseUrl()
        if (queries.find(id)?.state === 'open') return { state: 'open' as const, url }
        const move = demandArriving(id)
        // A restart has forgotten what rows came since the index was read.
        await sessions.prepare(move, sessions.of(move))
        ending.open(move)
        sessions.forget(move)
        deps.forgetCaches(move.storeId)
        deps.takeInJobs(move.storeId)
        log.info({ move_id: id, store_id: move.storeId }, 'a store has arrived from another node')
        deps.defer(async () => {
          for (const _ of deps.releasePictures(move.storeId)) await turn()
        }, 0)
        return { state: 'open' as const, url }
      }),

    /** @throws ApiError `conflict` once the store is open. */
    abandon: (id: string) =>
      locked(id, async () => {
        const move = queries.find(id)
        if (move?.state === 'open') demandArriving(id)
        if (move?.state === 'arriving') ending.giveUp(move, 'its source asked for it')
        return { state: 'abandoned' as const }
      }),

    /** Gives up what nobody sends any more, and clears what is left of others. */
    async tidy(): Promise<void> {
      const now = clock.now()
      for (const move of queries.listArriving())
        if (now - move.calledAt > LEASE_MS)
          await locked(move.id, async () =>
            ending.giveUp(demandArriving(move.id), 'its source has not been heard of for a day'),
          )
      for (const move of queries.listUncleared()) await ending.clear(move)
      atomically(() => queries.prune(now - KNOWN_MS))
    },
  }
}
