import type { Db } from '../../../platform/db/open.ts'

export type InvitePurpose = 'move' | 'standby'

export interface NodeInviteRow {
  codeHash: Buffer
  purpose: InvitePurpose
  /** Unix ms. */
  expiresAt: number
  usedAt: number | null
  usedFor: string | null
}

export type NodeInviteQueries = ReturnType<typeof nodeInviteQueries>

/** All SQL about codes for other nodes. No call opens a transaction. */
export function nodeInviteQueries(db: Db) {
  const add = db.prepare('INSERT INTO node_invites (code_hash, purpose, expires_at) VALUES (?, ?, ?)')
  const find = db.prepare<[Buffer], NodeInviteRow>(`
    SELECT code_hash AS codeHash, purpose, expires_at AS expiresAt, used_at AS usedAt, used_for AS usedFor
    FROM node_invites WHERE code_hash = ?`)
  const use = db.prepare(
    'UPDATE node_invites SET used_at = @now, used_for = @usedFor WHERE code_hash = @codeHash AND used_at IS NULL',
  )
  const countOpen = db
    .prepare<[bigint], number>('SELECT count(*) FROM node_invites WHERE used_at IS NULL AND expires_at > ?')
    .pluck()
  const prune = db.prepare('DELETE FROM node_invites WHERE expires_at < ?')

  return {
    add: (codeHash: Buffer, purpose: InvitePurpose, expiresAt: number): void =>
      void add.run(codeHash, purpose, BigInt(expiresAt)),
    find: (codeHash: Buffer): NodeInviteRow | undefined => find.get(codeHash),
    /** @returns false if somebody was faster. */
    use: (codeHash: Buffer, usedFor: string | null, now: number): boolean =>
      use.run({ codeHash, usedFor, now: BigInt(now) }).changes > 0,
    countOpen: (now: number): number => countOpen.get(BigInt(now)) ?? 0,
    prune: (before: number): void => void prune.run(BigInt(before)),
  }
}
