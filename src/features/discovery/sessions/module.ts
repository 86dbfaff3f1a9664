import type { Doors } from '../../../http/doors.ts'
import { unsynced } from '../../../platform/db/open.ts'
import type { Ground, Module } from '../../module.ts'
import { sessionRoutes } from './routes.ts'
import { type SessionDeps, type SessionService, sessionService } from './service.ts'

export type SessionNeeds = Pick<SessionDeps, 'history' | 'searches' | 'feedback' | 'analytics'>

/** Wires what erases a shopper's session. It lies above searches, feedback and analytics, which hold it. */
export function buildShopperSessions({ db, atomically, record }: Ground, needs: SessionNeeds) {
  const service = sessionService({
    ...needs,
    ...{ atomically, record },
    unsynced: (write) => unsynced(db, write),
  })
  return {
    service,
    routes: (doors: Doors) => sessionRoutes(doors, service),
  } satisfies Module<SessionService>
}
