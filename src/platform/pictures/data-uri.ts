import { ApiError } from '../../core/errors.ts'
import { sizeInWords } from '../../core/text.ts'

/**
 * Reads the bytes of a `data:` URI (RFC 2397), base64 or percent-encoded. The declared media type is ignored.
 *
 * @param maxBytes largest allowed size of the decoded bytes.
 * @throws ApiError `image_unreadable` for a damaged URI, `image_too_large` beyond `maxBytes`.
 */
export const decodeDataUri = (text: string, maxBytes: number): Uint8Array<ArrayBuffer> => {
  const comma = text.indexOf(',')
  if (!/^data:/i.test(text) || comma < 0) throw unreadable('The data: URI has no comma before its content')
  const content = text.slice(comma + 1)
  if (!/; *base64$/i.test(text.slice(0, comma))) return decodePercent(content, maxBytes)
  if (!content.includes('%')) return decodeBase64(content, maxBytes)
  // Base64 in an address may have its `+`, `/` and `=` escaped, three characters for one.
  const base64Bytes = decodePercent(content, Math.ceil(maxBytes / 3) * 4)
  return decodeBase64(new TextDecoder('latin1').decode(base64Bytes), maxBytes)
}

/**
 * Reads base64 or base64url (RFC 4648), with or without padding, and nothing else: no line breaks, no other signs.
 *
 * @param maxBytes largest allowed size of the decoded bytes.
 * @throws ApiError `image_unreadable`, or `image_too_large` beyond `maxBytes`, judged before decoding.
 */
export const decodeBase64 = (text: string, maxBytes: number): Uint8Array<ArrayBuffer> => {
  const signs = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
  const size = Math.floor((signs * 3) / 4)
  if (size > maxBytes) throw tooLarge(maxBytes)
  const isPadded = signs < text.length
  const bytes = base64Bytes(isPadded ? text : text + '='.repeat((4 - (signs % 4)) % 4))
  // The decoder skips white space, which shows as a shorter result.
  if (bytes?.length !== size) throw unreadable('The base64 text is damaged or contains white space')
  return bytes
}

const base64Bytes = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const alphabet = /[-_]/.test(text) ? 'base64url' : 'base64'
    return Uint8Array.fromBase64(text, { alphabet, lastChunkHandling: 'strict' })
  } catch {
    return undefined
  }
}

const decodePercent = (text: string, maxBytes: number): Uint8Array<ArrayBuffer> => {
  if (text.length > maxBytes * 3) throw tooLarge(maxBytes)
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const isEscape = text[at] === '%'
    const value = isEscape ? hexByte(text.slice(at + 1, at + 3)) : text.charCodeAt(at)
    // Raw signs are the printable ones of ASCII; `#` would begin a fragment.
    if (!isEscape && (value < 0x21 || value > 0x7e || value === 0x23)) throw damagedEscape()
    bytes[length] = value
    length += 1
    if (isEscape) at += 2
  }
  if (length > maxBytes) throw tooLarge(maxBytes)
  return bytes.slice(0, length)
}

const hexByte = (digits: string): number => {
  if (!/^[0-9a-f]{2}$/i.test(digits)) throw damagedEscape()
  return Number.parseInt(digits, 16)
}

const damagedEscape = () => unreadable('The data: URI is not percent-encoded correctly')
const unreadable = (message: string) => new ApiError('image_unreadable', message)
const tooLarge = (maxBytes: number) =>
  new ApiError('image_too_large', `The picture is larger than ${sizeInWords(maxBytes)}`, {
    details: { max_bytes: maxBytes },
  })
