import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { Ids } from '../core/ids.ts'

/** Encrypts values that must be readable again, such as TOTP secrets, so that the database alone cannot reveal them. */
export interface SecretBox {
  /** @param context the owner of the text; it cannot be opened in any other context. */
  seal(plain: string, context: string): Buffer
  /** @returns undefined for a value that was changed, or sealed with another secret or for another context. */
  open(sealed: Uint8Array, context: string): string | undefined
  /**
   * HMAC-SHA-256 with a key of its own, 32 bytes. It suits values that need not be readable again but are too short for
   * a bare hash, which anyone with the database could brute-force.
   */
  digest(plain: string, context: string): Buffer
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
/** 96 bits, as NIST SP 800-38D §8.2 recommends; random nonces are safe for 2³² texts per key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** First byte of every sealed value; another cipher would use another. */
const VERSION = 1
const HEAD_BYTES = 1 + NONCE_BYTES

/**
 * Creates a box that uses AES-256-GCM with a key derived from a secret (HKDF-SHA-256, RFC 5869). A sealed value
 * consists of version, nonce, ciphertext and tag.
 *
 * @param secret at least 256 bits of randomness, stored outside the database.
 * @throws Error for a secret that is too short.
 */
export function createSecretBox(secret: string, ids: Pick<Ids, 'secret'>): SecretBox {
  if (secret.length < KEY_BYTES) throw new Error('The secret that encrypts stored data is too short')
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES))
  const key = derive('lookalike secret box')
  const digestKey = derive('lookalike digest')

  return {
    seal(plain, context) {
      const head = Buffer.concat([Buffer.of(VERSION), Buffer.from(ids.secret(NONCE_BYTES), 'base64url')])
      const cipher = createCipheriv(CIPHER, key, head.subarray(1), { authTagLength: TAG_BYTES })
      cipher.setAAD(additionalData(head, context))
      return Buffer.concat([head, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },

    open(sealed, context) {
      if (sealed.byteLength < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return undefined
      const head = sealed.subarray(0, HEAD_BYTES)
      const decipher = createDecipheriv(CIPHER, key, head.subarray(1), { authTagLength: TAG_BYTES })
      decipher.setAAD(additionalData(head, context))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      try {
        const plain = decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES))
        return Buffer.concat([plain, decipher.final()]).toString('utf8')
      } catch {
        // The tag does not match; node:crypto reports that only by throwing.
        return undefined
      }
    },

    digest: (plain, context) =>
      createHmac('sha256', digestKey)
        .update(JSON.stringify([context, plain]))
        .digest(),
  }
}

/** Authenticates the version too, so that no value can pass as sealed by an older cipher. */
const additionalData = (head: Uint8Array, context: string): Buffer =>
  Buffer.concat([head.subarray(0, 1), Buffer.from(context, 'utf8')])
