import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type DownloadFailure } from '../../core/errors.ts'
import { MAGIC_BYTES, pictureType } from '../../core/picture-type.ts'
import { sizeInWords } from '../../core/text.ts'

/** An answer without a picture, for the caller to judge. */
export interface Refusal {
  status: number
  location: string | undefined
  retryAfter: string | undefined
}

/** What a server answered. */
export type Answer = { picture: Uint8Array } | Refusal

/** A download that cannot become a picture. */
export class DownloadError extends Error {
  readonly reason: DownloadFailure
  /** Status of the answer that decided it. */
  readonly upstreamStatus: number | undefined

  /** @param message fit for the client: repeats nothing that the server sent. */
  constructor(reason: DownloadFailure, message: string, extras: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: extras.cause })
    this.name = 'DownloadError'
    this.reason = reason
    this.upstreamStatus = extras.status
  }
}

export interface ExchangeOptions {
  bytesMax: number
  /** Waits until a picture of so many bytes may be read. */
  makeRoom(bytes: number, signal: AbortSignal): Promise<void>
  /** Ends the exchange at once. */
  signal: AbortSignal
}

/** More pieces mean less than 525 bytes in each of 10 MiB: a server that wants to keep us busy. */
const PIECES_MAX = 20_000

/** Provisional answers (1xx) before the real one, and bytes they may have: nobody needs more than one or two. */
const PROVISIONAL_MAX = 10
const PROVISIONAL_BYTES_MAX = 64 * 1024
/** How often the bytes before an answer are looked at. */
const LOOK_MS = 50

/**
 * Sends one GET over an open socket and reads the answer, then destroys the socket.
 *
 * No cookies are sent, and no encodings are offered, so what arrives is as large as what is kept.
 *
 * @throws DownloadError `timeout`, `connect` (the answer broke off or is no HTTP), `too_large` or `not_an_image`.
 */
export const getPicture = async (socket: Socket, url: URL, options: ExchangeOptions): Promise<Answer> => {
  const abort = () => socket.destroy()
  options.signal.addEventListener('abort', abort, { once: true })
  try {
    if (options.signal.aborted) abort()
    const response = await send(socket, url)
    const status = response.statusCode ?? 0
    if (status === 200) return { picture: await readPicture(response, options) }
    return { status, location: response.headers.location, retryAfter: response.headers['retry-after'] }
  } catch (cause) {
    if (cause instanceof DownloadError || cause instanceof ApiError) throw cause
    if (options.signal.aborted) throw new DownloadError('timeout', 'The download took too long', { cause })
    throw new DownloadError('connect', 'The connection broke off, or the answer was not HTTP', { cause })
  } finally {
    options.signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}

const send = (socket: Socket, url: URL): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    let provisional = 0
    const readBefore = socket.bytesRead
    const look = () => {
      const isTooMuch = provisional > PROVISIONAL_MAX || socket.bytesRead - readBefore > PROVISIONAL_BYTES_MAX
      if (!isTooMuch) return
      reject(new DownloadError('connect', 'The server sends much and no answer'))
      socket.destroy()
    }
    // The parser tells of provisional answers, but not of blank lines.
    const looking = setInterval(look, LOOK_MS)
    const answered = (response: IncomingMessage) => {
      clearInterval(looking)
      resolve(response)
    }
    request({
      // Without an agent, so that no connection outlives its check.
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: {
        Host: url.host.replace(/\.(?=:|$)/, ''),
        Accept: 'image/jpeg, image/png, image/webp, image/*;q=0.8',
        'User-Agent': 'Lookalike (picture download)',
      },
    })
      .on('information', () => {
        provisional += 1
        look()
      })
      .on('response', answered)
      // Without this, an answer of 101 would leave the request waiting.
      .on('upgrade', answered)
      .on('error', reject)
      .on('close', () => {
        clearInterval(looking)
        reject(new Error('closed without an answer'))
      })
      .end()
  })

const readPicture = async (
  response: IncomingMessage,
  { bytesMax, makeRoom, signal }: ExchangeOptions,
): Promise<Uint8Array> => {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw notAnImage('The answer is compressed although nobody asked')
  const tooLarge = () => new DownloadError('too_large', `The picture is larger than ${sizeInWords(bytesMax)}`)
  const announced = Number(response.headers['content-length'] ?? 0)
  if (announced > bytesMax) throw tooLarge()
  // While it waits nobody listens to the answer; a break is told by reading on.
  response.on('error', () => {})
  await makeRoom(announced > 0 ? announced : bytesMax, signal)

  // Filled as it comes, so that a picture is never in memory twice; pages that stay empty take none.
  const picture = new Uint8Array(announced > 0 ? announced : bytesMax)
  let length = 0
  let pieces = 0
  let isPicture = false
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    if (length + piece.length > picture.length) throw tooLarge()
    if (++pieces > PIECES_MAX) throw new DownloadError('too_large', 'The picture comes in too many pieces')
    picture.set(piece, length)
    length += piece.length
    if (!isPicture && length >= MAGIC_BYTES) {
      checkPicture(picture.subarray(0, MAGIC_BYTES))
      isPicture = true
    }
  }
  const whole = picture.subarray(0, length)
  checkPicture(whole)
  return whole
}

const checkPicture = (beginning: Uint8Array): void => {
  if (!pictureType(beginning))
    throw notAnImage('The address leads to something else than a JPEG, PNG, WebP, AVIF or GIF')
}

const notAnImage = (message: string) => new DownloadError('not_an_image', message)
