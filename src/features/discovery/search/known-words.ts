import type { EmbeddedText, Embedder } from '../../../platform/embedder/embedder.ts'

export interface KnownWordsOptions {
  /** The model in use; what another one made of a text is never given out. */
  embedder: Pick<Embedder, 'model' | 'embedText'>
  /** Texts and vectors of all stores together. */
  bytesMax?: number
}

const BYTES_MAX = 16 * 1024 * 1024

/** A text that takes more is not kept; a query of 500 characters beside 1,024 numbers takes a third of it. */
const ENTRY_BYTES_MAX = 16 * 1024

/** What an entry takes beside its text and its vector: two objects, two places in a map. */
const ENTRY_OVERHEAD_BYTES = 256

const BYTES_PER_CHAR = 2

interface Entry {
  modelHash: string
  answer: EmbeddedText
  bytes: number
}

/** The words of one store. */
interface Shelf {
  bytes: number
  /** By text, the least recently searched first. */
  entries: Map<string, Entry>
  /** By model and text: inferences that are running. */
  running: Map<string, Promise<EmbeddedText>>
}

export type KnownWords = ReturnType<typeof createKnownWords>

/**
 * Keeps the vectors of the words that were searched last, because most queries of a shop repeat, and lets searches for
 * the same words share one inference. Failures are not kept.
 *
 * Each store has words of its own: with common ones, the time of an answer would tell what other stores search for. When
 * all together take too much, the store that holds most forgets the words that it has not searched for longest. So a
 * flood of fresh words pushes out those of its own store, at an inference each, and of others only what they hold
 * beyond an equal share.
 */
export function createKnownWords({ embedder, bytesMax = BYTES_MAX }: KnownWordsOptions) {
  const shelves = new Map<string, Shelf>()
  let held = 0

  function openShelf(storeId: string): Shelf {
    const shelf = shelves.get(storeId) ?? { bytes: 0, entries: new Map(), running: new Map() }
    shelves.set(storeId, shelf)
    return shelf
  }

  /** Forgets a shelf that holds nothing. */
  function tidy(storeId: string): void {
    const shelf = shelves.get(storeId)
    if (shelf && shelf.entries.size === 0 && shelf.running.size === 0) shelves.delete(storeId)
  }

  function drop(storeId: string, shelf: Shelf, text: string): void {
    const bytes = shelf.entries.get(text)?.bytes ?? 0
    shelf.entries.delete(text)
    shelf.bytes -= bytes
    held -= bytes
    tidy(storeId)
  }

  function makeRoom(): void {
    while (held > bytesMax) {
      const [storeId, shelf] = largest(shelves)
      const [oldest = ''] = shelf.entries.keys()
      drop(storeId, shelf, oldest)
    }
  }

  function keep(storeId: string, shelf: Shelf, text: string, entry: Entry): void {
    // The store may have been forgotten meanwhile.
    if (entry.bytes > ENTRY_BYTES_MAX || shelves.get(storeId) !== shelf) return
    drop(storeId, shelf, text)
    shelf.entries.set(text, entry)
    shelf.bytes += entry.bytes
    held += entry.bytes
    makeRoom()
  }

  async function infer(
    storeId: string,
    shelf: Shelf,
    text: string,
    modelHash: string,
  ): Promise<EmbeddedText> {
    const answer = await embedder.embedText(text, 'search')
    const bytes = text.length * BYTES_PER_CHAR + answer.vector.byteLength + ENTRY_OVERHEAD_BYTES
    keep(storeId, shelf, text, { modelHash, answer, bytes })
    return answer
  }

  return {
    /**
     * The vector of a text. Nobody may change it: later searches get the same one.
     *
     * @throws ApiError like `Embedder.embedText`.
     */
    embed(storeId: string, text: string): Promise<EmbeddedText> {
      const { hash } = embedder.model
      const shelf = openShelf(storeId)
      const entry = shelf.entries.get(text)
      if (entry?.modelHash === hash) {
        // The most recently searched stands last.
        shelf.entries.delete(text)
        shelf.entries.set(text, entry)
        return Promise.resolve(entry.answer)
      }
      const name = `${hash} ${text}`
      const running = shelf.running.get(name)
      if (running) return running
      const inference = infer(storeId, shelf, text, hash).finally(() => {
        shelf.running.delete(name)
        tidy(storeId)
      })
      shelf.running.set(name, inference)
      return inference
    },

    forgetStore(storeId: string): void {
      held -= shelves.get(storeId)?.bytes ?? 0
      shelves.delete(storeId)
    },

    /** Bytes that are counted at the moment, of all stores together. */
    heldBytes: (): number => held,
  }
}

function largest(shelves: ReadonlyMap<string, Shelf>): [storeId: string, shelf: Shelf] {
  let most: [string, Shelf] | undefined
  for (const candidate of shelves) if (!most || candidate[1].bytes > most[1].bytes) most = candidate
  if (!most) throw new Error('nothing holds anything, so nothing can be too much')
  return most
}
