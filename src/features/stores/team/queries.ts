import type { Role } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'

/** Times are Unix ms. */
export interface InviteRow {
  id: string
  storeId: string
  email: string
  role: Role
  /** null if the account of the inviter is gone. */
  inviterEmail: string | null
  /** Whether the inviter may invite to the store at present. */
  inviterMay: boolean
  emailSent: boolean
  /** Whether somebody with the link has the mailbox, too. */
  isProof: boolean
  createdAt: number
  expiresAt: number
  acceptedAt: number | null
  cancelledAt: number | null
}

export interface NewInviteRow {
  id: string
  storeId: string
  email: string
  role: Role
  tokenHash: Buffer
  invitedBy: string
  createdAt: number
  expiresAt: number
}

/** An invitation as its store lists it. */
export interface ListedInvite extends InviteRow {
  hasAccount: boolean
}

type Flags = 'inviterMay' | 'emailSent' | 'isProof'
type StoredInvite = Omit<InviteRow, Flags> & Record<Flags, 0 | 1>
type StoredListedInvite = StoredInvite & { hasAccount: 0 | 1 }

export type InviteQueries = ReturnType<typeof inviteQueries>

/** A person who may no longer invite has no open invitations, or could come back by one of them. */
const INVITER_MAY = `(
  EXISTS (SELECT 1 FROM memberships AS inviters
    WHERE inviters.user_id = invited_by AND inviters.store_id = team_invites.store_id AND inviters.role = 'owner')
  OR EXISTS (SELECT 1 FROM users AS inviters WHERE inviters.id = invited_by AND inviters.is_super_admin = 1))`

const IS_PENDING = `accepted_at IS NULL AND cancelled_at IS NULL AND expires_at > @now AND ${INVITER_MAY}`

const COLUMNS = `id, store_id AS storeId, email, role, email_sent AS emailSent, is_proof AS isProof,
  (SELECT inviters.email FROM users AS inviters WHERE inviters.id = invited_by) AS inviterEmail,
  ${INVITER_MAY} AS inviterMay, created_at AS createdAt, expires_at AS expiresAt, accepted_at AS acceptedAt,
  cancelled_at AS cancelledAt`

/** All SQL about invitations to stores. */
export function inviteQueries(db: Db) {
  const byStore = db.prepare<[storeId: string], StoredListedInvite>(`
    SELECT ${COLUMNS}, EXISTS (SELECT 1 FROM users WHERE users.email = team_invites.email) AS hasAccount
    FROM team_invites WHERE store_id = ? ORDER BY created_at DESC, id DESC`)
  const byId = db.prepare<[storeId: string, id: string], StoredInvite>(
    `SELECT ${COLUMNS} FROM team_invites WHERE store_id = ? AND id = ?`,
  )
  const byToken = db.prepare<[tokenHash: Buffer], StoredInvite>(
    `SELECT ${COLUMNS} FROM team_invites WHERE token_hash = ?`,
  )
  const pending = db.prepare<{ storeId: string; email: string; now: number }, { id: string }>(
    `SELECT id FROM team_invites WHERE store_id = @storeId AND email = @email AND ${IS_PENDING}`,
  )
  const pendingCount = db.prepare<{ storeId: string; now: number }, { invites: number }>(
    `SELECT count(*) AS invites FROM team_invites WHERE store_id = @storeId AND ${IS_PENDING}`,
  )
  const insert = db.prepare(`
    INSERT INTO team_invites (id, store_id, email, role, token_hash, invited_by, created_at, expires_at)
    VALUES (@id, @storeId, @email, @role, @tokenHash, @invitedBy, @createdAt, @expiresAt)`)
  const trim = db.prepare(`
    DELETE FROM team_invites WHERE id IN (
      SELECT id FROM team_invites WHERE store_id = @storeId AND NOT (${IS_PENDING})
      ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET @kept)`)
  const recordDelivery = db.prepare(
    'UPDATE team_invites SET email_sent = @emailSent, is_proof = @isProof WHERE id = @id',
  )
  const use = db.prepare(`UPDATE team_invites SET accepted_at = @now WHERE id = @id AND ${IS_PENDING}`)
  const cancel = db.prepare(`UPDATE team_invites SET cancelled_at = @now WHERE id = @id AND ${IS_PENDING}`)
  const cancelOfInviter = db.prepare(`
    UPDATE team_invites SET cancelled_at = @now
    WHERE store_id = @storeId AND invited_by = @userId AND ${IS_PENDING}`)
  const prune = db.prepare('DELETE FROM team_invites WHERE expires_at <= ?')
  const forgetEmail = db.prepare('DELETE FROM team_invites WHERE email = ?')

  return {
    /** Lists the invitations of a store, the newest first. */
    list: (storeId: string): ListedInvite[] =>
      byStore.all(storeId).map(({ hasAccount, ...row }) => ({ ...parse(row), hasAccount: hasAccount === 1 })),
    find: (storeId: string, id: string): InviteRow | undefined => parseOptional(byId.get(storeId, id)),
    findByToken: (tokenHash: Buffer): InviteRow | undefined => parseOptional(byToken.get(tokenHash)),
    /** Finds the pending invitation of an address to a store. */
    findPendingId: (storeId: string, email: string, now: number): string | undefined =>
      pending.get({ storeId, email, now })?.id,
    countPending: (storeId: string, now: number): number => pendingCount.get({ storeId, now })?.invites ?? 0,
    /** Adds an invitation, and forgets the oldest ended ones of its store beyond `endedMax`. */
    add(invite: NewInviteRow, endedMax: number): void {
      insert.run(invite)
      trim.run({ storeId: invite.storeId, now: invite.createdAt, kept: BigInt(endedMax) })
    },
    recordDelivery: (id: string, emailSent: boolean, isProof: boolean): void =>
      void recordDelivery.run({ id, emailSent: emailSent ? 1 : 0, isProof: isProof ? 1 : 0 }),
    /** Uses up a pending invitation. Of several calls at once, exactly one succeeds. */
    use: (id: string, now: number): boolean => use.run({ id, now }).changes > 0,
    /** @returns false if the invitation was no longer pending. */
    cancel: (id: string, now: number): boolean => cancel.run({ id, now }).changes > 0,
    /** Cancels the pending invitations that a person made to a store. Call it while the person may still invite. */
    cancelOfInviter: (storeId: string, userId: string, now: number): void =>
      void cancelOfInviter.run({ storeId, userId, now }),
    /** Deletes every invitation of an address. @param email normalised. */
    forgetEmail: (email: string): void => void forgetEmail.run(email),
    /** Deletes invitations that expired before a moment, however they ended. */
    prune: (before: number): void => void prune.run(before),
  }
}

const parse = ({ inviterMay, emailSent, isProof, ...row }: StoredInvite): InviteRow => ({
  ...row,
  inviterMay: inviterMay === 1,
  emailSent: emailSent === 1,
  isProof: isProof === 1,
})

const parseOptional = (row: StoredInvite | undefined) => row && parse(row)
