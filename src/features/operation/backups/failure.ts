import { DAY_MS, isoTime } from '../../../core/clock.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { BackupQueries } from './queries.ts'

export interface FailureDeps extends Pick<Base, 'clock' | 'throttle' | 'baseUrl'> {
  queries: Pick<BackupQueries, 'listOperatorStores'>
  people: Pick<PeopleQueries, 'listSuperAdmins'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  publish(storeId: string, event: 'backup.failed', data: Record<string, unknown>): void
}

/** Tells those who run this install that a backup failed. Call it in the transaction that writes the failure down. */
export type TellFailure = (reason: string) => void

const PEOPLE_MAX = 100
const STORES_MAX = 1_000

/** The schedule tries again every hour; one mail a day is enough. */
export function createTellFailure({
  queries,
  people,
  outbox,
  publish,
  clock,
  throttle,
  baseUrl,
}: FailureDeps): TellFailure {
  const mails = throttle('backup_failed', 1, DAY_MS)

  return (reason) => {
    const now = clock.now()
    for (const storeId of queries.listOperatorStores(STORES_MAX))
      publish(storeId, 'backup.failed', { failed_at: isoTime(now), reason })
    if (!mails.take('mail', now).isAllowed) return
    outbox.sendAfterCommit(
      people.listSuperAdmins(PEOPLE_MAX).map(({ email }) => write(email, reason, baseUrl())),
    )
  }
}

const write = (to: string, reason: string, address: string): Mail => ({
  to,
  subject: 'A backup of Lookalike has failed',
  text: `A backup of the Lookalike at ${address} has failed:

  ${reason}

The older backups are kept, and the service tries again by itself. All backups and their state:

  ${address}/admin/backups

This mail comes at most once a day.`,
})
