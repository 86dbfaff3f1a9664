import { createHash } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret, isSecret } from '../../../core/secrets.ts'
import { turn } from '../../../core/turns.ts'
import type { ArrivingMove, ArrivingMoveBegun, ArrivingMoveInput, ProofSearch } from '../protocol/schema.ts'
import { createAdmission } from './admission.ts'
import { createFilling } from './filling.ts'
import type { ArrivingMoveRow } from './queries.ts'
import type { ArrivalDeps, ArrivalSession } from './world.ts'

/** A source that says nothing for so long is gone. */
const LEASE_MS = DAY_MS
/** How often that is written down. */
const TOUCH_MS = MINUTE_MS
/** A source that asks later which node serves its store gets no answer. */
const KNOWN_MS = 365 * DAY_MS
const SECRET_BYTES = 32

export type ArrivalsService = ReturnType<typeof arrivalsService>

/** The target of a store's move (contract 8.19): it takes the store in, hidden, and opens it in one transaction when it is asked to. */
export function arrivalsService(deps: ArrivalDeps) {
  const { queries, storeRows, leases, capture, digest, index, clock, ids, atomically, log } = deps
  const admission = createAdmission(deps)
  const filling = createFilling(deps)
  const locked = createKeyedLock()
  const sessions = new Map<string, ArrivalSession>()

  function sessionOf({ id, storeId }: ArrivingMoveRow): ArrivalSession {
    const session = sessions.get(id) ?? {
      writer: deps.createWriter(storeId),
      ...{ isFed: false, isReady: false, preparing: undefined },
    }
    sessions.set(id, session)
    return session
  }

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

  /** From now on the store never opens by this move. */
  function giveUp(move: ArrivingMoveRow, why: string): void {
    atomically(() => {
      if (!queries.end(move.id, 'abandoned', clock.now())) return
      sessionOf(move).writer.dropPeople()
      capture.end(move.storeId)
      leases.endArrival(move.storeId)
    })
    forget(move)
    index.removeStore(move.storeId)
    log.info({ move_id: move.id, store_id: move.storeId, why }, 'a store that was to arrive was given up')
    deps.defer(() => clear(move), 0)
  }

  /** Erases what is left of a move that was given up, unless the store is on its way again. */
  async function clear({ id, storeId }: { id: string; storeId: string }): Promise<void> {
    if (!queries.findArriving(storeId)) {
      if (storeRows.findMoved(storeId)) await deps.erasure.eraseRemains(storeId)
      else if (queries.isKnownStore(storeId)) await deps.erasure.run()
    }
    atomically(() => queries.setCleared(id))
  }

  /** Makes place for a store that was here before. @throws ApiError `conflict` for one that is here. */
  async function demandAbsent(storeId: string): Promise<void> {
    const before = queries.findArriving(storeId)
    if (before) await locked(before.id, async () => giveUp(before, 'it begins anew'))
    if (storeRows.findMoved(storeId)) await deps.erasure.eraseRemains(storeId)
    else if (before) await deps.erasure.run()
    if (queries.isKnownStore(storeId) && !storeRows.findMoved(storeId))
      throw new ApiError('conflict', 'This store is on this node already, or is still being erased here', {
        details: { reason: 'store' },
      })
  }

  async function begin(input: ArrivingMoveInput, address: string): Promise<ArrivingMoveBegun> {
    const { store } = input
    const codeHash = deps.trust.demand(input.code, 'move', address, store.id)
    admission.demandPlace(store.id)
    const { freeBytes } = await admission.demand(input)
    await demandAbsent(store.id)
    for (const model of store.models) deps.registerModel(model)
    const id = ids.uuid()
    const token = ids.secret(SECRET_BYTES)
    const reembeds = admission.reembeds(store)
    atomically(() => {
      const now = clock.now()
      deps.trust.use(codeHash, store.id)
      admission.demandFree(store)
      admission.demandPlace(store.id)
      const isBack = storeRows.findMoved(store.id) !== undefined
      storeRows.addArriving({
        ...{ id: store.id, slug: store.id, name: store.name, plan: store.plan as PlanName, createdAt: now },
        clientSecretHash: hashSecret(ids.secret(SECRET_BYTES)),
      })
      if (!isBack) leases.addArrival(store.id, store.slug, now + LEASE_MS)
      const row = {
        id,
        storeId: store.id,
        tokenHash: hashSecret(token),
        slug: store.slug,
        fromUrl: input.from,
      }
      queries.add({ ...row, reembeds: reembeds ? 1 : 0 }, now)
    })
    log.info(
      { move_id: id, store_id: store.id, slug: store.slug, from: input.from },
      'a store arrives from another node',
    )
    return {
      ...{ move_id: id, token, url: deps.baseUrl(), version: deps.version, schema: deps.schemaVersion },
      ...{ reembeds, reembed_seconds: reembeds ? admission.estimate(store) : null, free_bytes: freeBytes },
    }
  }

  /** The one moment in which the store changes hands. */
  function openNow(move: ArrivingMoveRow): void {
    atomically(() => {
      const now = clock.now()
      const taken = storeRows.findStoreBySlug(move.slug) ?? storeRows.findMovedBySlug(move.slug)
      if (taken && taken.id !== move.storeId)
        throw new ApiError('conflict', `There is another store "${move.slug}" on this node by now`, {
          details: { reason: 'slug' },
        })
      if (!deps.comeBack(move.storeId)) {
        leases.completeArrival(move.storeId)
        if (!storeRows.openArrived(move.storeId, move.slug)) throw new Error('The store is not here')
        leases.endArrival(move.storeId)
      }
      sessionOf(move).writer.settle()
      capture.end(move.storeId)
      if (!queries.end(move.id, 'open', now)) throw new Error('The move is over')
      deps.record({
        ...{
          action: 'store.arrived',
          actorKind: 'operator',
          storeId: move.storeId,
          userId: null,
          keyId: null,
        },
        ...{ details: { move_id: move.id, from: move.fromUrl }, clientInfo: null },
      })
    })
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
        await filling.apply(move, sessionOf(move), batch, lines)
        return { last_batch: batch }
      }),

    async findMissing(id: string, hashes: readonly string[]): Promise<string[]> {
      demandArriving(id)
      const missing: string[] = []
      for (const hash of new Set(hashes)) if (!(await deps.files.file(hash))) missing.push(hash)
      return missing
    },

    /** @throws ApiError `invalid_request` for other bytes. */
    async putPicture(id: string, hash: string, bytes: Uint8Array): Promise<void> {
      demandArriving(id)
      if (createHash('sha256').update(bytes).digest('hex') !== hash)
        throw new ApiError('invalid_request', 'The bytes are not those of the hash')
      await deps.files.write(hash, bytes)
      deps.withoutFsync(() => atomically(() => queries.countPicture(id)))
    },

    /** Begins to read the index. @returns whether it is whole; ask again until it is. */
    loadIndex(id: string): { is_loaded: boolean } {
      const move = demandArriving(id)
      const session = sessionOf(move)
      beginPreparing(move, session).catch((err) =>
        log.error({ err, move_id: id }, 'the index of a store that arrives could not be read'),
      )
      return { is_loaded: session.isReady }
    },

    readDigest: (id: string) =>
      locked(id, async () => {
        const move = demandArriving(id)
        await beginPreparing(move, sessionOf(move))
        const { storeId } = move
        for (;;) {
          const rows = capture.take(storeId, 1_000)
          const last = rows.at(-1)
          if (!last) return { tables: { ...digest.read(storeId) } }
          digest.touch(storeId, rows)
          deps.withoutFsync(() => atomically(() => capture.forget(storeId, last.seq)))
          await turn()
        }
      }),

    /** Searches the store as the API would once it is open. */
    async search(id: string, body: ProofSearch) {
      const move = demandArriving(id)
      await beginPreparing(move, sessionOf(move))
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
        await beginPreparing(move, sessionOf(move))
        openNow(move)
        forget(move)
        deps.forgetCaches(move.storeId)
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
        if (move?.state === 'arriving') giveUp(move, 'its source asked for it')
        return { state: 'abandoned' as const }
      }),

    /** Gives up what nobody sends any more, and clears what is left of others. */
    async tidy(): Promise<void> {
      const now = clock.now()
      for (const move of queries.listArriving())
        if (now - move.calledAt > LEASE_MS)
          await locked(move.id, async () =>
            giveUp(demandArriving(move.id), 'its source has not been heard of for a day'),
          )
      for (const move of queries.listUncleared()) await clear(move)
      atomically(() => queries.prune(now - KNOWN_MS))
    },
  }
}
