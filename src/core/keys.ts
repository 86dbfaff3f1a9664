import type { Ids } from './ids.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Writes a number in base 62 with a fixed count of digits, most significant first. */
function toBase62(number: bigint, digits: number): string {
  let rest = number
  let text = ''
  for (let n = 0; n < digits; n++) {
    text = BASE62[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}

/**
 * Creates a key that names its kind and reveals typing errors, in the design of GitHub's tokens: a prefix, 32 random
 * characters, and their CRC-32 in 6 characters, all base 62.
 */
export function createChecksummedKey(prefix: string, ids: Pick<Ids, 'secret'>): string {
  const random = BigInt(`0x${Buffer.from(ids.secret(32), 'base64url').toString('hex')}`)
  const body = toBase62(random, 32)
  return prefix + body + toBase62(BigInt(Bun.hash.crc32(body)), 6)
}
