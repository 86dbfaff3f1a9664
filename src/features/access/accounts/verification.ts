import type { Trace } from '../../../core/actor.ts'
import type { Atomically, AuditActor, RecordEvent } from '../../../core/audit.ts'
import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { accountOpenMail } from './mails.ts'
import { invalidLink } from './registration.ts'
import type { RegistrationQueries, RegistrationRow } from './registration-queries.ts'
import type { Cancelled, Confirmation, Verified } from './schema.ts'
import { freeSlug } from './slug.ts'

export interface VerificationDeps {
  queries: RegistrationQueries
  stores: Pick<StoreQueries, 'findStore' | 'findStoreBySlug' | 'addStore'>
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'addPerson' | 'addMembership' | 'provePerson'>
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  /** Of a store that registers. */
  plan: PlanName
  verifyPassword(hash: string | undefined, password: string, network?: string): Promise<boolean>
  /** A link that sets a person's password, for a mail; to be called in a transaction. */
  newPasswordLink(userId: string, lifeMs: number, takesOver: boolean): string
  /** Runs work of one key in order. */
  locked<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  schedule(callback: () => void, delayMs: number): void
  baseUrl(): string
  clock: Clock
  ids: Ids
  log: { error(fields: Record<string, unknown>, message: string): void }
  atomically: Atomically
  /** Commits without waiting for the disk. */
  unsynced<Result>(write: () => Result): Result
  record: RecordEvent
}

const CLIENT_SECRET_BYTES = 32

/** Life of the link for a new password in the mail about a new account. */
const NEW_PASSWORD_LINK_MS = 24 * 3_600_000

/** What a link of a registration leads to, while it works. */
interface Link {
  row: RegistrationRow
  /** Of the account, if the link was used; otherwise the one that was chosen at registration. */
  passwordHash: string
  /** What came of it, if it was used. */
  made: { userId: string; slug: string } | undefined
}

/** Who activates. */
interface Activation {
  actorKind: AuditActor
  /** Null at the command line. */
  trace: Trace | null
  /** Whether mailbox and password are known to belong to one person. */
  isProven: boolean
}

export type VerificationService = ReturnType<typeof verificationService>

/**
 * What the link of a registration does. Anybody can register anybody's address, so a link alone proves the mailbox and
 * not the person: the account becomes a proven one when link and password come together.
 */
export function verificationService(deps: VerificationDeps) {
  const { queries, stores, people, outbox, clock, ids, atomically, record } = deps

  function linkOf(tokenHash: Buffer): Link | undefined {
    const row = queries.byToken(tokenHash)
    if (!row || row.wrongPasswords >= LIMITS.passwordsPerLinkMax) return undefined
    const user = people.findPersonByEmail(row.email)
    const store = row.storeId ? stores.findStore(row.storeId) : undefined
    if (store && user)
      return { row, passwordHash: user.passwordHash, made: { userId: user.id, slug: store.slug } }
    if (row.usedAt !== null || row.expiresAt <= clock.now() || user) return undefined
    return { row, passwordHash: row.passwordHash, made: undefined }
  }

  /** Makes user, store and ownership out of a registration, and a mail about it; to be called in a transaction. */
  function activate(row: RegistrationRow, { actorKind, trace, isProven }: Activation) {
    const now = clock.now()
    const userId = ids.uuid()
    const storeId = ids.uuid()
    const slug = freeSlug(row.storeName, (slug) => !stores.findStoreBySlug(slug), ids.uuid)
    // Nobody has seen this secret: the owner makes one when it is needed.
    const clientSecretHash = hashSecret(ids.secret(CLIENT_SECRET_BYTES))
    const store = {
      id: storeId,
      slug,
      name: row.storeName,
      plan: deps.plan,
      clientSecretHash,
      createdAt: now,
    }
    stores.addStore(store)
    people.addPerson({
      id: userId,
      email: row.email,
      name: row.email.split('@', 1)[0] ?? row.email,
      passwordHash: row.passwordHash,
      isSuperAdmin: false,
      provenAt: isProven ? now : null,
      createdAt: now,
    })
    people.addMembership(userId, storeId, 'owner', now)
    if (!queries.use(row.id, storeId, now)) throw new Error('The registration was used meanwhile')
    queries.forgetOpen(row.email)
    const who = { actorKind, storeId, userId, keyId: null, trace }
    record({ ...who, action: 'account.verified', details: { email: row.email, proven: isProven } })
    record({ ...who, action: 'store.created', details: { slug, plan: deps.plan } })
    const link = deps.newPasswordLink(userId, NEW_PASSWORD_LINK_MS, true)
    const mail = accountOpenMail(row.email, link, deps.baseUrl())
    const mailId = outbox.write(mail, { wantedMs: NEW_PASSWORD_LINK_MS })
    return { verified: verifiedOf('verified', slug), mailId }
  }

  /** Sends the mail about a new account, after the answer. */
  const deliverLater = (mailId: string): void =>
    deps.schedule(
      () =>
        outbox
          .deliver(mailId)
          .catch((err) => deps.log.error({ err, mail_id: mailId }, 'the mail about an account was not sent')),
      0,
    )

  function open(row: RegistrationRow, activation: Activation): Verified {
    const { verified, mailId } = activate(row, activation)
    deliverLater(mailId)
    return verified
  }

  /** Notes that link and password came together, which a sign-in alone does not show. */
  function prove(userId: string, trace: Trace): void {
    if (!people.provePerson(userId, clock.now())) return
    const who = { actorKind: 'anyone', storeId: null, userId, keyId: null, trace } as const
    record({ ...who, action: 'account.proven', details: {} })
  }

  async function confirmOnce(tokenHash: Buffer, password: string, trace: Trace): Promise<Verified> {
    const link = linkOf(tokenHash)
    const isRight = await deps.verifyPassword(link?.passwordHash, password, networkKey(trace.address))
    if (!link) throw notConfirmed()
    if (!isRight) {
      // Waiting for the disk would tell a link that exists from one that does not.
      deps.unsynced(() => queries.countWrong(link.row.id))
      throw notConfirmed()
    }
    return atomically(() => {
      // Hashing took a while: meanwhile a program may have opened the link, or the password have been changed.
      const now = linkOf(tokenHash)
      if (now?.passwordHash !== link.passwordHash) throw notConfirmed()
      if (!now.made) return open(now.row, { actorKind: 'anyone', trace, isProven: true })
      prove(now.made.userId, trace)
      return verifiedOf('already_verified', now.made.slug)
    })
  }

  return {
    /**
     * Activates the account of a link whose reader shows the password that was chosen at registration (POST /verify). Of
     * a link that was used it says so, and the account is proven from then on. The fifth wrong password ends the link.
     *
     * @throws ApiError `overloaded`, and `unauthorized` in the same words and after the same work
     * for a wrong password and for any link that does not work.
     */
    async confirm({ token, password }: Confirmation, trace: Trace): Promise<Verified> {
      const tokenHash = hashSecret(token)
      // One at a time for each link: of many guesses at once, no more than five are looked at.
      return deps.locked(tokenHash.toString('hex'), () => confirmOnce(tokenHash, password, trace))
    },

    /**
     * Activates the account of a link for a program (GET /verify); a link that was used says so for a while. It gives no
     * secrets away, and the account is not proven.
     *
     * @throws ApiError `unauthorized` for any link that does not work.
     */
    verify: (token: string, trace: Trace): Verified =>
      atomically(() => {
        const link = linkOf(hashSecret(token))
        if (!link) throw invalidLink()
        if (link.made) return verifiedOf('already_verified', link.made.slug)
        return open(link.row, { actorKind: 'anyone', trace, isProven: false })
      }),

    /** What {@link verify} would say of a link, without doing it. @throws ApiError `unauthorized`. */
    check(token: string): Verified {
      const link = linkOf(hashSecret(token))
      if (!link) throw invalidLink()
      if (link.made) return verifiedOf('already_verified', link.made.slug)
      const slug = freeSlug(link.row.storeName, (free) => !stores.findStoreBySlug(free), ids.uuid)
      return verifiedOf('verified', slug)
    },

    /**
     * Deletes every open registration of the address that a link was mailed to (POST /verify/cancel). An account that is
     * open already stays. The answer is the same for links that do not exist.
     */
    cancel(token: string): Cancelled {
      const row = queries.byToken(hashSecret(token))
      if (row) queries.forgetOpen(row.email)
      return { status: 'cancelled' }
    },

    /**
     * Activates an open registration of an address for the operator, who vouches for it. The mail about it leaves with
     * the next look of the service at its outbox.
     *
     * @param choose picks one, of the oldest first; it may throw. @returns undefined when the address has an account.
     */
    verifyByOperator: (
      email: string,
      choose: (open: RegistrationRow[]) => RegistrationRow,
    ): Verified | undefined =>
      atomically(() => {
        if (people.findPersonByEmail(email)) return undefined
        const row = choose(queries.open(email, clock.now()))
        return activate(row, { actorKind: 'operator', trace: null, isProven: true }).verified
      }),
  }
}

const verifiedOf = (status: Verified['status'], slug: string): Verified => ({
  status,
  slug,
  redirect: `/${slug}/portal`,
})

/** One answer for a wrong password and for every link that does not work. */
const notConfirmed = (): ApiError =>
  new ApiError(
    'unauthorized',
    `The link does not work, or this is not the password that was chosen at registration. A link ends after ${LIMITS.passwordsPerLinkMax} wrong passwords; register again to get a new one`,
  )
