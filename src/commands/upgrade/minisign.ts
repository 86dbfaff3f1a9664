import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/** A public key of minisign: what `minisign -p` prints, 42 bytes in base64. */
export interface ReleaseKey {
  /** As people compare it: 16 hex digits. */
  id: string
  key: KeyObject
}

/** Lengths in bytes, and what stands before a raw Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const BYTES = { algorithm: 2, id: 8, key: 32, signature: 64 }
const SPKI_START = Buffer.from('302a300506032b6570032100', 'hex')
const UNTRUSTED = 'untrusted comment: '
const TRUSTED = 'trusted comment: '

/** A signature, or a key, that cannot be read, or that is wrong. The message is a sentence's end. */
export class BadSignature extends Error {}

/** Reads the line of a public key. @throws BadSignature */
export function readReleaseKey(line: string): ReleaseKey {
  const bytes = decode(line, BYTES.algorithm + BYTES.id + BYTES.key)
  if (bytes.toString('latin1', 0, BYTES.algorithm) !== 'Ed') throw new BadSignature('it is no Ed25519 key')
  const raw = bytes.subarray(BYTES.algorithm + BYTES.id)
  const key = createPublicKey({ key: Buffer.concat([SPKI_START, raw]), format: 'der', type: 'spki' })
  return { id: formatId(bytes), key }
}

/**
 * Checks a signature of minisign, the kind that it makes by default: Ed25519 over BLAKE2b-512 of the content, and a second one
 * over the first with the trusted comment. https://jedisct1.github.io/minisign/
 *
 * @returns the trusted comment.
 * @throws BadSignature
 */
export function checkSignature(content: Uint8Array, signature: string, { id, key }: ReleaseKey): string {
  const [comment, first, trusted, second] = signature.split(/\r?\n/)
  if (!comment?.startsWith(UNTRUSTED) || !trusted?.startsWith(TRUSTED))
    throw new BadSignature('it is no signature of minisign')
  const bytes = decode(first, BYTES.algorithm + BYTES.id + BYTES.signature)
  if (bytes.toString('latin1', 0, BYTES.algorithm) !== 'ED')
    throw new BadSignature('it was made with an old format of minisign')
  if (formatId(bytes) !== id) throw new BadSignature(`it was made with another key, ${formatId(bytes)}`)
  const own = bytes.subarray(BYTES.algorithm + BYTES.id)
  const hash = createHash('blake2b512').update(content).digest()
  if (!verify(null, hash, key, own)) throw new BadSignature('the file is not the one that was signed')
  const said = trusted.slice(TRUSTED.length)
  const whole = Buffer.concat([own, Buffer.from(said)])
  if (!verify(null, whole, key, decode(second, BYTES.signature)))
    throw new BadSignature('its comment was changed')
  return said
}

function decode(line: string | undefined, length: number): Buffer {
  const bytes = Buffer.from(line ?? '', 'base64')
  if (bytes.length !== length) throw new BadSignature('it is cut')
  return bytes
}

/** The number of a key, least significant byte first in the file. */
const formatId = (bytes: Buffer): string =>
  Buffer.from(bytes.subarray(BYTES.algorithm, BYTES.algorithm + BYTES.id))
    .reverse()
    .toString('hex')
    .toUpperCase()
