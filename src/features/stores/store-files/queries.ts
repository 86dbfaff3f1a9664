import type { Role } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'

/** A store that is being brought in. */
export interface Arrival {
  storeId: string
  /** The slug that it asks for. */
  slug: string
}

export type StoreFileQueries = ReturnType<typeof storeFileQueries>

/** All SQL about stores that travel in files. No call opens a transaction. */
export function storeFileQueries(db: Db) {
  const addArrival = db.prepare('INSERT INTO store_arrivals (store_id, slug, leased_until) VALUES (?, ?, ?)')
  const renew = db.prepare(
    'UPDATE store_arrivals SET leased_until = @until WHERE store_id = @storeId AND leased_until > @now AND is_whole = 0',
  )
  const complete = db.prepare('UPDATE store_arrivals SET is_whole = 1 WHERE store_id = ?')
  const end = db.prepare('DELETE FROM store_arrivals WHERE store_id = ?')
  const whole = db.prepare<[], Arrival>(
    'SELECT store_id AS storeId, slug FROM store_arrivals WHERE is_whole = 1 ORDER BY store_id',
  )
  const arriving = db.prepare<[string], { found: 1 }>(
    'SELECT 1 AS found FROM store_arrivals WHERE store_id = ?',
  )
  const wait = db.prepare(
    'INSERT OR IGNORE INTO awaited_people (store_id, email, kind, of_id) VALUES (?, ?, ?, ?)',
  )

  const members = db.prepare<[string], { userId: string; email: string; role: Role }>(`
    SELECT user_id AS userId, email, role FROM memberships JOIN users ON users.id = user_id WHERE store_id = ? ORDER BY email`)
  const invited = db.prepare<[string, bigint], { email: string; role: Role }>(`
    SELECT email, role FROM team_invites
    WHERE store_id = ? AND accepted_at IS NULL AND cancelled_at IS NULL AND expires_at > ? ORDER BY id`)
  const groups = db.prepare<[string], { userId: string; groupId: string }>(`
    SELECT user_id AS userId, group_id AS groupId FROM user_group_members JOIN user_groups ON user_groups.id = group_id
    WHERE store_id = ?`)
  const awaited = db.prepare<[string, 'group' | 'api_key'], { email: string; id: string }>(
    'SELECT email, of_id AS id FROM awaited_people WHERE store_id = ? AND kind = ?',
  )
  const makers = db.prepare<[string], { email: string; key: string }>(`
    SELECT email, api_keys.id AS key FROM api_keys JOIN users ON users.id = created_by WHERE store_id = ?`)
  const webhooks = db
    .prepare<[string], string>('SELECT id FROM webhooks WHERE store_id = ? AND deleted_at IS NULL')
    .pluck()
  const logins = db.prepare<[string], { id: string; sealed: Buffer }>(`
    SELECT id, credentials AS sealed FROM feeds
    WHERE store_id = ? AND credentials IS NOT NULL AND deleted_at IS NULL`)
  const kept = db
    .prepare<[string], string>(
      'SELECT DISTINCT lower(hex(content_hash)) FROM kept_pictures WHERE store_id = ? ORDER BY 1',
    )
    .pluck()
  const keeps = db.prepare<[string, Buffer], { found: 1 }>(
    'SELECT 1 AS found FROM kept_pictures WHERE store_id = ? AND content_hash = ?',
  )
  const keptAddress = db.prepare<[string], { storeId: string }>(
    'SELECT store_id AS storeId FROM kept_pictures WHERE address = ?',
  )
  const vectorId = db.prepare<[string], { found: 1 }>('SELECT 1 AS found FROM products WHERE vector_id = ?')
  const apiKey = db.prepare<{ hash: Uint8Array }, { slug: string }>(`
    SELECT slug FROM api_keys JOIN stores ON stores.id = store_id WHERE key_hash = @hash OR previous_key_hash = @hash`)
  const publicKey = db.prepare<[Uint8Array], { slug: string }>(
    'SELECT slug FROM public_keys JOIN stores ON stores.id = store_id WHERE key_hash = ?',
  )
  const waiting = db.prepare<{ storeId: string }, { webhooksOff: number; feedsPaused: number }>(`
    SELECT (SELECT count(*) FROM webhooks WHERE store_id = @storeId AND enabled = 0) AS webhooksOff,
      (SELECT count(*) FROM feeds WHERE store_id = @storeId AND is_paused = 1) AS feedsPaused`)
  const unfinished = db
    .prepare<[string], number>('SELECT count(*) FROM jobs WHERE store_id = ? AND finished_at IS NULL')
    .pluck()

  return {
    // Stores that arrive.
    addArrival: (storeId: string, slug: string, until: number): void =>
      void addArrival.run(storeId, slug, BigInt(until)),
    /** Goes on for another while. @returns false once the time was over: the store is being deleted. */
    renewArrival: (storeId: string, now: number, until: number): boolean =>
      renew.run({ storeId, now: BigInt(now), until: BigInt(until) }).changes > 0,
    completeArrival: (storeId: string): void => void complete.run(storeId),
    endArrival: (storeId: string): void => void end.run(storeId),
    /** Those that only have to be opened. */
    listWhole: (): Arrival[] => whole.all(),
    isArriving: (storeId: string): boolean => arriving.get(storeId) !== undefined,
    /** Counts what does nothing until somebody switches it on. */
    countWaiting: (storeId: string) => waiting.get({ storeId }) ?? { webhooksOff: 0, feedsPaused: 0 },
    awaitPerson: (storeId: string, email: string, kind: 'group' | 'api_key', id: string): void =>
      void wait.run(storeId, email, kind, id),

    // What goes into a file.
    listMembers: (storeId: string) => members.all(storeId),
    listInvited: (storeId: string, now: number) => invited.all(storeId, BigInt(now)),
    listGroupMembers: (storeId: string) => groups.all(storeId),
    listAwaited: (storeId: string, kind: 'group' | 'api_key') => awaited.all(storeId, kind),
    listMakers: (storeId: string) => makers.all(storeId),
    listWebhookIds: (storeId: string): string[] => webhooks.all(storeId),
    listLogins: (storeId: string) => logins.all(storeId),
    /** Hashes of the files that it keeps. */
    listKept: (storeId: string): string[] => kept.all(storeId),
    countUnfinishedJobs: (storeId: string): number => unfinished.get(storeId) ?? 0,

    keepsPicture: (storeId: string, contentHash: string): boolean =>
      keeps.get(storeId, Buffer.from(contentHash, 'hex')) !== undefined,

    // What may collide with something here.
    findKeptOwner: (address: string): string | undefined => keptAddress.get(address)?.storeId,
    hasVectorId: (id: string): boolean => vectorId.get(id) !== undefined,
    findStoreOfApiKey: (hash: Uint8Array): string | undefined => apiKey.get({ hash })?.slug,
    findStoreOfPublicKey: (hash: Uint8Array): string | undefined => publicKey.get(hash)?.slug,
  }
}
