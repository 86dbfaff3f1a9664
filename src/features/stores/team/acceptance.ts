import type { Role, Trace } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { Problem } from '../../../core/problem.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import { validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../people/queries.ts'
import type { StoreQueries, StoreRow } from '../stores/queries.ts'
import { inviteEnded, readState } from './invites.ts'
import { joinedMail } from './mails.ts'
import type { InviteQueries, InviteRow } from './queries.ts'
import type { Acceptance, Accepted, InviteOffer } from './schema.ts'

export interface AcceptanceDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'baseUrl'> {
  queries: Pick<InviteQueries, 'findByToken' | 'accept'>
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'findMember' | 'isProven' | 'addPerson' | 'addMembership'>
  stores: Pick<StoreQueries, 'findStore'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Mails a link for a new password. @returns whether this install can send it. */
  requestPassword(email: string, trace: Trace): { email_sent: boolean }
  hashPassword(password: string, network?: string): Promise<string>
}

/** A pending invitation with its store. */
interface Offer {
  row: InviteRow
  store: StoreRow
}

export type AcceptanceService = ReturnType<typeof acceptanceService>

/** Invitations, as the invited people see them (contract 5.9). Whoever has the link may accept. */
export function acceptanceService(deps: AcceptanceDeps) {
  const { queries, people, stores, outbox, clock, ids, atomically, record } = deps

  /** @throws ApiError `unauthorized` for a token that nobody has, `conflict` for an invitation that has ended. */
  function findOffer(token: string): Offer {
    const row = queries.findByToken(hashSecret(token))
    const store = row && stores.findStore(row.storeId)
    if (!row || !store) throw unknownLink()
    const state = readState(row, clock.now())
    if (state !== 'pending') throw inviteEnded(state)
    if (store.suspendedAt !== null) throw joinLater()
    return { row, store }
  }

  /** @throws ApiError `validation_error` with every problem. */
  async function readNewcomer({ row, store }: Offer, { full_name, password }: Acceptance) {
    const problems: (Problem | undefined)[] = [
      full_name === undefined ? required('/full_name') : undefined,
      password === undefined
        ? required('/password')
        : await findPasswordProblem(password, { email: row.email, storeName: store.name }),
    ]
    const found = problems.filter((one) => one !== undefined)
    if (full_name === undefined || password === undefined || found.length > 0) throw validationError(found)
    return { name: full_name.trim(), password }
  }

  /** Adds the membership and uses up the invitation. Call it in a transaction. */
  function join({ row, store }: Offer, userId: string, isExistingUser: boolean, trace: Trace): Accepted {
    const now = clock.now()
    if (!queries.accept(row.id, now)) throw new Error('The invitation was used in the meantime')
    people.addMembership(userId, store.id, row.role, now)
    const who = { actorKind: 'anyone', storeId: store.id, userId, keyId: null, trace } as const
    const details = { invite_id: row.id, email: row.email, role: row.role, existing_user: isExistingUser }
    record({ ...who, action: 'invite.accepted', details })
    return buildAccepted(row, store, userId, isExistingUser)
  }

  /** @throws ApiError `conflict` for a member, `account_not_verified` for an account that a stranger may have opened. */
  function joinExisting(offer: Offer, person: PersonRow, trace: Trace): Accepted {
    const { row, store } = offer
    if (people.findMember(store.id, person.id)) {
      throw new ApiError('conflict', 'You are already a member of this store')
    }
    if (!people.isProven(person.id)) throw new UnprovenAccount(person.email)
    const accepted = join(offer, person.id, true, trace)
    if (!row.emailSent) {
      outbox.sendAfterCommit([joinedMail(person.email, store.slug, deps.baseUrl())])
    }
    return accepted
  }

  function joinNew(offer: Offer, name: string, passwordHash: string, trace: Trace): Accepted {
    const { row } = offer
    const now = clock.now()
    const id = ids.uuid()
    people.addPerson({
      ...{ id, email: row.email, name, passwordHash, isSuperAdmin: false, createdAt: now },
      provenAt: row.isProof ? now : null,
    })
    return join(offer, id, false, trace)
  }

  /** Looks again inside the transaction: while a password was hashed, anything may have happened. */
  const accept = (
    token: string,
    trace: Trace,
    newcomer?: { name: string; passwordHash: string },
  ): Accepted | undefined =>
    atomically(() => {
      const offer = findOffer(token)
      const person = people.findPersonByEmail(offer.row.email)
      if (person) return joinExisting(offer, person, trace)
      return newcomer && joinNew(offer, newcomer.name, newcomer.passwordHash, trace)
    })

  /** Accepts for the account that the address has, or makes one. */
  async function acceptOnce(body: Acceptance, trace: Trace): Promise<Accepted> {
    const accepted = accept(body.token, trace)
    if (accepted) return accepted
    const { name, password } = await readNewcomer(findOffer(body.token), body)
    const passwordHash = await deps.hashPassword(password, networkKey(trace.address))
    return accept(body.token, trace, { name, passwordHash }) as Accepted
  }

  return {
    /** Shows what a link offers, and changes nothing. @throws ApiError `unauthorized`, `conflict`. */
    look(token: string): InviteOffer {
      const { row, store } = findOffer(token)
      return {
        status: 'pending',
        invite_id: row.id,
        ...{ email: row.email, role: row.role, slug: store.slug, store_name: store.name },
        is_existing_user: people.findPersonByEmail(row.email) !== undefined,
        expires_at: isoTime(row.expiresAt),
      }
    },

    /**
     * Accepts an invitation, which works once. An address without an account gets one with the name and the password of
     * the body; an existing account stays as it is.
     *
     * @throws ApiError `unauthorized`, `conflict`, `validation_error`, `account_not_verified`, `overloaded`.
     */
    async accept(body: Acceptance, trace: Trace): Promise<Accepted> {
      try {
        return await acceptOnce(body, trace)
      } catch (error) {
        if (!(error instanceof UnprovenAccount)) throw error
        throw notProven(deps.requestPassword(error.email, trace).email_sent)
      }
    },
  }
}

/** Undoes the transaction of an acceptance. */
class UnprovenAccount extends Error {
  readonly email: string

  constructor(email: string) {
    super('Nobody has proven that the account belongs to its mailbox')
    this.email = email
  }
}

const notProven = (email_sent: boolean): ApiError =>
  new ApiError(
    'account_not_verified',
    `Nobody has shown yet that this account belongs to the owner of its mailbox. Set a new password by the link ${
      email_sent
        ? 'that we mailed to its address'
        : 'that waits for its address: this service sends no mails, so ask the operator for it'
    }, then accept the invitation again`,
    { details: { required: 'password_reset', email_sent } },
  )

const required = (pointer: string): Problem => ({
  ...{ in: 'body', pointer, code: 'required' },
  message: 'is required, because the e-mail address has no account yet',
})

/** The same answer for every token that no invitation has. */
const unknownLink = (): ApiError => new ApiError('unauthorized', 'The link of the invitation is invalid')

const buildAccepted = (
  { id, email, role }: InviteRow & { role: Role },
  { slug, name }: StoreRow,
  user_id: string,
  is_existing_user: boolean,
): Accepted => ({
  status: 'accepted',
  ...{ invite_id: id, user_id, email, role, slug, store_name: name, is_existing_user },
  redirect: `/${slug}/portal`,
})

const joinLater = () =>
  new ApiError(
    'store_suspended',
    'The store is suspended at the moment. Open the link again when its owner says so',
  )
