import type { Clock } from '../../core/clock.ts'
import type { Ids } from '../../core/ids.ts'
import type { Throttle } from '../../core/throttle.ts'
import type { OutboxService } from '../outbox/service.ts'
import { EMAIL_FAULT, normaliseEmail } from './email.ts'
import { inviteMail } from './mails.ts'
import type { PasswordResetService } from './password-reset.ts'
import type { PasswordRule } from './password-rule.ts'
import type { AccountQueries } from './queries.ts'
import type { RegistrationService } from './registration.ts'
import type { RegistrationQueries } from './registration-queries.ts'
import type { Verified } from './schema.ts'
import { SetupError, wrongInput } from './service.ts'

export interface OperatorDeps {
  accounts: Pick<AccountQueries, 'userByEmail'>
  invites: Pick<RegistrationQueries, 'addInvite'>
  registration: Pick<RegistrationService, 'verifyByOperator'>
  passwordReset: Pick<PasswordResetService, 'resetByOperator'>
  passwordRule: PasswordRule
  outbox: Pick<OutboxService, 'post'>
  /** Failed sign-ins by mail address. */
  failures: Pick<Throttle, 'reset'>
  hashSecret(secret: string): Buffer
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

export type OperatorService = ReturnType<typeof operatorService>

/** What the operator does for people at the command line. Every function throws SetupError in words for him. */
export function operatorService({ accounts, clock, ids, ...deps }: OperatorDeps) {
  function userOf(email: string) {
    const user = accounts.userByEmail(addressOf(email))
    if (!user) throw new SetupError(`${email} has no account`)
    return user
  }

  return {
    /** Activates the newest registration of an address, as its link would. */
    verify(email: string): Verified {
      const address = addressOf(email)
      if (accounts.userByEmail(address)) throw new SetupError(`${address} has an account already`)
      const verified = deps.registration.verifyByOperator(address)
      if (!verified) throw new SetupError(`${address} has not registered within the last 24 hours`)
      return verified
    },

    /** Lets an address register once within 7 days where registering takes an invitation, and mails it the token. */
    async invite(email: string): Promise<Invitation> {
      const address = addressOf(email)
      if (accounts.userByEmail(address)) throw new SetupError(`${address} has an account already`)
      const token = ids.secret(TOKEN_BYTES)
      const createdAt = clock.now()
      const expiresAt = createdAt + INVITE_MS
      deps.invites.addInvite({ tokenHash: deps.hashSecret(token), email: address, createdAt, expiresAt })
      const isSent = await deps.outbox.post(inviteMail(address, token, deps.baseUrl()), INVITE_MS)
      return { email: address, token, expiresAt, isSent }
    },

    /**
     * Sets a person's password and ends all his sign-ins.
     *
     * @param password by default a random one. @returns the password, when it was made here.
     */
    async resetPassword(email: string, password?: string): Promise<string | undefined> {
      const user = userOf(email)
      if (password !== undefined) {
        const problem = await deps.passwordRule.problemOf(password, user)
        if (problem) throw wrongInput(`The password ${problem.message}`)
      }
      const made = password === undefined ? ids.secret(PASSWORD_BYTES) : undefined
      await deps.passwordReset.resetByOperator(user, password ?? (made as string))
      return made
    },

    /** Forgets a person's failed sign-ins, so that he may try again at once. */
    unlock: (email: string): void => deps.failures.reset(userOf(email).email),
  }
}

function addressOf(email: string): string {
  const address = normaliseEmail(email)
  if (!address) throw wrongInput(`The e-mail address ${EMAIL_FAULT.message}`)
  return address
}
