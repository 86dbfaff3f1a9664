import type { Ids } from '../../core/ids.ts'
import { createSecretBox } from '../secret-box.ts'
import type { Db } from './open.ts'

/** The secrets outside the database: `data` encrypts stored values, `jwt` signs tokens. */
export type SecretName = 'data' | 'jwt'

const WORD = 'lookalike'

/** Recognises secrets without storing them: each seals a known word. */
export function createSecretSeals(db: Db, ids: Pick<Ids, 'secret'>) {
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
    /** Whether this is the remembered secret; undefined if none is. @throws Error if it is too short. */
    isSame(name: SecretName, secret: string): boolean | undefined {
      const row = find.get(name)
      return row && createSecretBox(secret, ids).open(row.sealed, `seal of ${name}`) === WORD
    },
    /** Remembers a secret, unless another process already did. */
    add: (name: SecretName, secret: string): void => void add.run(name, seal(name, secret)),
    replace: (name: SecretName, secret: string): void => void replace.run(name, seal(name, secret)),
    /** Whether the database contains anything sealed with the secret `data`. */
    anySealed: (): boolean => anySealed.get()?.found === 1,
    /** E-mail addresses of people with a sealed authenticator. */
    sealedPeople: (): string[] => sealedPeople.all().map(({ email }) => email),
  }
}
