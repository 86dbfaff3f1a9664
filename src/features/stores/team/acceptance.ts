import type { ClientInfo, Role } from '../../../core/actor.ts'
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
  queries: Pick<InviteQueries, 'findByToken' | 'use'>
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'findMember' | 'isProven' | 'addPerson' | 'addMembership'>
  storeRows: Pick<StoreQueries, 'findStore'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Mails a link for a new password. @returns whether this install can send it. */
  requestPassword(email: string, clientInfo: ClientInfo): { email_sent: boolean }
  hashPassword(password: string, network?: string): Promise<string>
}

/** A pending invitation with its store. */
interface Offer {
  row: InviteRow
  store: StoreRow
}

/** A person who opens an account to accept. */
interface Newcomer {
  name: string
  passwordHash: string
}

/** How an attempt to join ended. The last two have written nothing. */
type Joining =
  | { accepted: Accepted }
  /** The address has an account of which nobody has shown that it belongs to the mailbox. */
  | { unproven: string }
  /** The address has no account, and the attempt brought no {@link Newcomer}. */
  | { accountless: Offer }

export type AcceptanceService = ReturnType<typeof acceptanceService>

/** Invitations, as the invited people see them (contract 5.9). Anyone with the link may accept. */
export function acceptanceService(deps: AcceptanceDeps) {
  const { queries, people, storeRows, outbox, clock, ids, atomically, record } = deps

  /** @throws ApiError `unauthorized` for a token that nobody has, `conflict` for an invitation that has ended. */
  function findOffer(token: string): Offer {
    const row = queries.findByToken(hashSecret(token))
    const store = row && storeRows.findStore(row.storeId)
    if (!row || !store) throw unknownLink()
    const state = readState(row, clock.now())
    if (state !== 'pending') throw inviteEnded(state)
    if (store.suspendedAt !== null) throw joinLater()
    return { row, store }
  }

  /** Reads who opens an account, and hashes the password. @throws ApiError `validation_error` with every problem. */
  async function readNewcomer(
    { row, store }: Offer,
    { full_name, password }: Acceptance,
    clientInfo: ClientInfo,
  ): Promise<Newcomer> {
    const problems: (Problem | undefined)[] = [
      full_name === undefined ? required('/full_name') : undefined,
      password === undefined
        ? required('/password')
        : await findPasswordProblem(password, { email: row.email, storeName: store.name }),
    ]
    const found = problems.filter((one) => one !== undefined)
    if (full_name === undefined || password === undefined || found.length > 0) throw validationError(found)
    return {
      name: full_name.trim(),
      passwordHash: await deps.hashPassword(password, networkKey(clientInfo.address)),
    }
  }

  /** Makes a person a member, and uses up the invitation. Call it in a transaction. */
  function addMember(
    { row, store }: Offer,
    userId: string,
    isExistingUser: boolean,
    clientInfo: ClientInfo,
  ): Accepted {
    const now = clock.now()
    if (!queries.use(row.id, now)) throw new Error('The invitation was used in the meantime')
    people.addMembership(userId, store.id, row.role, now)
    const who = { actorKind: 'anyone', storeId: store.id, userId, keyId: null, clientInfo } as const
    const details = { invite_id: row.id, email: row.email, role: row.role, existing_user: isExistingUser }
    record({ ...who, action: 'invite.accepted', details })
    return buildAccepted(row, store, userId, isExistingUser)
  }

  /** Lets the account of the address in. Call it in a transaction. @throws ApiError `conflict` for a member. */
  function joinWithAccount(offer: Offer, person: PersonRow, clientInfo: ClientInfo): Joining {
    const { row, store } = offer
    if (people.findMember(store.id, person.id)) {
      throw new ApiError('conflict', 'You are already a member of this store')
    }
    // A stranger may have opened the account.
    if (!people.isProven(person.id)) return { unproven: person.email }
    const accepted = addMember(offer, person.id, true, clientInfo)
    if (!row.emailSent) outbox.sendAfterCommit([joinedMail(person.email, store.slug, deps.baseUrl())])
    return { accepted }
  }

  function joinAsNewcomer(offer: Offer, { name, passwordHash }: Newcomer, clientInfo: ClientInfo): Joining {
    const { row } = offer
    const now = clock.now()
    const person = { id: ids.uuid(), email: row.email, name, passwordHash, isSuperAdmin: false }
    people.addPerson({ ...person, createdAt: now, provenAt: row.isProof ? now : null })
    return { accepted: addMember(offer, person.id, false, clientInfo) }
  }

  /** Reads the offer in the transaction that takes it: while a password was hashed, anything may have happened. */
  const join = (token: string, clientInfo: ClientInfo, newcomer?: Newcomer): Joining =>
    atomically(() => {
      const offer = findOffer(token)
      const person = people.findPersonByEmail(offer.row.email)
      if (person) return joinWithAccount(offer, person, clientInfo)
      return newcomer ? joinAsNewcomer(offer, newcomer, clientInfo) : { accountless: offer }
    })

  return {
    /** Shows what a link offers, and changes nothing. @throws ApiError `unauthorized`, `conflict`. */
    show(token: string): InviteOffer {
      const { row, store } = findOffer(token)
      return {
        status: 'pending',
        invite_id: row.id,
        email: row.email,
        role: row.role,
        slug: store.slug,
        store_name: store.name,
        invited_by: row.inviterEmail,
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
    async accept(body: Acceptance, clientInfo: ClientInfo): Promise<Accepted> {
      const first = join(body.token, clientInfo)
      const joining =
        'accountless' in first
          ? join(body.token, clientInfo, await readNewcomer(first.accountless, body, clientInfo))
          : first
      if ('accepted' in joining) return joining.accepted
      if ('unproven' in joining)
        throw notProven(deps.requestPassword(joining.unproven, clientInfo).email_sent)
      throw new Error('A newcomer did not get an account')
    },
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
  in: 'body',
  pointer,
  code: 'required',
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
  invite_id: id,
  user_id,
  email,
  role,
  slug,
  store_name: name,
  is_existing_user,
  redirect: `/${slug}/portal`,
})

const joinLater = () =>
  new ApiError(
    'store_suspended',
    'The store is suspended at the moment. Open the link again when its owner says so',
  )
