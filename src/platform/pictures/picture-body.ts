import { LIMITS } from '../../core/limits.ts'
import { createPace, type Pace } from '../../core/pace.ts'
import { MAGIC_BYTES, pictureType } from '../../core/picture-type.ts'
import { sizeInWords } from '../../core/text.ts'
import type { ResponseHead } from '../outbound/exchange.ts'
import { DownloadError } from '../outbound/follow.ts'

export interface PictureBodyOptions {
  bytesMax: number
  /** Waits until a picture of this many bytes may be read. @param isSlow whether the server keeps others waiting. */
  reserve(bytes: number, signal: AbortSignal, isSlow: () => boolean): Promise<void>
  /** Time in ms. */
  monotonic(): number
  /** Cancels the wait. */
  signal: AbortSignal
}

/**
 * Reads a response body into memory and checks its format, which the first bytes decide.
 *
 * @throws DownloadError `too_large` or `not_an_image`.
 */
export async function readPicture(
  { headers }: ResponseHead,
  pieces: AsyncIterable<Uint8Array>,
  { bytesMax, reserve, monotonic, signal }: PictureBodyOptions,
): Promise<Uint8Array> {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw notAnImage('The response is compressed, although the request did not allow it')
  const tooLarge = () => new DownloadError('too_large', `The picture is larger than ${sizeInWords(bytesMax)}`)
  const announced = Number(headers['content-length'] ?? 0)
  if (announced > bytesMax) throw tooLarge()
  const capacity = announced > 0 ? announced : bytesMax
  // The wait for the budget is not the server's, and neither is what happens to a picture that is here.
  let pace: Pace | undefined
  await reserve(capacity, signal, () => pace?.isSlow() ?? false)
  pace = createPace(LIMITS.yieldingBytesPerSecond, monotonic)

  // Filled in place, so that a picture is never in memory twice; untouched pages take no memory.
  const picture = new Uint8Array(capacity)
  let length = 0
  let isPicture = false
  for await (const piece of pieces) {
    if (length + piece.length > capacity) throw tooLarge()
    picture.set(piece, length)
    length += piece.length
    pace.count(piece.length)
    letGo(piece)
    if (!isPicture && length >= MAGIC_BYTES) {
      checkFormat(picture.subarray(0, MAGIC_BYTES))
      isPicture = true
    }
  }
  pace = undefined
  const whole = picture.subarray(0, length)
  checkFormat(whole)
  return whole
}

/**
 * Gives the memory of a piece back at once, because a fast server sends a whole picture before the collector runs. A piece
 * that has its buffer for itself is nobody else's.
 */
function letGo({ buffer, length }: Uint8Array): void {
  if (length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

function checkFormat(beginning: Uint8Array): void {
  if (!pictureType(beginning))
    throw notAnImage('The URL does not lead to a JPEG, PNG, WebP, AVIF or GIF picture')
}

const notAnImage = (message: string) => new DownloadError('not_an_image', message)
