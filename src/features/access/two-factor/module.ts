import type { Doors } from '../../../http/doors.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import { createGuessWarning } from './guess-warning.ts'
import { twoFactorQueries } from './queries.ts'
import { twoFactorRoutes } from './routes.ts'
import { type TwoFactorDeps, type TwoFactorService, twoFactorService } from './service.ts'

export interface TwoFactorNeeds {
  people: TwoFactorDeps['people']
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Seals the secrets of authenticators. */
  secretBox: SecretBox
  endOtherSessions: TwoFactorDeps['endOtherSessions']
  noteSecondFactor: TwoFactorDeps['noteSecondFactor']
}

/** Wires two-factor authentication. */
export function buildTwoFactor(base: Base, { secretBox, outbox, ...needs }: TwoFactorNeeds) {
  const service = twoFactorService({
    ...base,
    queries: twoFactorQueries(base.db),
    ...needs,
    box: secretBox,
  })
  return {
    service,
    warnOfGuesses: createGuessWarning({ ...base, outbox }),
    routes: (doors: Doors) => twoFactorRoutes(doors, service),
  } satisfies Module<TwoFactorService> & Record<string, unknown>
}
