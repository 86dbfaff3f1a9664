import type { Guards } from '../../../http/guards.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import { createFactorCheck } from './factor-check.ts'
import { createGuessWarning } from './guess-warning.ts'
import { twoFactorQueries } from './queries.ts'
import { createRecoveryCodeSet } from './recovery-codes.ts'
import { twoFactorRoutes } from './routes.ts'
import { createSecretOpener } from './secrets.ts'
import { type TwoFactorDeps, type TwoFactorService, twoFactorService } from './service.ts'

export interface TwoFactorNeeds {
  people: TwoFactorDeps['people']
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Seals the secrets of authenticators. */
  secretBox: SecretBox
  endOtherSessions: TwoFactorDeps['endOtherSessions']
  recordSecondFactor: TwoFactorDeps['recordSecondFactor']
}

/**
 * Wires two-factor authentication. `factor-check.ts` checks codes for sign-in and reauthentication; a time step works
 * once, and is remembered in memory for a minute while the database cannot be written. Of recovery codes only digests
 * are stored. After ten wrong codes behind a right password the person is mailed.
 */
export function buildTwoFactor(base: Base, { secretBox, outbox, ...needs }: TwoFactorNeeds) {
  const queries = twoFactorQueries(base.db)
  const openSecret = createSecretOpener({ box: secretBox, log: base.log })
  const recoveryCodes = createRecoveryCodeSet({ queries, box: secretBox, ids: base.ids })
  const warnOfGuesses = createGuessWarning({ ...base, outbox })
  const service = twoFactorService({ ...base, ...needs, queries, box: secretBox, openSecret, recoveryCodes })
  return {
    service,
    check: createFactorCheck({ ...base, queries, openSecret, recoveryCodes, warnOfGuesses }),
    routes: (guards: Guards) => twoFactorRoutes(guards, service),
  } satisfies Module<TwoFactorService> & Record<string, unknown>
}
