import type { Actor } from '../../../core/actor.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { type NoticeKind, ownerNoticeMail } from './owner-notice-mails.ts'

export interface OwnerNoticeDeps extends Pick<Base, 'clock' | 'log' | 'defer' | 'baseUrl'> {
  people: Pick<PeopleQueries, 'findPerson' | 'listOwners'>
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  /** Limits the notices of one kind about one store. */
  notices: Throttle
}

/** Further owners learn of the change only from the audit log. */
const OWNERS_MAX = 20

/** Tells the owners of the actor's store what the actor did. Call it in the transaction of the change. */
export type TellOwners = (actor: Actor, kind: NoticeKind) => void

/**
 * Creates the function that mails a store's owners about the changes that a thief would make first. It sends a few mails
 * of a kind an hour, so that nobody can fill their mailboxes. The last of them says that no more follow.
 */
export function createOwnerNotices(deps: OwnerNoticeDeps): TellOwners {
  const { people, outbox, notices, clock } = deps

  function deliver(mailIds: readonly string[], requestId: string): void {
    for (const id of mailIds) {
      // An undelivered mail stays in the outbox for another attempt.
      void outbox
        .deliver(id)
        .catch((err) =>
          deps.log.warn({ err, request_id: requestId }, 'a notice to an owner was not delivered'),
        )
    }
  }

  return function tellOwners({ store, userId, trace }, kind) {
    const now = clock.now()
    const { isAllowed, remaining, resetSeconds } = notices.take(`${kind} ${store.id}`, now)
    if (!isAllowed) return
    const facts = {
      kind,
      slug: store.slug,
      by: userId === null ? undefined : people.findPerson(userId)?.email,
      at: now,
      address: trace.address,
      baseUrl: deps.baseUrl(),
      silentUntil: remaining === 0 ? now + resetSeconds * 1000 : undefined,
    }
    const mailIds = people
      .listOwners(store.id, OWNERS_MAX)
      .map(({ email }) => outbox.write(ownerNoticeMail(email, facts)))
    // After the transaction, so that no request waits for a mail server.
    deps.defer(() => deliver(mailIds, trace.requestId), 0)
  }
}
