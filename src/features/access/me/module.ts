import { HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Doors } from '../../../http/doors.ts'
import { createThrottle } from '../../../platform/db/throttle.ts'
import type { Ground, Module } from '../../module.ts'
import { meRoutes } from './routes.ts'
import { type MeDeps, type MeService, meService } from './service.ts'

export type MeNeeds = Pick<
  MeDeps,
  'people' | 'sessions' | 'passwords' | 'isTwoFactorEnabled' | 'forgetResetLinks' | 'locked'
>

/** Wires the caller's own account. */
export function buildMe(ground: Ground, needs: MeNeeds) {
  const { db, clock } = ground
  const failures = createThrottle(db, {
    bucket: 'password.person',
    limit: LIMITS.failuresPerEmailMax,
    windowMs: LIMITS.failuresWindowMs,
  })
  const service = meService({ ...ground, ...needs, failures })
  return {
    service,
    routes: (doors: Doors) => meRoutes(doors, service),
    chores: [
      { name: 'deleting old wrong passwords', everyMs: HOUR_MS, run: () => failures.prune(clock.now()) },
    ],
  } satisfies Module<MeService>
}
