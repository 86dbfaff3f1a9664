import type { Db } from '../../../platform/db/open.ts'

/** The code that makes the first super-admin. */
export interface SetupCodeRow {
  codeHash: Uint8Array
  /** Unix ms. */
  expiresAt: number
}

export type SetupCodeQueries = ReturnType<typeof setupCodeQueries>

/** All SQL about the code of the set-up link. */
export function setupCodeQueries(db: Db) {
  const find = db.prepare<[], SetupCodeRow>(
    'SELECT code_hash AS codeHash, expires_at AS expiresAt FROM setup_codes',
  )
  const put = db.prepare(`
    INSERT INTO setup_codes (id, code_hash, expires_at) VALUES (1, @codeHash, @expiresAt)
    ON CONFLICT (id) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at`)
  const remove = db.prepare('DELETE FROM setup_codes')

  return {
    find: (): SetupCodeRow | undefined => find.get(),
    /** Stores a code in place of the one before. */
    put: (row: SetupCodeRow): void => void put.run(row),
    remove: (): void => void remove.run(),
  }
}
