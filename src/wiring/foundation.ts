import type { Config } from '../config.ts'
import { createWriteGate } from '../core/write-gate.ts'
import { buildAudit } from '../features/access/audit/module.ts'
import type { Base } from '../features/module.ts'
import type { Acknowledgement } from '../http/acknowledge.ts'
import type { InstallPorts } from '../install.ts'
import { withoutFsync } from '../platform/db/open.ts'
import { createReads } from '../platform/db/reads.ts'
import { createThrottles } from '../platform/db/throttles.ts'
import { createWriteBehind } from '../platform/db/write-behind.ts'
import { createPasswordHasher } from '../platform/passwords.ts'
import { createSecretBox } from '../platform/secret-box.ts'

export type Foundation = ReturnType<typeof wireFoundation>

/**
 * Builds the powers that every module gets, and the few others that several wings share. The audit log comes with them,
 * because its `record` is one of the powers.
 */
export function wireFoundation(
  { plans }: Pick<Config, 'plans'>,
  baseUrl: () => string,
  { db, clock, ids, log, defer, dataSecret, passwordCost, acknowledgement }: InstallPorts,
  reportFault: Base['reportFault'],
) {
  const audit = buildAudit({ db, clock, ids })
  const throttles = createThrottles(db)
  // What background work does tells of writes, as answers do: jobs, deliveries, mails.
  const gate = createWriteGate(acknowledgement ? { rests: lookNowAndThen(acknowledgement, clock) } : {})
  const base: Base = {
    db,
    clock,
    ids,
    log,
    atomically: (work) => db.transaction(work).immediate(),
    withoutFsync: (write) => withoutFsync(db, write),
    record: audit.service.record,
    defer,
    reportFault,
    throttle: throttles.create,
    gate,
    plans,
    baseUrl,
  }
  return {
    base,
    audit,
    reads: createReads(db),
    /** Holds back the writes of a store that moves. */
    gate,
    /** For what a request leaves behind: one commit for its count and its search. */
    writes: createWriteBehind({
      ...base,
      name: 'counts of requests, searches and feedback',
      isHeld: gate.isHeld,
    }),
    passwords: createPasswordHasher(passwordCost),
    secretBox: createSecretBox(dataSecret, ids),
    /** Deletes the counted events whose window is over. */
    pruneThrottles: () => throttles.prune(clock.now()),
  }
}

/** Steps of background work are many, and may begin a moment late or early. */
const LOOK_MS = 100

/** Whether the answers to writes may not be given. */
function lookNowAndThen({ may }: Acknowledgement, clock: Base['clock']): () => boolean {
  let [rests, lookedAt] = [true, Number.NEGATIVE_INFINITY]
  return () => {
    const now = clock.monotonic()
    if (now - lookedAt < LOOK_MS) return rests
    lookedAt = now
    rests = !may()
    return rests
  }
}
