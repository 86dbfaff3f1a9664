import type { Doors } from '../../../http/doors.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Ground, Module } from '../../module.ts'
import { twoFactorQueries } from './queries.ts'
import { twoFactorRoutes } from './routes.ts'
import { type TwoFactorDeps, type TwoFactorService, twoFactorService } from './service.ts'

export interface TwoFactorNeeds {
  people: TwoFactorDeps['people']
  /** Seals the secrets of authenticators. */
  secretBox: SecretBox
  endOtherSessions: TwoFactorDeps['endOtherSessions']
}

/** Wires two-factor authentication. */
export function buildTwoFactor(ground: Ground, { people, secretBox, endOtherSessions }: TwoFactorNeeds) {
  const service = twoFactorService({
    ...ground,
    queries: twoFactorQueries(ground.db),
    people,
    box: secretBox,
    endOtherSessions,
  })
  return {
    service,
    routes: (doors: Doors) => twoFactorRoutes(doors, service),
  } satisfies Module<TwoFactorService>
}
