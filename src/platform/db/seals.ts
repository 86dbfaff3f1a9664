import type { Ids } from '../../core/ids.ts'
import { createSecretBox } from '../secret-box.ts'
import type { Db } from './open.ts'

/** The secrets outside the database: one seals what is stored, the other signs tokens. */
export type SecretName = 'data' | 'jwt'

const WORD = 'lookalike'

/** Remembers secrets without telling them: a known word, sealed with each. */
export function secretSeals(db: Db, ids: Pick<Ids, 'secret'>) {
  const find = db.prepare<[string], { sealed: Buffer }>('SELECT sealed FROM seals WHERE name = ?')
  const add = db.prepare('INSERT INTO seals (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO NOTHING')
  const replace = db.prepare('INSERT OR REPLACE INTO seals (name, sealed) VALUES (?, ?)')
  const anySealed = db.prepare<[], { found: number }>(`
    SELECT EXISTS (SELECT 1 FROM two_factor) OR EXISTS (SELECT 1 FROM recovery_codes)
      OR EXISTS (SELECT 1 FROM outbox) AS found`)
  const sealedPeople = db.prepare<[], { email: string }>(
    'SELECT email FROM users JOIN two_factor ON two_factor.user_id = users.id ORDER BY email',
  )
  const seal = (name: SecretName, secret: string) =>
    createSecretBox(secret, ids).seal(WORD, `seal of ${name}`)

  return {
    has: (name: SecretName): boolean => find.get(name) !== undefined,
    /** Whether it is the secret that was sealed with; undefined where none was remembered. @throws Error for one that is too short. */
    isSame(name: SecretName, secret: string): boolean | undefined {
      const row = find.get(name)
      return row && createSecretBox(secret, ids).open(row.sealed, `seal of ${name}`) === WORD
    },
    /** Remembers a secret unless another process was faster. */
    add: (name: SecretName, secret: string): void => void add.run(name, seal(name, secret)),
    replace: (name: SecretName, secret: string): void => void replace.run(name, seal(name, secret)),
    /** Whether something lies here that opens with the secret `data` alone. */
    anySealed: (): boolean => anySealed.get()?.found === 1,
    /** Addresses of those whose authenticator is sealed. */
    sealedPeople: (): string[] => sealedPeople.all().map(({ email }) => email),
  }
}
