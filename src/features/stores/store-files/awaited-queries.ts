import type { Db } from '../../../platform/db/open.ts'

/** The SQL that forgets people whom stores from files await. */
export function awaitedQueries(db: Db) {
  const forget = db.prepare('DELETE FROM awaited_people WHERE email = ?')
  return {
    /** Forgets an address that no account has any more. @param email normalised. */
    forgetEmail: (email: string): void => void forget.run(email),
  }
}
