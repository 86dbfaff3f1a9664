import { ApiError } from '../../../core/errors.ts'
import type { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { ArrivingMoveBegun, ArrivingMoveInput } from '../protocol/schema.ts'
import { createAdmission } from './admission.ts'
import type { Ending } from './ending.ts'
import type { ArrivalDeps } from './world.ts'

const SECRET_BYTES = 32

/** Takes a store that another node announces. */
export function createBeginning(
  deps: ArrivalDeps & { leaseMs: number },
  { giveUp }: Ending,
  locked: ReturnType<typeof createKeyedLock>,
) {
  const { queries, storeRows, leases, clock, ids, atomically, log } = deps
  const admission = createAdmission(deps)

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

  return async function begin(input: ArrivingMoveInput, address: string): Promise<ArrivingMoveBegun> {
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
      if (!isBack) leases.addArrival(store.id, store.slug, now + deps.leaseMs)
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
}
