import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base } from '../../module.ts'
import type { SecretQueries, SecretRow } from './secret-queries.ts'
import { makeSecret } from './signatures.ts'

export interface SecretDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: SecretQueries
  secretBox: SecretBox
}

const SECRET_BYTES = 32
const HINT_CHARS = 4

/** Replaced secrets that still sign, at most: the header of a delivery must not grow without end. */
const REPLACED_MAX = 4

export type SigningSecrets = ReturnType<typeof signingSecrets>

/** The secrets that sign deliveries, sealed at rest. Each belongs to a webhook, or to the callbacks of a store. */
export function signingSecrets({ queries, secretBox, clock, ids }: SecretDeps) {
  const list = (storeId: string, owner: string): SecretRow[] =>
    queries.listValid(storeId, owner, clock.now(), 1 + REPLACED_MAX)

  const open = (
    storeId: string,
    owner: string,
    { number, sealed }: { number: number; sealed: Uint8Array },
  ): string | undefined => secretBox.open(sealed, context(storeId, owner, number))

  function add(storeId: string, owner: string, number: number, secret: string): void {
    const sealed = secretBox.seal(secret, context(storeId, owner, number))
    const hint = `…${secret.slice(-HINT_CHARS)}`
    queries.add({ storeId, owner, number, sealed, hint })
  }

  const make = (): string => makeSecret(ids.secret(SECRET_BYTES))

  return {
    /** Gives an owner its first secret, made here unless one is given. @returns the secret. */
    create(storeId: string, owner: string, secret: string = make()): string {
      add(storeId, owner, 1, secret)
      return secret
    },

    /**
     * Replaces the current secret, which goes on signing for a while, and the new one beside it. Call it inside a transaction.
     *
     * @returns the new secret, and the time in Unix ms at which the old one ends; null if there was none.
     */
    rotate(storeId: string, owner: string, graceSeconds: number): { secret: string; endsAt: number | null } {
      const now = clock.now()
      const [current] = list(storeId, owner)
      const number = (current?.number ?? 0) + 1
      const endsAt = now + graceSeconds * 1000
      queries.expireCurrent(storeId, owner, endsAt)
      queries.removeOld(storeId, owner, now, number - 1 - REPLACED_MAX)
      const secret = make()
      add(storeId, owner, number, secret)
      return { secret, endsAt: current ? endsAt : null }
    },

    /** The secrets that sign now, the current one first; empty if they cannot be opened or if there are none. */
    read: (storeId: string, owner: string): string[] =>
      list(storeId, owner).flatMap((row) => open(storeId, owner, row) ?? []),

    /** Seals a secret for its row. */
    seal: (storeId: string, owner: string, number: number, secret: string): Uint8Array =>
      secretBox.seal(secret, context(storeId, owner, number)),

    /** Opens a secret as its row has it. */
    open,

    /** The end of the current secret, as in `…a1b2`; undefined if there is none. */
    readHint: (storeId: string, owner: string): string | undefined => list(storeId, owner)[0]?.hint,

    remove: queries.removeAll,
  }
}

/** Binds a sealed secret to its place: it opens nowhere else. */
const context = (storeId: string, owner: string, number: number): string =>
  `signing secret:${storeId}:${owner}:${number}`
