import type { Actor } from '../../../core/actor.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { Base } from '../../module.ts'
import type { MailOwners } from './owner-mails.ts'
import { type NoticeKind, ownerNoticeMail } from './owner-notice-mails.ts'
import type { PeopleQueries } from './queries.ts'

export interface OwnerNoticeDeps extends Pick<Base, 'clock' | 'baseUrl'> {
  people: Pick<PeopleQueries, 'findPerson'>
  mailOwners: MailOwners
  /** Limits the notices of one kind about one store. */
  notices: Throttle
}

/** Tells the owners of the actor's store what the actor did. Call it in the transaction of the change. */
export type TellOwners = (actor: Actor, kind: NoticeKind) => void

/**
 * Creates the function that mails a store's owners about the changes that a thief would make first. It sends a few mails
 * of a kind an hour, so that nobody can fill their mailboxes. The last of them says that no more follow.
 */
export function createOwnerNotices(deps: OwnerNoticeDeps): TellOwners {
  const { people, mailOwners, notices, clock } = deps

  return function tellOwners({ store, userId, clientInfo }, kind) {
    const now = clock.now()
    const { isAllowed, remaining, resetSeconds } = notices.take(`${kind} ${store.id}`, now)
    if (!isAllowed) return
    const facts = {
      kind,
      slug: store.slug,
      by: userId === null ? undefined : people.findPerson(userId)?.email,
      at: now,
      address: clientInfo.address,
      baseUrl: deps.baseUrl(),
      silentUntil: remaining === 0 ? now + resetSeconds * 1000 : undefined,
    }
    mailOwners(store.id, (to) => ownerNoticeMail(to, facts))
  }
}
