import { createHash, type Hash } from 'node:crypto'

/** Bytes that are collected before they are written, so that a sender of tiny pieces causes no write for each. */
const BUFFER_BYTES = 256 * 1024

/**
 * Writes pieces that arrive, some at a time.
 *
 * @param append writes bytes behind those before.
 * @param bytesMax the most bytes in all.
 * @param tooLarge what to throw beyond them.
 * @param begun what was written before: its bytes, and the hash that has taken them in.
 * @returns the bytes in all and their hash, by default SHA-256.
 */
export async function writeCollected(
  pieces: AsyncIterable<Uint8Array>,
  append: (bytes: Uint8Array) => Promise<unknown>,
  bytesMax: number,
  tooLarge: (bytesMax: number) => Error,
  begun: { sizeBytes: number; hash: Hash } = { sizeBytes: 0, hash: createHash('sha256') },
): Promise<{ sizeBytes: number; hash: Buffer }> {
  const { hash } = begun
  let { sizeBytes } = begun
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  async function flush(): Promise<void> {
    const [only] = waiting
    if (only) await append(waiting.length === 1 ? only : Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
  }
  for await (const piece of pieces) {
    sizeBytes += piece.length
    if (sizeBytes > bytesMax) throw tooLarge(bytesMax)
    hash.update(piece)
    waiting.push(piece)
    waitingBytes += piece.length
    if (waitingBytes >= BUFFER_BYTES) await flush()
  }
  if (waitingBytes > 0) await flush()
  return { sizeBytes, hash: hash.digest() }
}
