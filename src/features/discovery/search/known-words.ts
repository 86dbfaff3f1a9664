import type { EmbeddedText, Embedder, EmbedPriority } from '../../../platform/embedder/embedder.ts'

export interface KnownWordsOptions {
  /** That of the store's model; a vector of another model is never returned. */
  embedderOf(storeId: string): Pick<Embedder, 'model' | 'embedText'>
  /** Texts and vectors of all stores together. */
  bytesMax?: number
}

const BYTES_MAX = 16 * 1024 * 1024

/** A larger entry is not kept; a query of 500 characters with 1,024 numbers takes a third of it. */
const ENTRY_BYTES_MAX = 16 * 1024

/** The bytes of an entry besides its text and its vector: two objects, two places in a map. */
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
  /** By urgency, model and text: inferences that are running. */
  running: Map<string, Promise<EmbeddedText>>
}

export type KnownWords = ReturnType<typeof createKnownWords>

/**
 * Keeps the vectors of recent queries, because most queries of a shop repeat. Concurrent searches for the same words
 * share one inference. Failures are not kept.
 *
 * Each store has its own words: with shared ones, the time of an answer would reveal what other stores search for. When
 * all stores together hold too much, the store that holds most forgets its least recent words. A flood of fresh words
 * therefore costs an inference each, and pushes out the words of its own store before those of others.
 */
export function createKnownWords({ embedderOf, bytesMax = BYTES_MAX }: KnownWordsOptions) {
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

  function evict(): void {
    while (held > bytesMax) {
      const [storeId, shelf] = findLargest(shelves)
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
    evict()
  }

  async function infer(
    storeId: string,
    shelf: Shelf,
    text: string,
    { embedder, priority }: { embedder: Pick<Embedder, 'model' | 'embedText'>; priority: EmbedPriority },
  ): Promise<EmbeddedText> {
    const modelHash = embedder.model.hash
    const answer = await embedder.embedText(text, priority)
    const bytes = text.length * BYTES_PER_CHAR + answer.vector.byteLength + ENTRY_OVERHEAD_BYTES
    keep(storeId, shelf, text, { modelHash, answer, bytes })
    return answer
  }

  return {
    /**
     * Embeds a text. Do not change the vector: later searches get the same one.
     *
     * @throws ApiError like `Embedder.embedText`.
     */
    embed(storeId: string, text: string, priority: EmbedPriority = 'search'): Promise<EmbeddedText> {
      const embedder = embedderOf(storeId)
      const { hash } = embedder.model
      const shelf = openShelf(storeId)
      const entry = shelf.entries.get(text)
      if (entry?.modelHash === hash) {
        // The most recent text comes last.
        shelf.entries.delete(text)
        shelf.entries.set(text, entry)
        return Promise.resolve(entry.answer)
      }
      // A search must not wait for an inference that waits behind others.
      const name = `${priority} ${hash} ${text}`
      const running = shelf.running.get(name)
      if (running) return running
      const inference = infer(storeId, shelf, text, { embedder, priority }).finally(() => {
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

    /** Counts the bytes held now, of all stores together. */
    countBytes: (): number => held,
  }
}

function findLargest(shelves: ReadonlyMap<string, Shelf>): [storeId: string, shelf: Shelf] {
  let most: [string, Shelf] | undefined
  for (const candidate of shelves) if (!most || candidate[1].bytes > most[1].bytes) most = candidate
  if (!most) throw new Error('there is no shelf')
  return most
}
