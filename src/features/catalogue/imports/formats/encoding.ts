import { type OpenBytes, readHead } from '../../../../core/open-bytes.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/**
 * Finds the encoding of a text. A byte-order mark decides; without one it is UTF-8 where every byte fits, or else
 * windows-1252, in which spreadsheets of western Europe save.
 */
export async function detectEncoding(open: OpenBytes): Promise<Encoding> {
  const [first, second] = await readHead(open, 2)
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of open()) utf8.decode(chunk, { stream: true })
    utf8.decode()
    return 'utf-8'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    return 'windows-1252'
  }
}

/**
 * Decodes a text piece by piece, without its byte-order mark and with `\n` at the end of every line. What does not fit
 * the encoding becomes U+FFFD.
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  let held = ''
  for await (const chunk of bytes) {
    const text = held + decoder.decode(chunk, { stream: true })
    // The second half of a line end may come with the next piece.
    held = text.endsWith('\r') ? '\r' : ''
    const whole = held === '' ? text : text.slice(0, -1)
    if (whole !== '') yield unifyLineEnds(whole)
  }
  const rest = held + decoder.decode()
  if (rest !== '') yield unifyLineEnds(rest)
}

const unifyLineEnds = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
