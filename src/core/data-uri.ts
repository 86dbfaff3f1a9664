import { ApiError } from './errors.ts'
import { sizeInWords } from './text.ts'
import { HEAVY_BYTES, turn } from './turns.ts'

/**
 * Decodes a `data:` URI (RFC 2397), base64 or percent-encoded. A long one takes several turns of the event loop. The
 * declared media type is ignored.
 *
 * @param maxBytes largest allowed size of the decoded bytes.
 * @throws ApiError `image_unreadable` for a damaged URI, `image_too_large` beyond `maxBytes`.
 */
export const decodeDataUri = async (text: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  if (text.length > HEAVY_BYTES) await turn()
  const comma = text.indexOf(',')
  if (!/^data:/i.test(text) || comma < 0) throw unreadable('The data: URI has no comma before its content')
  const content = text.slice(comma + 1)
  // Only the end of the media type, which may be as long as the text.
  const type = text.slice(Math.max(0, comma - TYPE_END_CHARS), comma)
  if (!/; *base64$/i.test(type)) return decodePercent(content, maxBytes)
  if (!content.includes('%')) return decodeBase64(content, maxBytes)
  // Base64 in a URL may escape `+`, `/` and `=`, three characters for one.
  const base64Bytes = await decodePercent(content, Math.ceil(maxBytes / 3) * 4)
  const { buffer, byteOffset, byteLength } = base64Bytes
  return decodeBase64(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'), maxBytes)
}

const TYPE_END_CHARS = 100

/**
 * Decodes base64 or base64url (RFC 4648), with or without padding. Line breaks and other characters are refused. A long
 * text takes several turns of the event loop.
 *
 * @param maxBytes largest allowed size of the decoded bytes.
 * @throws ApiError `image_unreadable`; `image_too_large` beyond `maxBytes`, checked before decoding.
 */
export const decodeBase64 = async (text: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  const chars = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
  const size = Math.floor((chars * 3) / 4)
  if (size > maxBytes) throw tooLarge(maxBytes)
  if (text.length > HEAVY_BYTES) await turn()
  const alphabet = /[-_]/.test(text) ? 'base64url' : 'base64'
  const padding = '='.repeat(chars < text.length ? 0 : (4 - (chars % 4)) % 4)
  // Every byte is written below, or none is given out.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
  for (let at = 0, length = 0; at < text.length; at += BASE64_STEP_CHARS) {
    if (text.length > HEAVY_BYTES) await turn()
    const isLast = at + BASE64_STEP_CHARS >= text.length
    const piece = base64Bytes(text.slice(at, at + BASE64_STEP_CHARS) + (isLast ? padding : ''), alphabet)
    const expected = isLast ? size - length : BASE64_STEP_BYTES
    // The decoder skips white space, so such a text gives a shorter result.
    if (piece?.length !== expected) throw unreadable('The base64 text is damaged or contains white space')
    bytes.set(piece, length)
    length += expected
  }
  return bytes
}

/** Decoded in one turn of the event loop. Four characters hold three bytes. */
const BASE64_STEP_BYTES = 3 * 256 * 1024
const BASE64_STEP_CHARS = (BASE64_STEP_BYTES / 3) * 4

const base64Bytes = (text: string, alphabet: 'base64' | 'base64url'): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.fromBase64(text, { alphabet, lastChunkHandling: 'strict' })
  } catch {
    return undefined
  }
}

/** Characters decoded in one turn of the event loop. */
const STEP_CHARS = 512 * 1024

const decodePercent = async (text: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  if (text.length > maxBytes * 3) throw tooLarge(maxBytes)
  const bytes = new Uint8Array(Math.min(text.length, maxBytes))
  let length = 0
  for (let at = 0; at < text.length; ) {
    if (text.length > HEAVY_BYTES) await turn()
    for (const end = Math.min(text.length, at + STEP_CHARS); at < end; ) {
      if (length === maxBytes) throw tooLarge(maxBytes)
      const code = text.charCodeAt(at)
      const isEscape = code === PERCENT
      // Unescaped characters must be printable ASCII; `#` would begin a fragment.
      if (!isEscape && (code < 0x21 || code > 0x7e || code === 0x23)) throw damagedEscape()
      bytes[length++] = isEscape ? hexDigit(text, at + 1) * 16 + hexDigit(text, at + 2) : code
      at += isEscape ? 3 : 1
    }
  }
  return bytes.subarray(0, length)
}

const PERCENT = 0x25

function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  if (lower >= 0x61 && lower <= 0x66) return lower - 0x57
  throw damagedEscape()
}

const damagedEscape = () => unreadable('The data: URI is not percent-encoded correctly')
const unreadable = (message: string) => new ApiError('image_unreadable', message)
const tooLarge = (maxBytes: number) =>
  new ApiError('image_too_large', `The picture is larger than ${sizeInWords(maxBytes)}`, {
    details: { max_bytes: maxBytes },
  })
