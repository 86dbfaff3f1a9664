import { createHmac } from 'node:crypto'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes Base32 (RFC 4648 §6) bit by bit. */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (char) => BASE32.indexOf(char).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** HOTP with HMAC-SHA-1 and 6 digits, written after RFC 4226 §5.3, independent of the library that the service uses. */
export function hotp(key: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const mac = createHmac('sha1', key).update(message).digest()
  const offset = (mac.at(-1) as number) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Computes the code of an authenticator at a time (RFC 6238), or some steps of 30 seconds away. */
export const shownCode = (secret: string, nowMs: number, steps = 0): string =>
  hotp(fromBase32(secret), Math.floor(nowMs / 30_000) + steps)
