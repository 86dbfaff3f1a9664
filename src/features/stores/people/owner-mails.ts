import type { Mail } from '../../../platform/mail/mailer.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { PeopleQueries } from './queries.ts'

export interface OwnerMailDeps {
  people: Pick<PeopleQueries, 'listOwners'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
}

/** Further owners learn of it from the API. */
const OWNERS_MAILED_MAX = 20

/** Mails the first 20 owners of a store. Call it in the transaction of what they are told. */
export type MailOwners = (storeId: string, write: (to: string) => Mail) => void

export const createOwnerMails =
  ({ people, outbox }: OwnerMailDeps): MailOwners =>
  (storeId, write) =>
    outbox.sendAfterCommit(people.listOwners(storeId, OWNERS_MAILED_MAX).map(({ email }) => write(email)))
