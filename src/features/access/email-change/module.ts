import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import { createEmailLinks, type EmailLinkDeps } from './links.ts'
import { type EmailChangeQueries, emailChangeQueries } from './queries.ts'
import { emailChangeRoutes, emailLinkRoutes } from './routes.ts'
import { type EmailChangeDeps, type EmailChangeService, emailChangeService } from './service.ts'

export interface EmailChangeNeeds
  extends Pick<EmailChangeDeps, 'reauthenticate'>,
    Pick<
      EmailLinkDeps,
      | 'people'
      | 'verifyPassword'
      | 'endOtherSessions'
      | 'forgetResetLinks'
      | 'forgetRegistrations'
      | 'forgetEmailInLog'
    > {
  queries: EmailChangeQueries
  outbox: OutboxService
}

/** The pending changes. A new password drops those of its person, so their rows are wired before both features. */
export const createEmailChangeRows = ({ db }: Base) => emailChangeQueries(db)

/**
 * Wires changes of a person's e-mail address. The present address agrees by a link, the new one by a link and the
 * password (`links.ts`), so that mailbox and password are known to belong to one person. No answer tells whether an
 * address has an account.
 */
export function buildEmailChange(base: Base, needs: EmailChangeNeeds) {
  const service = emailChangeService({
    ...base,
    ...needs,
    tries: base.throttle('email-change.person', LIMITS.emailChangesPerHour, HOUR_MS),
    mails: base.throttle('email-change.email', LIMITS.emailChangesPerHour, HOUR_MS),
  })
  const links = createEmailLinks({ ...base, ...needs, inTurn: createKeyedLock() })
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'email-change' })
        .use(emailLinkRoutes(guards, links))
        .use(emailChangeRoutes(guards, service)),
    chores: [{ name: 'deleting old e-mail changes', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<EmailChangeService>
}
