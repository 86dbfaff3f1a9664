import type { ClientInfo } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { invalidLink } from '../../../core/mailed-link.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { changedMail } from './mails.ts'
import type { EmailChangeQueries, EmailChangeRow } from './queries.ts'
import type { EmailConfirmation, EmailStep } from './schema.ts'

export interface EmailLinkDeps
  extends Pick<Base, 'clock' | 'atomically' | 'withoutFsync' | 'record' | 'baseUrl'> {
  queries: EmailChangeQueries
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonByEmail' | 'setEmail' | 'provePerson'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  verifyPassword: PasswordHasher['verify']
  /** Ends a person's sign-ins except one. @returns how many ended. */
  endOtherSessions(userId: string, keptSessionId: string | null): number
  /** Ends the links for a new password that were mailed to the former address. */
  forgetResetLinks(userId: string): void
  /** Deletes the registrations of the former address, and the open ones of the new address. */
  forgetRegistrations(before: string, after: string): void
  /** Puts a person's id in the place of an address in the audit log. */
  forgetEmailInLog(userId: string, email: string): void
  /** Runs the work of one key in order. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/** How a step ended; `taken` if somebody has got an account with the new address meanwhile. */
type Outcome = EmailStep | 'taken'

export type EmailLinks = ReturnType<typeof createEmailLinks>

/**
 * Changes the e-mail address of an account once both addresses agree: the present one by a link, the new one by a link and
 * the password, so that mailbox and password are known to belong to one person afterwards.
 */
export function createEmailLinks(deps: EmailLinkDeps) {
  const { queries, people, outbox, clock, atomically, record } = deps

  /** Gives the account its new address, which both mailboxes want. Call it in a transaction. */
  function apply(
    { userId, newEmail, sessionId }: EmailChangeRow,
    before: string,
    clientInfo: ClientInfo,
  ): Outcome {
    const now = clock.now()
    people.setEmail(userId, newEmail)
    // Its mailbox and the password came together.
    people.provePerson(userId, now)
    queries.forget(userId)
    deps.forgetResetLinks(userId)
    deps.forgetRegistrations(before, newEmail)
    const sessions_ended = deps.endOtherSessions(userId, sessionId)
    deps.forgetEmailInLog(userId, before)
    const who = { actorKind: 'anyone', storeId: null, userId, keyId: null, clientInfo } as const
    record({ ...who, action: 'account.email_changed', details: { sessions_ended } })
    outbox.sendAfterCommit([changedMail(before, newEmail, deps.baseUrl(), now)])
    return { status: 'email_changed' }
  }

  /** Goes on after one of the addresses has agreed. Call it in a transaction. */
  function proceed(userId: string, clientInfo: ClientInfo): Outcome {
    const row = queries.findByPerson(userId, clock.now())
    const person = people.findPerson(userId)
    if (!row || !person) throw invalidLink()
    if (row.confirmedAt === null) return { status: 'waiting' }
    // Only a reader of the new mailbox gets here, and may learn that its address has an account.
    if (people.findPersonByEmail(row.newEmail)) {
      queries.forget(userId)
      return 'taken'
    }
    return row.approvedAt === null ? { status: 'waiting' } : apply(row, person.email, clientInfo)
  }

  function finish(outcome: Outcome): EmailStep {
    if (outcome === 'taken') throw addressTaken()
    return outcome
  }

  function findConfirmation(tokenHash: Buffer) {
    const row = queries.findByConfirmToken(tokenHash, clock.now())
    const person = row && row.wrongPasswords < LIMITS.passwordsPerLinkMax && people.findPerson(row.userId)
    return person ? { row, person } : undefined
  }

  async function confirmOnce(
    tokenHash: Buffer,
    password: string,
    clientInfo: ClientInfo,
  ): Promise<EmailStep> {
    const found = findConfirmation(tokenHash)
    const isRight = await deps.verifyPassword(
      found?.person.passwordHash,
      password,
      networkKey(clientInfo.address),
    )
    if (!found) throw notConfirmed()
    if (!isRight) {
      // Waiting for the disk would reveal whether the link exists.
      deps.withoutFsync(() => queries.countWrong(found.row.userId))
      throw notConfirmed()
    }
    const outcome = atomically(() => {
      // While the password was hashed, the request may have been cancelled, or the password changed.
      const now = findConfirmation(tokenHash)
      if (now?.person.passwordHash !== found.person.passwordHash) throw notConfirmed()
      queries.confirm(now.row.userId, clock.now())
      return proceed(now.row.userId, clientInfo)
    })
    return finish(outcome)
  }

  return {
    /**
     * The present address agrees (POST /verify/email/approve).
     *
     * @throws ApiError `unauthorized` for any link that does not work; `conflict` if somebody has got an account with the
     * new address since its owner confirmed it.
     */
    approve(token: string, clientInfo: ClientInfo): EmailStep {
      const outcome = atomically(() => {
        const row = queries.findByApproveToken(hashSecret(token), clock.now())
        if (!row) throw invalidLink()
        queries.approve(row.userId, clock.now())
        return proceed(row.userId, clientInfo)
      })
      return finish(outcome)
    },

    /**
     * The new address agrees (POST /verify/email). The fifth wrong password ends the link.
     *
     * @throws ApiError `overloaded`; `conflict` if somebody has got an account with the address meanwhile; `unauthorized` for
     * a wrong password and for any link that does not work: both get the same words after the same work.
     */
    async confirm({ token, password }: EmailConfirmation, clientInfo: ClientInfo): Promise<EmailStep> {
      const tokenHash = hashSecret(token)
      // One at a time for each link: of many guesses at once, at most five are checked.
      return deps.inTurn(tokenHash.toString('hex'), () => confirmOnce(tokenHash, password, clientInfo))
    },
  }
}

const addressTaken = (): ApiError =>
  new ApiError(
    'conflict',
    'Somebody has an account with this e-mail address by now: nothing has changed. Ask for another address',
  )

/** The same answer for a wrong password and for every link that does not work. */
const notConfirmed = (): ApiError =>
  new ApiError(
    'unauthorized',
    `The link does not work, or this is not the password of the account. A link ends after ${LIMITS.passwordsPerLinkMax} wrong passwords; ask for the change again to get a new one`,
  )
