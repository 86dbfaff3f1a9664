import { createHash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a secret. Its 256 random bits need no slow hash. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * Whether a secret matches a stored hash, compared in constant time.
 *
 * @param storedHash undefined when no hash is stored; the comparison then does the same work and fails.
 */
export function isSecret(secret: string, storedHash: Uint8Array | undefined): boolean {
  return isSameHash(hashSecret(secret), storedHash)
}

/** The same for a secret that was hashed before. */
export function isSameHash(given: Buffer, storedHash: Uint8Array | undefined): boolean {
  const stored = storedHash?.byteLength === given.byteLength ? storedHash : undefined
  const isSame = timingSafeEqual(given, stored ?? given)
  return isSame && stored !== undefined
}
