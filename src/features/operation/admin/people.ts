import type { Caller } from '../../../core/actor.ts'
import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import { normaliseEmail } from '../../../core/email.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { OperatorService } from '../../access/operator/service.ts'
import type { OwnDataDeletion } from '../../access/own-data/deletion.ts'
import type { Deleted } from '../../access/own-data/schema.ts'
import type { TwoFactorService } from '../../access/two-factor/service.ts'
import type { Base } from '../../module.ts'
import type { DeleteUserBody, InviteBody, Invited, UserPatch } from './account-schema.ts'
import { createPages } from './pages.ts'
import type { AdminPeopleQueries, AdminUserRow, OpenRegistration } from './people-queries.ts'
import type {
  AdminUser,
  AdminUserList,
  AdminUserQuery,
  RegistrationList,
  RegistrationQuery,
  UserReset,
  UserVerified,
} from './schema.ts'

export interface AdminPeopleDeps extends Pick<Base, 'clock'> {
  queries: AdminPeopleQueries
  operator: Pick<
    OperatorService,
    'verify' | 'invite' | 'prove' | 'sendResetLink' | 'unlock' | 'endSessions' | 'setSuperAdmin'
  >
  deleteByOperator: OwnDataDeletion['deleteByOperator']
  resetTwoFactor: TwoFactorService['reset']
  /** Failed sign-ins by e-mail address. */
  failures: Pick<Throttle, 'peek'>
}

const readUsers = createPages('admin_users')
const readRegistrations = createPages('admin_registrations')

export type AdminPeopleService = ReturnType<typeof adminPeopleService>

/** The people of this service, for super-admins. Every function with an id throws ApiError `not_found`. */
export function adminPeopleService({ queries, operator, failures, clock, ...deps }: AdminPeopleDeps) {
  const view = (row: AdminUserRow): AdminUser => ({
    id: row.id,
    email: row.email,
    full_name: row.name,
    is_super_admin: row.isSuperAdmin,
    is_proven: row.isProven,
    is_locked: !failures.peek(row.email, clock.now()).isAllowed,
    two_factor_enabled: row.hasTwoFactor,
    sign_ins: row.signIns,
    last_login_at: isoTimeOrNull(row.lastSignInAt),
    created_at: isoTime(row.createdAt),
    stores: row.stores,
  })

  function require(id: string): AdminUserRow {
    const row = queries.find(id, clock.now())
    if (!row) throw notFound('user')
    return row
  }

  return {
    read: (id: string): AdminUser => view(require(id)),

    /** @throws ApiError `invalid_cursor`. */
    list({ q, ...page }: AdminUserQuery): AdminUserList {
      const { rows, nextCursor } = readUsers(page, (beforeId, limit) =>
        queries.listPage(q, beforeId, clock.now(), limit),
      )
      return { users: rows.map(view), count: rows.length, next_cursor: nextCursor }
    },

    /** Lists the registrations that wait for their link. @throws ApiError `invalid_cursor`. */
    listRegistrations(page: RegistrationQuery): RegistrationList {
      const { rows, nextCursor } = readRegistrations(page, (beforeId, limit) =>
        queries.listRegistrations(beforeId, clock.now(), limit),
      )
      return { registrations: rows.map(viewRegistration), count: rows.length, next_cursor: nextCursor }
    },

    /**
     * Vouches for a person: activates a registration, or notes that the mailbox and the password of an account belong to
     * one person.
     *
     * @param id of an account or of a registration.
     * @throws ApiError `conflict` for a registration whose address has an account by now.
     */
    verify(by: Caller, id: string): UserVerified {
      const registration = queries.findRegistration(id, clock.now())
      if (!registration) {
        const { email } = require(id)
        return { status: operator.prove(email, by) ? 'verified' : 'already_verified', email, slug: null }
      }
      const { email } = registration
      if (queries.hasAccount(email)) throw new ApiError('conflict', 'The address has an account already')
      const { status, slug } = operator.verify(email, { id }, by)
      return { status, email, slug }
    },

    /**
     * Lets an address register, and mails it the code; where no mail leaves, the answer holds it.
     *
     * @throws ApiError `conflict` for an address that has an account.
     */
    async invite(by: Caller, { email: typed }: InviteBody): Promise<Invited> {
      const address = normaliseEmail(typed) ?? typed
      if (queries.hasAccount(address)) throw new ApiError('conflict', 'The address has an account already')
      const { email, token, expiresAt, isSent } = await operator.invite(address, by)
      return { email, email_sent: isSent, invite: isSent ? null : token, expires_at: isoTime(expiresAt) }
    },

    /**
     * Makes a person a super-admin or takes that right away.
     *
     * @throws ApiError `conflict` for the last super-admin and for an account that nobody has proven, and the codes of the
     * question for the caller's password.
     */
    async change(by: Caller, id: string, { is_super_admin, ...shown }: UserPatch): Promise<AdminUser> {
      await operator.setSuperAdmin(by, id, is_super_admin, shown)
      return view(require(id))
    },

    /** Deletes an account. @throws ApiError `validation_error` for another address, `conflict`. */
    delete: (by: Caller, id: string, { confirm }: DeleteUserBody): Deleted =>
      deps.deleteByOperator(by, id, confirm),

    /** Mails a link for a new password; where no mail leaves, the answer holds it. */
    async reset(by: Caller, id: string): Promise<UserReset> {
      const { link, expiresAt } = await operator.sendResetLink(require(id).email, by)
      return {
        status: 'reset_requested',
        email_sent: link === null,
        reset_url: link,
        expires_at: isoTime(expiresAt),
      }
    },

    /** Deletes the count of failed sign-ins. */
    unlock(by: Caller, id: string): { status: 'unlocked' } {
      operator.unlock(require(id).email, by)
      return { status: 'unlocked' }
    },

    /** Ends every sign-in of a person; their tokens are refused from the next request on. */
    endSessions: (by: Caller, id: string): { status: 'ended'; ended: number } => ({
      status: 'ended',
      ended: operator.endSessions(require(id).email, by),
    }),

    /** Removes the second factor of a person who lost it. */
    resetTwoFactor: (by: Caller, id: string): { status: 'reset' | 'not_enabled' } => ({
      status: deps.resetTwoFactor(require(id).email, by) ? 'reset' : 'not_enabled',
    }),
  }
}

const viewRegistration = ({ id, email, storeName, createdAt, expiresAt }: OpenRegistration) => ({
  id,
  email,
  store_name: storeName,
  created_at: isoTime(createdAt),
  expires_at: isoTime(expiresAt),
})
