import type { Actor } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import { type NoticeKind, ownerNoticeMail } from './owner-notice-mails.ts'
import type { OwnerNoticeQueries } from './owner-notice-queries.ts'

export interface OwnerNoticeDeps {
  queries: OwnerNoticeQueries
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  /** Notices of one kind about one store. */
  notices: Throttle
  baseUrl(): string
  clock: Clock
  schedule(callback: () => void, delayMs: number): void
  log: { warn(fields: Record<string, unknown>, message: string): void }
}

/** Tells the owners of the actor's store what the actor did; to be called inside the transaction that does it. */
export type TellOwners = (actor: Actor, kind: NoticeKind) => void

/**
 * Mails to the owners of a store about what a thief would do first. A few of a kind in an hour, so that nobody can fill
 * their mailboxes; the last of them says that there are no more.
 */
export function ownerNotices(deps: OwnerNoticeDeps): TellOwners {
  const { queries, outbox, notices, clock } = deps

  function deliver(mailIds: readonly string[], requestId: string): void {
    for (const id of mailIds) {
      // A mail that is not delivered now stays in the outbox and is tried again.
      void outbox
        .deliver(id)
        .catch((err) =>
          deps.log.warn({ err, request_id: requestId }, 'a notice to an owner was not delivered'),
        )
    }
  }

  return function tellOwners({ storeId, userId, trace }, kind) {
    const now = clock.now()
    const { isAllowed, remaining, resetSeconds } = notices.take(`${kind} ${storeId}`, now)
    if (!isAllowed) return
    const facts = {
      kind,
      slug: queries.slugOf(storeId) ?? storeId,
      by: userId === null ? undefined : queries.emailOf(userId),
      at: now,
      address: trace.address,
      baseUrl: deps.baseUrl(),
      silentUntil: remaining === 0 ? now + resetSeconds * 1000 : undefined,
    }
    const mailIds = queries.ownersOf(storeId).map((email) => outbox.write(ownerNoticeMail(email, facts)))
    // After the transaction; nobody who asks for something waits for a mail server.
    deps.schedule(() => deliver(mailIds, trace.requestId), 0)
  }
}
