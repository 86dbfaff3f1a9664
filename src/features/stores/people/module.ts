import { HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import { createOwnerMails } from './owner-mails.ts'
import { createOwnerNotices } from './owner-notices.ts'
import { peopleQueries } from './queries.ts'

/**
 * Wires the people of this install and their memberships. `mailOwners` mails the first 20 owners; `tellOwners`
 * reports what a thief would change first, a few mails of a kind an hour.
 */
export function buildPeople(base: Base, { outbox }: { outbox: Pick<OutboxService, 'sendAfterCommit'> }) {
  const rows = peopleQueries(base.db)
  const mailOwners = createOwnerMails({ people: rows, outbox })
  const notices = base.throttle('notice.store', LIMITS.ownerNoticesPerHour, HOUR_MS)
  const tellOwners = createOwnerNotices({ ...base, people: rows, mailOwners, notices })
  return { rows, service: { mailOwners, tellOwners } } satisfies Module<object>
}
