import { buildLexicon, type Lexicon } from './lexicon.ts'
import type { StoreWords } from './schema.ts'

export interface LexiconsDeps {
  has(storeId: string): boolean
  read(storeId: string): StoreWords
  /** Lexicons of all stores together. */
  bytesMax?: number
}

const BYTES_MAX = 64 * 1024 * 1024
/** A store without words takes as much. */
const STORE_BYTES = 200

/** Keeps the words of stores ready; those that were searched least recently go first when all take too much. */
export function createLexicons({ has, read, bytesMax = BYTES_MAX }: LexiconsDeps) {
  /** The least recently searched first; null for a store without words. */
  const known = new Map<string, Lexicon | null>()
  const building = new Map<string, Promise<Lexicon>>()
  let held = 0

  const sizeOf = (lexicon: Lexicon | null): number => STORE_BYTES + (lexicon?.bytes ?? 0)

  function drop(storeId: string): void {
    const lexicon = known.get(storeId)
    if (lexicon === undefined) return
    known.delete(storeId)
    held -= sizeOf(lexicon)
  }

  function keep(storeId: string, lexicon: Lexicon | null): void {
    drop(storeId)
    known.set(storeId, lexicon)
    held += sizeOf(lexicon)
    for (const oldest of known.keys()) {
      if (held <= bytesMax) break
      drop(oldest)
    }
  }

  /** Builds it once for all searches that wait; it is not kept where the words have changed meanwhile. */
  function build(storeId: string): Promise<Lexicon> {
    const started = building.get(storeId)
    if (started) return started
    const own = buildLexicon(read(storeId)).then((lexicon) => {
      if (building.get(storeId) === own) {
        building.delete(storeId)
        keep(storeId, lexicon)
      }
      return lexicon
    })
    building.set(storeId, own)
    // A failure belongs to whoever waits, and the next search tries again.
    own.catch(() => building.delete(storeId))
    return own
  }

  return {
    /** The words of a store; undefined without any. */
    async find(storeId: string): Promise<Lexicon | undefined> {
      const lexicon = known.get(storeId)
      if (lexicon !== undefined) {
        // The most recent store comes last.
        known.delete(storeId)
        known.set(storeId, lexicon)
        return lexicon ?? undefined
      }
      if (!has(storeId)) {
        keep(storeId, null)
        return undefined
      }
      return build(storeId)
    },

    /** Reads the words of a store anew with its next search. */
    forgetStore(storeId: string): void {
      drop(storeId)
      building.delete(storeId)
    },

    /** Bytes held now, of all stores together. */
    countBytes: (): number => held,
  }
}
