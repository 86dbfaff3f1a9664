import { createHash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a secret that is random enough to need no slow hash (256 bits). */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * Whether a secret belongs to a stored hash, in constant time.
 *
 * @param storedHash undefined when there is nothing to compare with; the same work is done then.
 */
export function isSecret(secret: string, storedHash: Uint8Array | undefined): boolean {
  const given = hashSecret(secret)
  const stored = storedHash?.byteLength === given.byteLength ? storedHash : undefined
  const isSame = timingSafeEqual(given, stored ?? given)
  return isSame && stored !== undefined
}
