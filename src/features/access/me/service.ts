import type { Caller } from '../../../core/actor.ts'
import { PERMISSIONS, STORE_POWERS } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import { notFound, signInFirst } from '../../../core/errors.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import { validationError } from '../../../http/validation.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ReauthenticationService } from '../reauthentication/service.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import { listMovedStores, membershipView } from '../sign-in/schema.ts'
import type { TwoFactorService } from '../two-factor/service.ts'
import type { Me, MePatch, PasswordChange, SessionList, SessionView } from './schema.ts'

export interface MeDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonWithMemberships' | 'setName' | 'setPassword'>
  storeRows: Pick<StoreQueries, 'listMovedOfPerson'>
  sessions: BufferedSessions
  passwords: Pick<PasswordHasher, 'hash'>
  isTwoFactorEnabled: TwoFactorService['isEnabled']
  /** Asks for the current password. */
  reauthenticateByPassword: ReauthenticationService['reauthenticateByPassword']
  /** Ends the links that were mailed to the person earlier: for a new password, and for another e-mail address. */
  forgetLinks(userId: string): void
}

export type MeService = ReturnType<typeof meService>

/** Lets callers see and change their own accounts. */
export function meService(deps: MeDeps) {
  const { people, sessions, clock, passwords, atomically, record } = deps

  /** Finds the person, who may have been deleted in the meantime. @throws ApiError `unauthorized`. */
  function requirePerson({ userId }: Caller): PersonRow {
    const person = userId === null ? undefined : people.findPerson(userId)
    if (!person) throw signInFirst()
    return person
  }

  function requirePersonWithMemberships({ userId }: Caller) {
    const found = userId === null ? undefined : people.findPersonWithMemberships(userId)
    if (!found) throw signInFirst()
    return found
  }

  function buildActiveStore({ store, role }: Caller): Me['active_store'] {
    if (!store) return null
    const { id, slug, name, plan, suspendedAt } = store
    return { client_id: id, slug, name, plan, suspended_at: isoTimeOrNull(suspendedAt), role }
  }

  function buildUserView({ id, email, name, isSuperAdmin }: PersonRow): Me['user'] {
    return { id, email, name, is_super_admin: isSuperAdmin, two_factor_enabled: deps.isTwoFactorEnabled(id) }
  }

  function describe(caller: Caller): Me {
    const found = caller.kind === 'person' ? requirePersonWithMemberships(caller) : undefined
    return {
      user_type: ({ person: 'user', machine: 'client', key: 'api_key' } as const)[caller.kind],
      user: found ? buildUserView(found.person) : null,
      memberships: found ? found.memberships.map(membershipView) : [],
      ...(found && listMovedStores(deps.storeRows, found.person.id)),
      active_store: buildActiveStore(caller),
      permissions: PERMISSIONS.filter((permission) => caller.permissions.has(permission)),
      powers: STORE_POWERS.filter((power) => caller.powers.has(power)),
      expires_at: caller.token ? isoTime(caller.token.exp * 1000) : null,
    }
  }

  return {
    /** Describes the caller, the active store and the caller's rights there. */
    describe,

    /** PATCH /v1/me: another name. */
    change(caller: Caller, { full_name }: MePatch): Me {
      atomically(() => {
        const { id, name } = requirePerson(caller)
        const after = full_name?.trim() ?? name
        if (after === name) return
        people.setName(id, after)
        record({ ...describeAct(caller, 'account.renamed'), storeId: null })
      })
      return describe(caller)
    },

    /** Lists the sign-ins of a person, the last used first. */
    listSessions(caller: Caller): SessionList {
      const rows = sessions.listSessions(requirePerson(caller).id, clock.now())
      const views = rows.map((row) => buildSessionView(row, caller.token?.sessionId))
      return { sessions: views, count: views.length }
    },

    /** Ends one sign-in of the caller. Its token is refused from the next request on. @throws ApiError `not_found`. */
    endSession(caller: Caller, id: string): { status: 'ended'; id: string } {
      const { id: userId } = requirePerson(caller)
      const isEnded = atomically(() => {
        if (!sessions.endSession(id, userId)) return false
        record({ ...describeAct(caller, 'session.ended', { session_id: id }), storeId: null })
        return true
      })
      if (!isEnded) throw notFound('session')
      return { status: 'ended', id }
    },

    /** Ends every other sign-in of the caller. */
    endOtherSessions(caller: Caller): { status: 'ended'; ended: number } {
      const { id: userId } = requirePerson(caller)
      const ended = atomically(() => {
        const count = sessions.endSessions(userId, caller.token?.sessionId ?? null)
        if (count > 0) record({ ...describeAct(caller, 'session.ended', { ended: count }), storeId: null })
        return count
      })
      return { status: 'ended', ended }
    },

    /**
     * Changes the password of a person who knows the current one. Their other sign-ins end.
     *
     * @throws ApiError `validation_error` for a wrong current or a weak new password, `too_many_requests` after five wrong
     * ones.
     */
    changePassword: (caller: Caller, { current_password, new_password }: PasswordChange) =>
      deps.reauthenticateByPassword(
        caller,
        { password: current_password, pointer: '/current_password' },
        {
          // Checked first, so that no answer confirms a current password without an attempt to write.
          async check({ email }) {
            const problem = await findPasswordProblem(new_password, { email }, '/new_password')
            if (problem) throw validationError([problem])
          },
          prepare: () => passwords.hash(new_password),
          act({ id }, hash: string) {
            people.setPassword(id, hash, clock.now())
            deps.forgetLinks(id)
            const ended = sessions.endSessions(id, caller.token?.sessionId ?? null)
            record({ ...describeAct(caller, 'password.changed', { sessions_ended: ended }), storeId: null })
            return { status: 'password_changed' as const, sessions_ended: ended }
          },
        },
      ),
  }
}

const buildSessionView = (row: SessionRow, currentId: string | null | undefined): SessionView => ({
  id: row.id,
  kind: row.jti === null ? 'portal' : 'token',
  created_at: isoTime(row.createdAt),
  last_used_at: isoTime(row.lastUsedAt),
  expires_at: isoTime(row.expiresAt),
  ip_address: row.address,
  user_agent: row.userAgent,
  two_factor: row.amr.includes('otp'),
  is_current: row.id === currentId,
})
