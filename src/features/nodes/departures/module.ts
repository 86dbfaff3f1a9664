import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { type CopyingDeps, createCopying } from './copying.ts'
import { createEnding, type EndingDeps } from './ending.ts'
import { createHandover } from './handover.ts'
import { createJudge } from './judging.ts'
import { createMover, type MoverDeps } from './mover.ts'
import { createProof, type ProofDeps } from './proof.ts'
import { departureQueries } from './queries.ts'
import { departureRoutes } from './routes.ts'
import { createSending, type SendingDeps } from './sending.ts'
import { type DeparturesDeps, type DeparturesService, departuresService } from './service.ts'
import { createSwitching, type SwitchingDeps } from './switching.ts'
import type { MoveCapture, MoveDigest, MoveGate, MoveReader } from './world.ts'

export interface DepartureNeeds
  extends Pick<SendingDeps, 'files'>,
    Pick<EndingDeps, 'mailOwners' | 'leaveStore' | 'countMove' | 'setMoveState'>,
    Pick<ProofDeps, 'search'>,
    Pick<CopyingDeps, 'isModelMoving' | 'hasWords'>,
    Pick<SwitchingDeps, 'drain'>,
    Pick<MoverDeps, 'findState' | 'openClient'>,
    Pick<
      DeparturesDeps,
      | 'findMoved'
      | 'countProducts'
      | 'readStoredBytes'
      | 'listModels'
      | 'parseCode'
      | 'version'
      | 'schemaVersion'
      | 'secretBox'
      | 'stop'
    > {
  capture: MoveCapture
  reader: MoveReader
  digest: MoveDigest
  gate: MoveGate
  secretBox: DeparturesDeps['secretBox'] & MoverDeps['secretBox']
  /** The longest pause of writes before the other node is asked to open the store. */
  pauseMsMax?: number | undefined
}

const WAKE_MS = 1_000
/** Waiting writes go on then, within five seconds. */
const PAUSE_MS_MAX = 4_500

/**
 * Wires the source side of a store's move to another node.
 *
 * A row of `store_moves` says how far a move is, and each step ends with one transaction, so a killed program goes on where it
 * was. `copying` walks over all rows while triggers note what changes; `catching_up` sends what they noted until it is short;
 * then writes pause (`switching.ts`), the rest is sent, both sides are compared, and `switching` is written down before the
 * target is asked to open the store. From then on this node may only ask: the store is the target's if it says so. At
 * any earlier moment a move can be cancelled, because a target never opens a store by itself.
 *
 * What searches note in the moments between the last rows and the answer of the target stays here.
 */
export function buildDepartures(base: Base, needs: DepartureNeeds) {
  const common = { ...base, ...needs, queries: departureQueries(base.db) }
  const ending = createEnding(common)
  const sending = createSending(common)
  const copying = createCopying({ ...common, sending })
  const switching = createSwitching({
    ...common,
    ...{ sending, ending, proof: createProof(common), pauseMsMax: needs.pauseMsMax ?? PAUSE_MS_MAX },
  })
  const handover = createHandover({ ...common, ending })
  const judge = createJudge({ ...common, ending })
  const mover = createMover({ ...common, copying, switching, handover, judge, ending })
  const service = departuresService({ ...common, mover, ending })
  mover.resume()
  return {
    service,
    routes: (guards: Guards) => departureRoutes(guards, service),
    chores: [{ name: 'moving stores to other nodes', everyMs: WAKE_MS, run: service.wake }],
  } satisfies Module<DeparturesService>
}
