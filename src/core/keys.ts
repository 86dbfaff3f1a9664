import type { Ids } from './ids.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The number in `digits` places of base 62, most significant first. */
function base62(number: bigint, digits: number): string {
  let rest = number
  let text = ''
  for (let n = 0; n < digits; n++) {
    text = BASE62[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}

/**
 * A key that tells its kind and can be checked for typing errors: prefix, 32 random characters and the CRC-32 of them
 * in 6, all base 62 (the design of GitHub's tokens).
 */
export function checksummedKey(prefix: string, ids: Pick<Ids, 'secret'>): string {
  const random = BigInt(`0x${Buffer.from(ids.secret(32), 'base64url').toString('hex')}`)
  const body = base62(random, 32)
  return prefix + body + base62(BigInt(Bun.hash.crc32(body)), 6)
}
