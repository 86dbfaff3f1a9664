import type { Caller } from '../../../core/actor.ts'
import {
  type AuditEvent,
  describeAct,
  describeOperation,
  describeOperationOn,
  type Operator,
} from '../../../core/audit.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { normaliseEmail } from '../../../core/email.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { validationError } from '../../../http/validation.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { OwnedStore, PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { ReauthenticationService } from '../reauthentication/service.ts'
import type { Deleted, Deletion } from './schema.ts'

export interface DeletionDeps extends Pick<Base, 'clock' | 'log' | 'atomically' | 'record' | 'baseUrl'> {
  people: Pick<
    PeopleQueries,
    | 'findPerson'
    | 'listMemberships'
    | 'listOnlyOwnedStores'
    | 'countSuperAdmins'
    | 'removeMembership'
    | 'removePerson'
  >
  /** Asks a signed-in person for password and code. */
  reauthenticate: ReauthenticationService['reauthenticate']
  outbox: Pick<OutboxService, 'sendAfterCommit' | 'forgetRecipient'>
  /** Ends every sign-in of a person. @returns how many ended. */
  endSessions(userId: string): number
  /** Deletes what is kept about an address that no longer has an account. */
  forgetAddress(email: string): void
  /** Puts a person's id in the place of an address in the audit log. */
  forgetEmailInLog(userId: string, email: string): void
}

/** How long the mail about a deletion is worth sending. */
const WANTED_MS = DAY_MS

/** Who deletes an account: it decides the words of the log and of the mail. */
interface Deleter {
  /** Describes the end of a membership of the person. */
  left(storeId: string, details: AuditEvent['details']): AuditEvent
  deleted(details: AuditEvent['details']): AuditEvent
  mail(to: string): Mail
}

export type OwnDataDeletion = ReturnType<typeof createDeletion>

/** Lets people delete their accounts, and the operator those of others. */
export function createDeletion(deps: DeletionDeps) {
  const { people, outbox, record } = deps

  /** Call it in a transaction. @throws ApiError `conflict`. */
  function demandSuccessors({ id, isSuperAdmin }: PersonRow): void {
    const stores = people.listOnlyOwnedStores(id)
    if (stores.length > 0) throw lastOwner(stores)
    if (isSuperAdmin && people.countSuperAdmins() === 1) throw lastSuperAdmin()
  }

  /** Call it in a transaction, once nothing forbids it. */
  function erase({ id, email }: PersonRow, by: Deleter): Deleted {
    const memberships = people.listMemberships(id)
    for (const { storeId, role } of memberships) {
      people.removeMembership(id, storeId)
      // The events without a store no longer show once the person is no member.
      record(by.left(storeId, { role, account_deleted: true }))
    }
    const sessions_ended = deps.endSessions(id)
    deps.forgetAddress(email)
    outbox.forgetRecipient(email)
    record(by.deleted({ sessions_ended }))
    deps.forgetEmailInLog(id, email)
    people.removePerson(id)
    outbox.sendAfterCommit([by.mail(email)], { wantedMs: WANTED_MS })
    return { status: 'deleted', sessions_ended, stores_left: memberships.length }
  }

  return {
    /**
     * Deletes the caller's account with everything that is only about the person, in one transaction. In the audit log the
     * person's id stays, and no name and no address. API keys that the person made stay, without any right.
     *
     * @throws ApiError `validation_error` for another address than the caller's, `conflict` for the last owner of a store and
     * for the last super-admin, and all of {@link ReauthenticationService}'s `reauthenticate`.
     */
    async delete(caller: Caller, { email, ...shown }: Deletion): Promise<Deleted> {
      return deps.reauthenticate(caller, shown, (person) => {
        if (normaliseEmail(email) !== person.email) throw notYourAddress()
        demandSuccessors(person)
        return erase(person, {
          left: (storeId, details) => ({ ...describeAct(caller, 'membership.left', details), storeId }),
          deleted: (details) => ({ ...describeAct(caller, 'account.deleted', details), storeId: null }),
          mail: (to) => goodbyeMail(to, deps.baseUrl()),
        })
      })
    },

    /**
     * Deletes the account of somebody for the operator, in the same way.
     *
     * @param confirm the address of the account.
     * @throws ApiError `not_found`, `validation_error` for another address, `conflict` for the only owner of a store and for
     * a super-admin, whose right is taken first: that asks for a password.
     */
    deleteByOperator: (by: Operator, userId: string, confirm: string): Deleted =>
      deps.atomically(() => {
        const person = people.findPerson(userId)
        if (!person) throw notFound('user')
        if (normaliseEmail(confirm) !== person.email) throw notTheirAddress()
        if (person.isSuperAdmin) throw superAdmin()
        const stores = people.listOnlyOwnedStores(userId)
        if (stores.length > 0) throw onlyOwner(stores)
        return erase(person, {
          left: (storeId, details) =>
            describeOperation(by, storeId, 'membership.left', { ...details, user_id: userId }),
          deleted: (details) => describeOperationOn(by, userId, 'account.deleted', details),
          mail: (to) => deletedByOperatorMail(to, deps.baseUrl()),
        })
      }),
  }
}

const goodbyeMail = (to: string, baseUrl: string): Mail => ({
  to,
  subject: 'Your account is deleted',
  text: [
    `Your account at ${baseUrl} is deleted, as you asked with your password. Your sign-ins have ended.`,
    'If this was not you, write to the operator of the service at once.\n',
  ].join('\n\n'),
})

const deletedByOperatorMail = (to: string, baseUrl: string): Mail => ({
  to,
  subject: 'Your account is deleted',
  text: [
    `The operator of ${baseUrl} has deleted your account there. Your sign-ins have ended.`,
    'If you did not expect this, write to the operator of the service.\n',
  ].join('\n\n'),
})

const notTheirAddress = (): ApiError =>
  validationError([
    {
      in: 'body',
      pointer: '/confirm',
      code: 'wrong',
      message: 'must be the e-mail address of the account that is to be deleted',
    },
  ])

const superAdmin = (): ApiError =>
  new ApiError(
    'conflict',
    'This person is a super-admin: take that right away first (PATCH /v1/admin/users/{id} with is_super_admin false, or lookalike user super-admin EMAIL --take-away)',
    { details: { reason: 'super_admin' } },
  )

const onlyOwner = (stores: readonly OwnedStore[]): ApiError =>
  new ApiError(
    'conflict',
    `The person is the only owner of ${stores.map(({ slug }) => slug).join(', ')}: have another member made an owner of each, or delete the store`,
    { details: { reason: 'last_owner', stores } },
  )

const notYourAddress = (): ApiError =>
  validationError([
    { in: 'body', pointer: '/email', code: 'wrong', message: 'must be your own e-mail address' },
  ])

const lastOwner = (stores: readonly OwnedStore[]): ApiError =>
  new ApiError(
    'conflict',
    `You are the only owner of ${stores.map(({ slug }) => slug).join(', ')}: make another member an owner of each, or ask the operator to delete the store`,
    { details: { reason: 'last_owner', stores } },
  )

const lastSuperAdmin = (): ApiError =>
  new ApiError('conflict', 'You are the only super-admin of this install: it needs another one first', {
    details: { reason: 'last_super_admin' },
  })
