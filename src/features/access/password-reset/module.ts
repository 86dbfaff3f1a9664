import { HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { passwordResetQueries } from './queries.ts'
import { createRevokeCredentials, type RevokeDeps } from './revoke-credentials.ts'
import { passwordResetRoutes } from './routes.ts'
import { type PasswordResetDeps, passwordResetService } from './service.ts'

export interface PasswordResetNeeds
  extends Pick<
      PasswordResetDeps,
      'outbox' | 'forgiveFailures' | 'hashPassword' | 'endSessions' | 'forgetEmailChange'
    >,
    Pick<RevokeDeps, 'stores' | 'credentials'> {
  people: PasswordResetDeps['people'] & RevokeDeps['people']
}

/**
 * Wires links for new passwords. When an account goes to its rightful owner, `revoke-credentials.ts` ends every other
 * credential: the second factor, and the keys, client secret and IP allowlist of stores without another member.
 */
export function buildPasswordReset(base: Base, needs: PasswordResetNeeds) {
  const queries = passwordResetQueries(base.db)
  const passwordReset = passwordResetService({
    ...base,
    ...needs,
    queries,
    mails: base.throttle('forgot.email', LIMITS.resetMailsPerHour, HOUR_MS),
    revokeCredentials: createRevokeCredentials(needs),
  })

  return {
    service: {
      ...passwordReset,
      /** Ends every link of a person. */
      forgetLinks: queries.forget,
    },
    routes: (guards: Guards) => passwordResetRoutes(guards, passwordReset),
    chores: [{ name: 'deleting old password links', everyMs: HOUR_MS, run: passwordReset.prune }],
  } satisfies Module<object>
}
