import type { Actor, Role } from '../../../core/actor.ts'
import { type DescribeStoreAct, describeAct, operatorAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import { inviteMail } from './mails.ts'
import type { InviteQueries, InviteRow, ListedInvite } from './queries.ts'
import type { Rights } from './rights.ts'
import type { InviteBody, InviteCancelled, InviteList, InviteState, InviteView, NewInvite } from './schema.ts'

export interface InviteDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'baseUrl'> {
  queries: InviteQueries
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonByEmail' | 'findMember'>
  rights: Rights
  outbox: Pick<OutboxService, 'write' | 'deliver' | 'isConfigured'>
}

/** A store that somebody is invited to, and who invites. */
interface Inviting {
  storeId: string
  slug: string
  inviterId: string
  by: DescribeStoreAct
}

/** An invitation that is saved, with what only its maker may see. */
export interface WrittenInvite {
  row: { id: string; email: string; role: Role; expiresAt: number }
  isExistingUser: boolean
  link: string
  mailId: string
}

const INVITE_MS = LIMITS.inviteDays * DAY_MS
const TOKEN_BYTES = 32

export type InviteService = ReturnType<typeof inviteService>

/** Invitations to a store, as its owners see them (contract 5.9). */
export function inviteService(deps: InviteDeps) {
  const { queries, people, rights, outbox, clock, ids, atomically, record } = deps

  /** @throws ApiError `conflict` for the actor's own address and for a member's. */
  function demandStranger({ storeId, userId }: Actor, email: string): boolean {
    const known = people.findPersonByEmail(email)
    if (known && known.id === userId) throw new ApiError('conflict', 'You cannot invite yourself')
    if (known && people.findMember(storeId, known.id)) {
      throw new ApiError('conflict', 'That person is already a member of this store')
    }
    return known !== undefined
  }

  /** Saves an invitation and the mail about it. Call it in a transaction. */
  function save(
    { storeId, slug, inviterId, by }: Inviting,
    email: string,
    role: Role,
    isExistingUser: boolean,
  ): WrittenInvite {
    const now = clock.now()
    const token = ids.secret(TOKEN_BYTES)
    const row = { id: ids.uuid(), storeId, email, role, createdAt: now, expiresAt: now + INVITE_MS }
    queries.add({ ...row, tokenHash: hashSecret(token), invitedBy: inviterId }, LIMITS.endedInvitesMax)
    record(by(storeId, 'invite.created', { invite_id: row.id, email, role }))
    const baseUrl = deps.baseUrl()
    const link = `${baseUrl}/invite#token=${token}`
    const inviter = people.findPerson(inviterId)?.email ?? ''
    const mail = inviteMail(email, { inviter, role, link, baseUrl, slug })
    const mailId = outbox.write(mail, { wantedMs: INVITE_MS, mayGiveWay: true })
    return { row, isExistingUser, link, mailId }
  }

  /** Delivers the mail of an invitation, and returns the invitation as its maker sees it. */
  async function send({ row, isExistingUser, link, mailId }: WrittenInvite): Promise<NewInvite> {
    const { id, email, role, expiresAt } = row
    const email_sent = await outbox.deliver(mailId)
    // A link that the inviter sees proves no mailbox where mails could prove it. Without a mail server, the inviter
    // vouches for the person, as the operator has vouched for the inviter.
    queries.recordDelivery(id, email_sent, email_sent || !outbox.isConfigured)
    return {
      invite_id: id,
      ...{ email, role, is_existing_user: isExistingUser },
      expires_at: isoTime(expiresAt),
      email_sent,
      ...(!email_sent && { accept_url: link }),
    }
  }

  return {
    send,

    /**
     * Writes the invitation of the owner for whom the operator opens a store; call it in the transaction that opens the
     * store, and then {@link send}. The limits that keep a store from mailing strangers do not hold for the operator.
     *
     * @throws ApiError `validation_error`, `conflict` for the operator's own address.
     */
    writeForOperator(actor: Actor, typed: string): WrittenInvite {
      const email = readEmail(typed, '/owner_email')
      const known = people.findPersonByEmail(email)
      if (known && known.id === actor.userId) throw ownAddress()
      return save(asInviting(actor), email, 'owner', known !== undefined)
    },

    /**
     * Writes the invitation of a member whose store the operator brings in from elsewhere, under the rules of
     * {@link writeForOperator}.
     *
     * @param inviterId a super-admin, without whom no invitation would hold; they may invite themselves.
     * @param email normalised.
     */
    writeForArrival: (
      store: { id: string; slug: string },
      inviterId: string,
      email: string,
      role: Role,
    ): WrittenInvite => {
      const isExistingUser = people.findPersonByEmail(email) !== undefined
      const by = operatorAct(null)
      return save({ storeId: store.id, slug: store.slug, inviterId, by }, email, role, isExistingUser)
    },

    /**
     * Invites a person and mails the link. If the mail cannot be sent now, the answer holds the link, for the inviter to
     * hand over.
     *
     * @throws ApiError `validation_error`, `permission_denied`, `conflict`, `invite_exists`, `rate_limit_exceeded`.
     */
    async create(actor: Actor, body: InviteBody): Promise<NewInvite> {
      const email = readEmail(body.email, '/email')
      const written = atomically(() => {
        const now = clock.now()
        rights.demandOwner(actor)
        const isExistingUser = demandStranger(actor, email)
        rights.demandCapacityFor(actor.storeId, email, now)
        rights.count(actor.storeId, email, now)
        return save(asInviting(actor), email, body.role, isExistingUser)
      })
      return send(written)
    },

    /** Lists the invitations of a store, the newest first, and ended ones for a while. */
    list(storeId: string): InviteList {
      const now = clock.now()
      const invites = queries.list(storeId).map((row) => view(row, now))
      return { invites, count: invites.length }
    },

    /** Cancels a pending invitation: its link ends. @throws ApiError `not_found`, `conflict` for one that has ended. */
    cancel: (actor: Actor, id: string): InviteCancelled =>
      atomically(() => {
        const now = clock.now()
        const row = queries.find(actor.storeId, id)
        if (!row) throw notFound('invite')
        if (!queries.cancel(id, now)) throw inviteEnded(readState(row, now))
        const { email, role } = row
        record(describeAct(actor, 'invite.cancelled', { invite_id: id, email, role }))
        return { status: 'cancelled', invite_id: id }
      }),

    /** Deletes invitations that ended long ago. */
    prune: (): void => queries.prune(clock.now() - LIMITS.endedInviteDays * DAY_MS),
  }
}

const asInviting = (actor: Actor): Inviting => ({
  storeId: actor.storeId,
  slug: actor.store.slug,
  inviterId: actor.userId as string,
  by: (_, action, details) => describeAct(actor, action, details),
})

const ownAddress = () =>
  new ApiError('conflict', 'That is your own address; POST /v1/stores opens a store of your own')

/** @throws ApiError `validation_error`. */
function readEmail(typed: string, pointer: string): string {
  const email = normaliseEmail(typed)
  if (!email) throw validationError([{ in: 'body', pointer, ...EMAIL_FAULT }])
  return email
}

/** An invitation of somebody who may no longer invite counts as cancelled. */
export function readState(
  { acceptedAt, cancelledAt, expiresAt, inviterMay }: InviteRow,
  now: number,
): InviteState {
  if (acceptedAt !== null) return 'accepted'
  if (cancelledAt !== null) return 'cancelled'
  if (expiresAt <= now) return 'expired'
  return inviterMay ? 'pending' : 'cancelled'
}

const WORDS: Readonly<Record<InviteState, string>> = {
  pending: 'The invitation is pending',
  accepted: 'The invitation has already been accepted',
  cancelled: 'The invitation was cancelled; ask for a new one',
  expired: 'The invitation has expired; ask for a new one',
}

/** Refuses an invitation that has ended. */
export const inviteEnded = (status: InviteState): ApiError =>
  new ApiError('conflict', WORDS[status], { details: { status } })

const view = (row: ListedInvite, now: number): InviteView => ({
  invite_id: row.id,
  email: row.email,
  role: row.role,
  status: readState(row, now),
  is_existing_user: row.hasAccount,
  created_at: isoTime(row.createdAt),
  expires_at: isoTime(row.expiresAt),
  accepted_at: row.acceptedAt === null ? null : isoTime(row.acceptedAt),
  email_sent: row.emailSent,
  invited_by: row.inviterEmail,
})
