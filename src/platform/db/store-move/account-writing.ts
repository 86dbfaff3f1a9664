import { malformed, type Row } from '../../../core/row-lines.ts'
import type { Db } from '../open.ts'
import { INTEGER_MAX } from './row-values.ts'
import type { WriterHooks } from './row-writing.ts'

interface Account {
  id: string
  name: string
  password_hash: string
  verified_at: number | null
  created_at: number
  password_changed_at: number | null
  factor: { secret: string; created_at: number; enabled_at: number } | null
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PASSWORD_HASH = /^\$argon2id\$[\x21-\x7e]{20,400}$/
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** Makes the accounts of members that this node does not know. Others keep their own name, password and second factor. */
export function createAccountWriter(db: Db, storeId: string, hooks: WriterHooks) {
  const find = db.prepare<[string], string>('SELECT id FROM users WHERE email = ?').pluck()
  const isTaken = db.prepare<[string], number>('SELECT 1 FROM users WHERE id = ?').pluck()
  const isOurs = db
    .prepare<[string, string], number>('SELECT 1 FROM move_people WHERE store_id = ? AND user_id = ?')
    .pluck()
  const note = db.prepare<[string, string]>('INSERT INTO move_people (store_id, user_id) VALUES (?, ?)')
  const add = db.prepare<[Row]>(`
    INSERT INTO users (id, email, name, password_hash, verified_at, created_at, password_changed_at)
    VALUES (@id, @email, @name, @password_hash, @verified_at, @created_at, @password_changed_at)`)
  const follow = db.prepare<[Row]>(`
    UPDATE users SET name = @name, password_hash = @password_hash, verified_at = @verified_at,
      password_changed_at = @password_changed_at
    WHERE id = @id`)
  const dropFactor = db.prepare<[string]>('DELETE FROM two_factor WHERE user_id = ?')
  const addFactor = db.prepare<[Row]>(`
    INSERT INTO two_factor (user_id, sealed_secret, created_at, enabled_at) VALUES (@id, @sealed, @created, @enabled)`)
  const forgetPeople = db.prepare<[string]>('DELETE FROM move_people WHERE store_id = ?')
  // Whoever has become a member of another store meanwhile stays.
  const dropPeople = db.prepare<{ storeId: string }>(`
    DELETE FROM users WHERE is_super_admin = 0 AND id IN (SELECT user_id FROM move_people WHERE store_id = @storeId)
      AND NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = users.id AND store_id <> @storeId)`)
  const whole = (value: number | null) => (value === null ? null : (BigInt(value) as unknown as number))

  function write(email: string, { id: given, factor, ...account }: Account): void {
    const known = find.get(email)
    if (known !== undefined && isOurs.get(storeId, known) === undefined) return
    const id = known ?? (isTaken.get(given) === undefined ? given : hooks.newId())
    const row: Row = {
      ...{ id, email, name: account.name, password_hash: account.password_hash },
      verified_at: whole(account.verified_at),
      created_at: whole(account.created_at),
      password_changed_at: whole(account.password_changed_at),
    }
    if (known === undefined) {
      add.run(row)
      note.run(storeId, id)
    } else follow.run(row)
    dropFactor.run(id)
    if (factor === null) return
    const sealed = hooks.sealFactor(id, factor.secret)
    addFactor.run({ id, sealed, created: whole(factor.created_at), enabled: whole(factor.enabled_at) })
  }

  return {
    put({ user_id: email }: Row, text: unknown): void {
      if (typeof email !== 'string' || !ADDRESS.test(email)) throw malformed('the address of a member')
      write(email, readAccount(text))
    },

    /** Deletes those that came with the store, unless they have become members of another store here. */
    drop(): void {
      dropPeople.run({ storeId })
      forgetPeople.run(storeId)
    },

    settle: (): void => void forgetPeople.run(storeId),
  }
}

const ACCOUNT_KEYS = [
  'id',
  'name',
  'password_hash',
  'verified_at',
  'created_at',
  'password_changed_at',
  'factor',
]
const isMoment = (value: unknown) => Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MAX
const isMomentOrNull = (value: unknown) => value === null || isMoment(value)

/** @throws UnreadableFile for an account that no node sends, such as one that is to be a super-admin here. */
function readAccount(text: unknown): Account {
  const account = parseObject(text)
  const { id, name, password_hash, verified_at, created_at, password_changed_at, factor } = account
  if (Object.keys(account).some((key) => !ACCOUNT_KEYS.includes(key)))
    throw malformed('an account says more of a person than travels')
  const isSound =
    typeof id === 'string' &&
    UUID.test(id) &&
    typeof name === 'string' &&
    name.length <= 200 &&
    typeof password_hash === 'string' &&
    PASSWORD_HASH.test(password_hash) &&
    isMomentOrNull(verified_at) &&
    isMoment(created_at) &&
    isMomentOrNull(password_changed_at)
  if (!isSound || !isFactor(factor)) throw malformed('an account')
  return account as unknown as Account
}

function isFactor(value: unknown): boolean {
  if (value === null) return true
  if (typeof value !== 'object' || value === undefined) return false
  const { secret, created_at, enabled_at } = value as Record<string, unknown>
  return (
    typeof secret === 'string' &&
    /^[A-Z2-7]{16,128}$/.test(secret) &&
    isMoment(created_at) &&
    isMoment(enabled_at)
  )
}

function parseObject(text: unknown): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(String(text))
    if (typeof read === 'object' && read !== null && !Array.isArray(read))
      return read as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw malformed('an account')
}
