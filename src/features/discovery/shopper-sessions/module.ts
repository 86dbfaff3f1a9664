import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { sessionRoutes } from './routes.ts'
import { type SessionDeps, type SessionService, sessionService } from './service.ts'

export type SessionNeeds = Pick<
  SessionDeps,
  'history' | 'searches' | 'feedback' | 'analytics' | 'forgetTogether'
>

/** Wires the erasing of shoppers' sessions. It lies above searches, feedback and analytics, which hold them. */
export function buildShopperSessions({ atomically, record, withoutFsync }: Base, needs: SessionNeeds) {
  const service = sessionService({
    ...needs,
    atomically,
    record,
    withoutFsync,
  })
  return {
    service,
    routes: (guards: Guards) => sessionRoutes(guards, service),
  } satisfies Module<SessionService>
}
