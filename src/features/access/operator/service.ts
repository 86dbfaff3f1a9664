import type { Caller } from '../../../core/actor.ts'
import { describeOperation, describeOperationOn, type Operator } from '../../../core/audit.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { findEmailFault, normaliseEmail } from '../../../core/email.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { formatUtc } from '../../../core/mail-text.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { OwnDataDeletion } from '../own-data/deletion.ts'
import type { Deleted } from '../own-data/schema.ts'
import type { PasswordResetService, SentLink } from '../password-reset/service.ts'
import type { ShownCredentials } from '../reauthentication/schema.ts'
import type { ReauthenticationService } from '../reauthentication/service.ts'
import type { RegistrationQueries, RegistrationRow } from '../registration/queries.ts'
import type { Verified } from '../registration/schema.ts'
import type { VerificationService } from '../registration/verification.ts'
import { inviteMail, superAdminMail } from './mails.ts'

export interface OperatorDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'baseUrl'> {
  people: Pick<
    PeopleQueries,
    | 'findPerson'
    | 'findPersonByEmail'
    | 'provePerson'
    | 'isProven'
    | 'setSuperAdmin'
    | 'countSuperAdmins'
    | 'listSuperAdmins'
  >
  deletion: Pick<OwnDataDeletion, 'deleteByOperator'>
  /** Asks a signed-in person for password and code. */
  reauthenticate: ReauthenticationService['reauthenticate']
  registration: Pick<RegistrationQueries, 'addInvite'> & Pick<VerificationService, 'verifyByOperator'>
  passwordReset: Pick<PasswordResetService, 'resetByOperator' | 'sendLinkByOperator'>
  outbox: Pick<OutboxService, 'post' | 'sendAfterCommit'>
  /** Resets the count of an address's failed sign-ins. */
  forgiveFailures(email: string): void
  /** Ends every sign-in of a person. @returns how many ended. */
  endSessions(userId: string): number
}

const INVITE_MS = 7 * DAY_MS
const TOKEN_BYTES = 32

/** Super-admins who learn by mail of another one, besides the person. */
const TOLD_MAX = 20

/** Who is named in mails for what happens at the command line. */
const AT_COMMAND_LINE = 'Somebody at the command line of the server'

/** 120 bits, in 20 characters. */
const PASSWORD_BYTES = 15

export interface Invitation {
  email: string
  /** `invite` of `POST /register`; shown only this once. */
  token: string
  /** Unix ms. */
  expiresAt: number
  isSent: boolean
}

/** Chooses among the open registrations of an address. An empty choice means the only one. */
export interface RegistrationChoice {
  /** Name of its store. */
  store?: string | undefined
  /** Its id, or the end of the id as the list shows it. */
  id?: string | undefined
}

export type OperatorService = ReturnType<typeof operatorService>

/** The operator's commands about people. Every function may throw OperatorError. */
export function operatorService({ people, clock, ids, ...deps }: OperatorDeps) {
  function findUser(email: string) {
    const user = people.findPersonByEmail(parseAddress(email))
    if (!user) throw new OperatorError(`${email} has no account`)
    return user
  }

  /** Call it in a transaction. @param by who is named to those who learn of it. @returns false if nothing has changed. */
  function changeRight(person: PersonRow, isSuperAdmin: boolean, operator: Operator, by: string): boolean {
    const { id, email } = person
    if (person.isSuperAdmin === isSuperAdmin) return false
    if (!isSuperAdmin && people.countSuperAdmins() === 1) throw lastSuperAdmin()
    if (isSuperAdmin && !people.isProven(id)) throw notProven()
    const told = new Set([email, ...people.listSuperAdmins(TOLD_MAX).map((other) => other.email)])
    people.setSuperAdmin(id, isSuperAdmin)
    deps.record(
      describeOperationOn(operator, id, 'account.super_admin_changed', { is_super_admin: isSuperAdmin }),
    )
    const change = { email, isSuperAdmin, by, baseUrl: deps.baseUrl() }
    deps.outbox.sendAfterCommit([...told].map((to) => superAdminMail(to, change)))
    return true
  }

  return {
    /** Activates a registration of an address, as its link would. Exactly one registration must match the choice. */
    verify(email: string, choice: RegistrationChoice = {}, by: Operator = null): Verified {
      const address = parseAddress(email)
      if (choice.id !== undefined && !ID_END.test(choice.id)) {
        throw wrongInput(`An id has at least ${ID_CHARS} characters: digits, letters a-f and dashes`)
      }
      const verified = deps.registration.verifyByOperator(
        address,
        (open) => chooseRegistration(open, address, choice),
        by,
      )
      if (!verified) throw new OperatorError(`${address} already has an account`)
      return verified
    },

    /**
     * Vouches for an address at the command line: activates its registration, or lets its account count as proven.
     *
     * @returns the store of the registration.
     */
    vouch(email: string, choice: RegistrationChoice): Verified['slug'] | undefined {
      const account = people.findPersonByEmail(parseAddress(email))
      if (!account || people.isProven(account.id)) return this.verify(email, choice).slug
      this.prove(email, null)
      return undefined
    },

    /** Lets an address register once within 7 days where registration is by invitation, and mails it the token. */
    async invite(email: string, by: Operator = null): Promise<Invitation> {
      const address = parseAddress(email)
      const token = ids.secret(TOKEN_BYTES)
      const createdAt = clock.now()
      const expiresAt = createdAt + INVITE_MS
      deps.atomically(() => {
        if (people.findPersonByEmail(address)) throw new OperatorError(`${address} already has an account`)
        deps.registration.addInvite({ tokenHash: hashSecret(token), email: address, createdAt, expiresAt })
        deps.record(describeOperation(by, null, 'account.invited', { email: address }))
      })
      const isSent = await deps.outbox.post(inviteMail(address, token, deps.baseUrl()), {
        wantedMs: INVITE_MS,
      })
      return { email: address, token, expiresAt, isSent }
    },

    /**
     * Sets a person's password and ends all their sign-ins.
     *
     * @param password by default a random one. @returns the password, if it was generated here.
     */
    async resetPassword(email: string, password?: string): Promise<string | undefined> {
      const user = findUser(email)
      if (password !== undefined) {
        const problem = await findPasswordProblem(password, user)
        if (problem) throw wrongInput(`The password ${problem.message}`)
      }
      const generated = password === undefined ? ids.secret(PASSWORD_BYTES) : undefined
      await deps.passwordReset.resetByOperator(user, password ?? (generated as string))
      return generated
    },

    /** Mails a link for a new password, or gives it where no mail leaves. */
    sendResetLink: (email: string, by: Operator): Promise<SentLink> =>
      deps.passwordReset.sendLinkByOperator(findUser(email), by),

    /** Vouches that mailbox and password of an account belong to one person. @returns false if that was known. */
    prove: (email: string, by: Operator): boolean =>
      deps.atomically(() => {
        const { id } = findUser(email)
        const isNew = people.provePerson(id, clock.now())
        if (isNew) deps.record(describeOperationOn(by, id, 'account.proven'))
        return isNew
      }),

    /** Deletes a person's count of failed sign-ins, so that the person may try again at once. */
    unlock: (email: string, by: Operator = null): void =>
      deps.atomically(() => {
        const user = findUser(email)
        deps.forgiveFailures(user.email)
        deps.record(describeOperationOn(by, user.id, 'account.unlocked'))
      }),

    /** Ends every sign-in of a person. @returns how many ended. */
    endSessions: (email: string, by: Operator = null): number =>
      deps.atomically(() => {
        const { id } = findUser(email)
        const ended = deps.endSessions(id)
        if (ended > 0) deps.record(describeOperationOn(by, id, 'session.ended', { ended }))
        return ended
      }),

    /**
     * Makes a person a super-admin, or takes that right away, for a super-admin who shows password and code. All super-admins
     * and the person learn of it by mail.
     *
     * @throws ApiError `not_found`, `conflict` for the last super-admin and for an account that nobody has proven, and all of
     * {@link ReauthenticationService}'s `reauthenticate`.
     */
    setSuperAdmin: (by: Caller, id: string, isSuperAdmin: boolean, shown: ShownCredentials): Promise<void> =>
      deps.reauthenticate(by, shown, (operator) => {
        const person = people.findPerson(id)
        if (!person) throw notFound('user')
        changeRight(person, isSuperAdmin, by, operator.email)
      }),

    /**
     * Does the same at the command line, where nobody is asked for a password. @returns false if nothing has changed.
     *
     * @throws ApiError `conflict`, as `setSuperAdmin` does.
     */
    setSuperAdminAtCommandLine: (email: string, isSuperAdmin: boolean): boolean =>
      deps.atomically(() => {
        const { id } = findUser(email)
        const person = people.findPerson(id)
        return person !== undefined && changeRight(person, isSuperAdmin, null, AT_COMMAND_LINE)
      }),

    /** Deletes an account. @throws ApiError `conflict` for the only owner of a store and for a super-admin. */
    deleteAccount(email: string, confirm: string): Deleted {
      const user = findUser(email)
      if (normaliseEmail(confirm) !== user.email)
        throw wrongInput('The address after --confirm is another one than that of the account')
      return deps.deletion.deleteByOperator(null, user.id, confirm)
    },
  }
}

const lastSuperAdmin = () =>
  new ApiError('conflict', 'This is the only super-admin of this install: it needs another one first', {
    details: { reason: 'last_super_admin' },
  })

const notProven = () =>
  new ApiError(
    'conflict',
    'Nobody has shown yet that this account belongs to the owner of its mailbox. Have the person set a new password by mail, or vouch for them (POST /v1/admin/users/{id}/verify, or lookalike user verify EMAIL)',
    { details: { reason: 'not_proven' } },
  )

/** Length of the random end of an id, which tells registrations of one address apart. An id starts with the time. */
const ID_CHARS = 8
const ID_END = /^[0-9a-f-]{8,36}$/i

/** Any other registration than the chosen one could let in a stranger who registered someone else's address. */
function chooseRegistration(open: RegistrationRow[], address: string, { store, id }: RegistrationChoice) {
  if (open.length === 0) throw new OperatorError(`${address} has not registered in the last 24 hours`)
  const matching = open.filter(
    (row) =>
      (store === undefined || row.storeName === store.trim()) &&
      (id === undefined || row.id.endsWith(id.toLowerCase())),
  )
  const [only] = matching
  if (only && matching.length === 1) return only
  const isChosen = store !== undefined || id !== undefined
  throw new OperatorError(
    `${describeRefusal(address, isChosen, matching.length, open.length)}\n${formatRegistrations(open)}`,
  )
}

function describeRefusal(address: string, isChosen: boolean, matching: number, open: number): string {
  const remedy = 'Ask the person which one to activate, and choose it with --id or --store:'
  if (!isChosen) return `${address} has ${open} open registrations. ${remedy}`
  if (matching === 0) return `No open registration of ${address} matches. ${remedy}`
  return `${matching} of the open registrations of ${address} match. ${remedy}`
}

const formatRegistrations = (open: RegistrationRow[]): string =>
  open
    .map(({ id, createdAt, storeName }) =>
      ['', id.slice(-ID_CHARS), formatUtc(createdAt).join(' '), JSON.stringify(storeName)].join('  '),
    )
    .join('\n')

function parseAddress(email: string): string {
  const address = normaliseEmail(email)
  if (!address) throw wrongInput(`The e-mail address ${findEmailFault(email)}`)
  return address
}
