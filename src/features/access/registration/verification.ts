import type { ClientInfo } from '../../../core/actor.ts'
import { type AuditActor, type AuditEvent, nameOperator, type Operator } from '../../../core/audit.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { invalidLink } from '../../../core/mailed-link.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import { accountOpenMail } from './mails.ts'
import type { RegistrationQueries, RegistrationRow } from './queries.ts'
import type { Cancelled, Confirmation, Verified } from './schema.ts'

export interface VerificationDeps
  extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'withoutFsync' | 'record' | 'baseUrl'> {
  queries: RegistrationQueries
  storeRows: Pick<StoreQueries, 'findStore'>
  stores: Pick<StoreService, 'create' | 'chooseSlug'>
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'addPerson' | 'provePerson'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Plan of a store that registers. */
  plan: PlanName
  verifyPassword(hash: string | undefined, password: string, network?: string): Promise<boolean>
  /** Creates a link that sets a person's password, for a mail. Call it in a transaction. */
  createPasswordLink(userId: string, lifeMs: number, revokesOnReset: boolean): string
  /** Runs the work of one key in order. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/** Life of the link for a new password in the mail about a new account. */
const NEW_PASSWORD_LINK_MS = DAY_MS

/** The registration behind a link that works. */
interface Link {
  row: RegistrationRow
  /** Of the account if the link was used; otherwise of the password chosen at registration. */
  passwordHash: string
  /** The account and store that the link created, if it was used. */
  created: { userId: string; slug: string } | undefined
}

/** The actor that activates an account. */
interface Activation {
  actorKind: AuditActor
  /** Null at the command line. */
  clientInfo: ClientInfo | null
  /** Whether mailbox and password are known to belong to one person. */
  isProven: boolean
  /** More about who did it, for the log. */
  by?: AuditEvent['details']
}

export type VerificationService = ReturnType<typeof verificationService>

/**
 * Handles the links of registrations. Anyone can register anyone's address, so a link alone proves the mailbox but not
 * the person. The account becomes proven when link and password come together.
 */
export function verificationService(deps: VerificationDeps) {
  const { queries, storeRows, stores, people, outbox, clock, ids, atomically, record } = deps

  function findLink(tokenHash: Buffer): Link | undefined {
    const row = queries.findByToken(tokenHash)
    if (!row || row.wrongPasswords >= LIMITS.passwordsPerLinkMax) return undefined
    const user = people.findPersonByEmail(row.email)
    const store = row.storeId ? storeRows.findStore(row.storeId) : undefined
    if (store && user)
      return { row, passwordHash: user.passwordHash, created: { userId: user.id, slug: store.slug } }
    if (row.usedAt !== null || row.expiresAt <= clock.now() || user) return undefined
    return { row, passwordHash: row.passwordHash, created: undefined }
  }

  /** Creates user, store and ownership from a registration, and a mail about them. Call it in a transaction. */
  function activate(row: RegistrationRow, { actorKind, clientInfo, isProven, by }: Activation): Verified {
    const now = clock.now()
    const userId = ids.uuid()
    const storeId = ids.uuid()
    people.addPerson({
      id: userId,
      email: row.email,
      name: row.email.split('@', 1)[0] ?? row.email,
      passwordHash: row.passwordHash,
      isSuperAdmin: false,
      provenAt: isProven ? now : null,
      createdAt: now,
    })
    const who = { actorKind, storeId, userId, keyId: null, clientInfo }
    record({ ...who, action: 'account.verified', details: { email: row.email, proven: isProven, ...by } })
    const wanted = { id: storeId, name: row.storeName, plan: deps.plan, ownerId: userId }
    // Nobody sees the first client secret. The owner makes another one when needed.
    const { store } = stores.create(wanted, (_, action, details) => ({
      ...who,
      action,
      details: { ...details, ...by },
    }))
    if (!queries.use(row.id, storeId, now)) throw new Error('The registration was used in the meantime')
    queries.forgetOpen(row.email)
    const link = deps.createPasswordLink(userId, NEW_PASSWORD_LINK_MS, true)
    const mail = accountOpenMail(row.email, link, deps.baseUrl())
    outbox.sendAfterCommit([mail], { wantedMs: NEW_PASSWORD_LINK_MS })
    return buildVerified('verified', store.slug)
  }

  /** Records that link and password came together, which a sign-in alone does not show. */
  function prove(userId: string, clientInfo: ClientInfo): void {
    if (!people.provePerson(userId, clock.now())) return
    const who = { actorKind: 'anyone', storeId: null, userId, keyId: null, clientInfo } as const
    record({ ...who, action: 'account.proven', details: {} })
  }

  async function confirmOnce(tokenHash: Buffer, password: string, clientInfo: ClientInfo): Promise<Verified> {
    const link = findLink(tokenHash)
    const isRight = await deps.verifyPassword(link?.passwordHash, password, networkKey(clientInfo.address))
    if (!link) throw notConfirmed()
    if (!isRight) {
      // Waiting for the disk would reveal whether the link exists.
      deps.withoutFsync(() => queries.countWrong(link.row.id))
      throw notConfirmed()
    }
    return atomically(() => {
      // While the password was hashed, a program may have opened the link, or the password may have changed.
      const now = findLink(tokenHash)
      if (now?.passwordHash !== link.passwordHash) throw notConfirmed()
      if (!now.created) return activate(now.row, { actorKind: 'anyone', clientInfo, isProven: true })
      prove(now.created.userId, clientInfo)
      return buildVerified('already_verified', now.created.slug)
    })
  }

  return {
    /**
     * Activates the account of a link whose reader sends the password chosen at registration (POST /verify). For a used
     * link, the answer says so, and the account is proven from then on. The fifth wrong password ends the link.
     *
     * @throws ApiError `overloaded`, or `unauthorized` for a wrong password and for any link that does not work: both get
     * the same words after the same work.
     */
    async confirm({ token, password }: Confirmation, clientInfo: ClientInfo): Promise<Verified> {
      const tokenHash = hashSecret(token)
      // One at a time for each link: of many guesses at once, at most five are checked.
      return deps.inTurn(tokenHash.toString('hex'), () => confirmOnce(tokenHash, password, clientInfo))
    },

    /**
     * Activates the account of a link for a program (GET /verify). For a while, a used link answers that it was used. The
     * answer contains no secrets, and the account is not proven.
     *
     * @throws ApiError `unauthorized` for any link that does not work.
     */
    verify: (token: string, clientInfo: ClientInfo): Verified =>
      atomically(() => {
        const link = findLink(hashSecret(token))
        if (!link) throw invalidLink()
        if (link.created) return buildVerified('already_verified', link.created.slug)
        return activate(link.row, { actorKind: 'anyone', clientInfo, isProven: false })
      }),

    /** Answers as {@link verify} would, but activates nothing. @throws ApiError `unauthorized`. */
    check(token: string): Verified {
      const link = findLink(hashSecret(token))
      if (!link) throw invalidLink()
      if (link.created) return buildVerified('already_verified', link.created.slug)
      const slug = stores.chooseSlug(link.row.storeName)
      return buildVerified('verified', slug)
    },

    /**
     * Deletes every open registration of the address that received a link (POST /verify/cancel). An account that is
     * already open stays. The answer is the same for links that do not exist.
     */
    cancel(token: string): Cancelled {
      const row = queries.findByToken(hashSecret(token))
      if (row) queries.forgetOpen(row.email)
      return { status: 'cancelled' }
    },

    /**
     * Activates an open registration of an address for the operator, who vouches for it.
     *
     * @param choose picks one from the list, which starts with the oldest; it may throw.
     * @param operator who vouches.
     * @returns undefined if the address has an account.
     */
    verifyByOperator: (
      email: string,
      choose: (open: RegistrationRow[]) => RegistrationRow,
      operator: Operator = null,
    ): Verified | undefined =>
      atomically(() => {
        if (people.findPersonByEmail(email)) return undefined
        const row = choose(queries.listOpen(email, clock.now()))
        const clientInfo = operator?.clientInfo ?? null
        return activate(row, {
          actorKind: 'operator',
          clientInfo,
          isProven: true,
          by: nameOperator(operator),
        })
      }),
  }
}

const buildVerified = (status: Verified['status'], slug: string): Verified => ({
  status,
  slug,
  redirect: `/${slug}/portal`,
})

/** The same answer for a wrong password and for every link that does not work. */
const notConfirmed = (): ApiError =>
  new ApiError(
    'unauthorized',
    `The link does not work, or this is not the password chosen at registration. A link ends after ${LIMITS.passwordsPerLinkMax} wrong passwords; register again to get a new one`,
  )
