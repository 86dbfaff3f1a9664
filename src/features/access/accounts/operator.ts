import type { Clock } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import type { Ids } from '../../../core/ids.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { inviteMail, utcWords } from './mails.ts'
import type { PasswordResetService } from './password-reset.ts'
import type { RegistrationQueries, RegistrationRow } from './registration-queries.ts'
import type { Verified } from './schema.ts'
import type { VerificationService } from './verification.ts'

export interface OperatorDeps {
  people: Pick<PeopleQueries, 'findPersonByEmail'>
  invites: Pick<RegistrationQueries, 'addInvite'>
  verification: Pick<VerificationService, 'verifyByOperator'>
  passwordReset: Pick<PasswordResetService, 'resetByOperator'>
  outbox: Pick<OutboxService, 'post'>
  /** Failed sign-ins by mail address. */
  failures: Pick<Throttle, 'reset'>
  baseUrl(): string
  clock: Clock
  ids: Ids
}

const INVITE_MS = 7 * 24 * 3_600_000
const TOKEN_BYTES = 32

/** 120 bits, in 20 characters. */
const PASSWORD_BYTES = 15

export interface Invitation {
  email: string
  /** What `POST /register` asks for as `invite`; shown this once. */
  token: string
  /** Unix ms. */
  expiresAt: number
  isSent: boolean
}

/** Which open registration of an address is meant; without any of it, the only one. */
export interface RegistrationChoice {
  /** Name of its store. */
  store?: string | undefined
  /** Its id, or the end of it that a list shows. */
  id?: string | undefined
}

/** The operator's commands about people. Every function throws OperatorError. */
export function operatorService({ people, clock, ids, ...deps }: OperatorDeps) {
  function userOf(email: string) {
    const user = people.findPersonByEmail(addressOf(email))
    if (!user) throw new OperatorError(`${email} has no account`)
    return user
  }

  return {
    /** Activates a registration of an address, as its link would. Of several, exactly one must fit the choice. */
    verify(email: string, choice: RegistrationChoice = {}): Verified {
      const address = addressOf(email)
      if (choice.id !== undefined && !ID_END.test(choice.id)) {
        throw wrongInput(
          `An id has at least ${ID_CHARS} characters, which are digits, letters a-f and dashes`,
        )
      }
      const verified = deps.verification.verifyByOperator(address, (open) => chosenOf(open, address, choice))
      if (!verified) throw new OperatorError(`${address} has an account already`)
      return verified
    },

    /** Lets an address register once within 7 days where registering takes an invitation, and mails it the token. */
    async invite(email: string): Promise<Invitation> {
      const address = addressOf(email)
      if (people.findPersonByEmail(address)) throw new OperatorError(`${address} has an account already`)
      const token = ids.secret(TOKEN_BYTES)
      const createdAt = clock.now()
      const expiresAt = createdAt + INVITE_MS
      deps.invites.addInvite({ tokenHash: hashSecret(token), email: address, createdAt, expiresAt })
      const isSent = await deps.outbox.post(inviteMail(address, token, deps.baseUrl()), {
        wantedMs: INVITE_MS,
      })
      return { email: address, token, expiresAt, isSent }
    },

    /**
     * Sets a person's password and ends all their sign-ins.
     *
     * @param password by default a random one. @returns the password, when it was made here.
     */
    async resetPassword(email: string, password?: string): Promise<string | undefined> {
      const user = userOf(email)
      if (password !== undefined) {
        const problem = await findPasswordProblem(password, user)
        if (problem) throw wrongInput(`The password ${problem.message}`)
      }
      const made = password === undefined ? ids.secret(PASSWORD_BYTES) : undefined
      await deps.passwordReset.resetByOperator(user, password ?? (made as string))
      return made
    },

    /** Forgets a person's failed sign-ins, so that the person may try again at once. */
    unlock: (email: string): void => deps.failures.reset(userOf(email).email),
  }
}

/** Characters that tell registrations of one address apart: the end of an id is random, the start is the time. */
const ID_CHARS = 8
const ID_END = /^[0-9a-f-]{8,36}$/i

/** The registration that is meant: any other would let in whoever registered a stranger's address. */
function chosenOf(open: RegistrationRow[], address: string, { store, id }: RegistrationChoice) {
  if (open.length === 0) throw new OperatorError(`${address} has not registered within the last 24 hours`)
  const fitting = open.filter(
    (row) =>
      (store === undefined || row.storeName === store.trim()) &&
      (id === undefined || row.id.endsWith(id.toLowerCase())),
  )
  const [only] = fitting
  if (only && fitting.length === 1) return only
  const isChosen = store !== undefined || id !== undefined
  throw new OperatorError(`${refusalOf(address, isChosen, fitting.length, open.length)}\n${listOf(open)}`)
}

function refusalOf(address: string, isChosen: boolean, fitting: number, open: number): string {
  const remedy = 'Ask which is meant, and choose it with --id or --store:'
  if (!isChosen) return `${address} has ${open} open registrations. ${remedy}`
  if (fitting === 0) return `None of the open registrations of ${address} fits. ${remedy}`
  return `${fitting} of the open registrations of ${address} fit. ${remedy}`
}

const listOf = (open: RegistrationRow[]): string =>
  open
    .map(({ id, createdAt, storeName }) =>
      ['', id.slice(-ID_CHARS), utcWords(createdAt).join(' '), JSON.stringify(storeName)].join('  '),
    )
    .join('\n')

function addressOf(email: string): string {
  const address = normaliseEmail(email)
  if (!address) throw wrongInput(`The e-mail address ${EMAIL_FAULT.message}`)
  return address
}
