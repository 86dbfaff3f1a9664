import { createHash, type Hash } from 'node:crypto'
import { STEP_BYTES, turn } from './turns.ts'

/** Adds bytes, or text as UTF-8, to a hash, one step per turn of the event loop. */
export async function hashInTurns(hash: Hash, data: Uint8Array | string): Promise<void> {
  if (data.length > STEP_BYTES) await turn()
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    if (at > 0) await turn()
    hash.update(bytes.subarray(at, at + STEP_BYTES))
  }
}

/** SHA-256 of bytes, computed like {@link hashInTurns}. */
export async function sha256(bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256')
  await hashInTurns(hash, bytes)
  return hash.digest()
}
