import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { emailChangeQueries } from './queries.ts'
import { emailChangeRoutes, emailLinkRoutes } from './routes.ts'
import { type EmailChangeDeps, type EmailChangeService, emailChangeService } from './service.ts'

export interface EmailChangeNeeds
  extends Pick<
    EmailChangeDeps,
    | 'people'
    | 'outbox'
    | 'prove'
    | 'verifyPassword'
    | 'endOtherSessions'
    | 'forgetResetLinks'
    | 'forgetRegistrations'
    | 'forgetEmailInLog'
  > {
  requests: EmailChangeDeps['queries']
}

/** The changes that wait. A new password drops those of its person, so they are made before both features. */
export const buildEmailChangeRequests = ({ db }: Base) => emailChangeQueries(db)

/** Wires changes of a person's e-mail address. */
export function buildEmailChange(base: Base, { requests, ...needs }: EmailChangeNeeds) {
  const service = emailChangeService({
    ...base,
    ...needs,
    queries: requests,
    tries: base.throttle('email-change.person', LIMITS.emailChangesPerHour, HOUR_MS),
    mails: base.throttle('email-change.email', LIMITS.emailChangesPerHour, HOUR_MS),
    locked: createKeyedLock(),
  })
  return {
    service,
    routes: (doors: Doors) =>
      new Elysia({ name: 'email-change' })
        .use(emailLinkRoutes(doors, service))
        .use(emailChangeRoutes(doors, service)),
    chores: [{ name: 'deleting old e-mail changes', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<EmailChangeService>
}
