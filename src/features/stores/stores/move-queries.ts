import type { Role } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'

/** Where a store stands on its way to another node. Without one it is served here and goes nowhere. */
export type MoveState = 'moving' | 'paused' | 'switching' | 'moved'

/** A store that is on another node. */
export interface MovedStore {
  id: string
  slug: string
  name: string
  /** The base address of that node. */
  url: string
  /** Unix ms. */
  movedAt: number
}

/** A moved store of a person. */
export interface MovedMembership extends MovedStore {
  role: Role
}

const MOVED =
  "SELECT id, slug, name, moved_to AS url, moved_at AS movedAt FROM stores WHERE move_state = 'moved'"

/** What names a store, besides its own row. */
const NAMED = [
  "SELECT 'api_key', key_hash, store_id, NULL FROM api_keys WHERE store_id = @id",
  "SELECT 'api_key', previous_key_hash, store_id, NULL FROM api_keys WHERE store_id = @id AND previous_key_hash IS NOT NULL",
  "SELECT 'widget_key', key_hash, store_id, NULL FROM public_keys WHERE store_id = @id",
  "SELECT 'member', user_id, store_id, role FROM memberships WHERE store_id = @id",
]

/**
 * All SQL about stores that move. One that has moved is hidden like one that is being erased, so no other query finds it; its
 * row and `moved_names` say where it is, whatever names it.
 */
export function storeMoveQueries(db: Db) {
  const state = db
    .prepare<[id: string], MoveState | null>('SELECT move_state FROM stores WHERE id = ?')
    .pluck()
  const setState = db.prepare(
    "UPDATE stores SET move_state = ? WHERE id = ? AND erasing_at IS NULL AND move_state IS NOT 'moved'",
  )
  const leave = db.prepare(`
    UPDATE stores SET move_state = 'moved', moved_to = @url, moved_at = @now, emptied_at = NULL,
      suspended_at = coalesce(suspended_at, @now), erasing_at = @now
    WHERE id = @id AND erasing_at IS NULL`)
  const names = NAMED.map((rows) =>
    db.prepare(`INSERT OR IGNORE INTO moved_names (kind, name, store_id, role) ${rows}`),
  )
  const dropNames = db.prepare('DELETE FROM moved_names WHERE store_id = ?')
  const comeBack = db.prepare(`
    UPDATE stores SET move_state = NULL, moved_to = NULL, moved_at = NULL, emptied_at = NULL, erasing_at = NULL,
      suspended_at = @suspendedAt
    WHERE id = @id AND move_state = 'moved'`)
  const byId = db.prepare<[id: string], MovedStore>(`${MOVED} AND id = ?`)
  const bySlug = db.prepare<[slug: string], MovedStore>(`${MOVED} AND slug = ?`)
  const all = db.prepare<[], MovedStore>(`${MOVED} ORDER BY slug`)
  const byKey = db.prepare<[kind: string, hash: Buffer], MovedStore>(
    `${MOVED} AND id = (SELECT store_id FROM moved_names WHERE kind = ? AND name = ?)`,
  )
  const ofPerson = db.prepare<[userId: string], MovedMembership>(`
    SELECT id, slug, stores.name, moved_to AS url, moved_at AS movedAt, role
    FROM moved_names JOIN stores ON stores.id = store_id
    WHERE kind = 'member' AND moved_names.name = ? ORDER BY stores.name, slug LIMIT 1000`)
  const resting = db
    .prepare<[], string>("SELECT id FROM stores WHERE move_state IN ('paused', 'switching')")
    .pluck()
  const remains = db
    .prepare<[before: bigint], string>(
      `SELECT id FROM stores WHERE move_state = 'moved' AND emptied_at IS NULL AND moved_at <= ? ORDER BY moved_at`,
    )
    .pluck()
  const setEmptied = db.prepare("UPDATE stores SET emptied_at = ? WHERE id = ? AND move_state = 'moved'")

  /** Whether any store has ever left: until then no look-up costs a statement. Only a running service moves stores. */
  let isAnyKnown: boolean | undefined
  const isAnyMoved = (): boolean => {
    isAnyKnown ??= all.get() !== undefined
    return isAnyKnown
  }
  const ifAny = <Found>(find: () => Found | undefined): Found | undefined =>
    isAnyMoved() ? find() : undefined

  return {
    /** @returns undefined if there is no such store. */
    readMoveState: (id: string): MoveState | null | undefined => state.get(id),
    /** @returns false for a store that is gone, hidden or elsewhere. */
    setMoveState: (id: string, to: Exclude<MoveState, 'moved'> | null): boolean =>
      setState.run(to, id).changes > 0,
    /** Hides a store, and writes down what names it. Call it in a transaction. @returns false if it is hidden already. */
    leave(id: string, url: string, now: number): boolean {
      if (leave.run({ id, url, now: BigInt(now) }).changes === 0) return false
      dropNames.run(id)
      for (const insert of names) insert.run({ id })
      isAnyKnown = true
      return true
    },
    /** Shows a moved store whose rows are here again. Call it in a transaction. @returns false if it has not moved. */
    comeBack(id: string, suspendedAt: number | null): boolean {
      dropNames.run(id)
      return comeBack.run({ id, suspendedAt: suspendedAt === null ? null : BigInt(suspendedAt) }).changes > 0
    },
    findMoved: (id: string): MovedStore | undefined => ifAny(() => byId.get(id)),
    findMovedBySlug: (slug: string): MovedStore | undefined => ifAny(() => bySlug.get(slug)),
    /** Finds the moved store that a key belonged to. */
    findMovedByKey: (kind: 'api_key' | 'widget_key', hash: Buffer): MovedStore | undefined =>
      ifAny(() => byKey.get(kind, hash)),
    /** Lists the moved stores of a person, by name. */
    listMovedOfPerson: (userId: string): MovedMembership[] => (isAnyMoved() ? ofPerson.all(userId) : []),
    /** Lists all moved stores, by slug. */
    listMoved: (): MovedStore[] => (isAnyMoved() ? all.all() : []),
    /** Lists the stores whose writes were held back when the service ended. */
    listResting: (): string[] => resting.all(),
    /** Lists the stores that left before a moment and whose rows are still here. */
    listRemains: (before: number): string[] => (isAnyMoved() ? remains.all(BigInt(before)) : []),
    setEmptied: (id: string, now: number): void => void setEmptied.run(BigInt(now), id),
  }
}
