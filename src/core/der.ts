/** Writes ASN.1 in DER (X.690), as far as certificates and requests for them need it. */
export type Der = Uint8Array

/** A value with its tag and length. */
export function der(tag: number, ...parts: readonly Der[]): Der {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body])
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return [0x80 | bytes.length, ...bytes]
}

export const sequence = (...parts: readonly Der[]): Der => der(0x30, ...parts)
export const set = (...parts: readonly Der[]): Der => der(0x31, ...parts)
export const octets = (bytes: Der): Der => der(0x04, bytes)
/** A part with a number of its own, which holds others. */
export const tagged = (number: number, ...parts: readonly Der[]): Der => der(0xa0 | number, ...parts)
/** A bit string of whole bytes. */
export const bits = (bytes: Der): Der => der(0x03, Buffer.from([0]), bytes)
export const utf8 = (text: string): Der => der(0x0c, Buffer.from(text))

/** A whole number that is not negative, as its bytes. */
export const integer = (...bytes: readonly number[]): Der =>
  der(0x02, Buffer.from((bytes[0] ?? 0) >= 0x80 ? [0, ...bytes] : bytes))

/** A moment from 1950 to 2049. @param ms Unix ms. */
export const time = (ms: number): Der =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/\D/g, '')}Z`))

/** An object identifier, such as `2.5.29.17`. */
export function identifier(text: string): Der {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]))
}

function toBase128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f))
  return bytes
}

/** Writes DER as PEM. */
export const toPem = (label: string, bytes: Der): string => {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
