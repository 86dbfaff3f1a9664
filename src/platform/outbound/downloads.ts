import { type Clock, systemClock } from '../../core/clock.ts'
import { writeCollected } from '../../core/collected-writes.ts'
import { ApiError, type DownloadFailure } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import { LIMITS } from '../../core/limits.ts'
import { sizeInWords } from '../../core/text.ts'
import type { WorkFile, WorkFiles } from '../work-files.ts'
import { runWithDeadline } from './deadline.ts'
import type { Egress } from './egress.ts'
import type { OutboundResponse, ResponseHead } from './exchange.ts'
import { OutboundError } from './failure.ts'
import { DownloadError, followRedirects, refusedStatus } from './follow.ts'
import { parseHttpUrl } from './http-url.ts'
import { createPatience } from './patience.ts'
import { computeRetryWait, hasWaited, type RetryLimits } from './retry.ts'

/** Downloads large files from URLs that customers name. They go to the disk as they arrive. */
export interface FileDownloads {
  /**
   * Checks a URL as far as possible without a lookup.
   *
   * @throws ApiError `url_not_allowed`.
   */
  check(url: string): void

  /**
   * Downloads a file over http or https, of at most `LIMITS.feedBytesMax`. A compressed answer stays as it is.
   *
   * @returns the outcome; failures of other servers are no errors here.
   * @throws ApiError `storage_full`, `read_only`, `storage_failed` or `overloaded`. No file is left then.
   */
  download(url: string, wanted: WantedFile): Promise<Download>

  /**
   * Makes one file of what several downloads brought, of at most `LIMITS.feedBytesMax`.
   *
   * @throws ApiError as `download`, and what the pieces throw. No file is left then.
   */
  join(pieces: AsyncIterable<Uint8Array>): Promise<Download>
}

export interface WantedFile {
  /** `user:password` for the host of the URL; a redirect to another host does not get it. */
  credentials?: string | undefined
  /** Marks of the version that the caller already has. */
  known?: FileMarks | undefined
  /** For one of many files of a server: it is asked after a moment, again while it is busy (429, 5xx), and within so many ms. */
  ofMany?: { withinMs: number } | undefined
}

/** How the server marks a version of a file. */
export interface FileMarks {
  etag: string | null
  lastModified: string | null
}

/** A file on the disk. The caller disposes of it. */
export interface DownloadedFile extends AsyncDisposable {
  /** For libraries that read a file by its name. */
  readonly path: string
  readonly sizeBytes: number
  /** SHA-256 of the bytes as they arrived. */
  readonly hash: Buffer
  readonly marks: FileMarks
  /** Reads the file from its beginning. */
  pieces(): AsyncIterable<Uint8Array>
}

export type FileFailure = DownloadFailure | 'url_not_allowed'

export type Download =
  | { kind: 'file'; file: DownloadedFile }
  /** The server says that the known file is still the same. */
  | { kind: 'unchanged' }
  /** @param message safe to show: contains nothing that the server sent. */
  | { kind: 'failed'; reason: FileFailure; message: string; upstreamStatus?: number }
  /** The service is stopping, so the failure proves nothing. */
  | { kind: 'stopped' }

export interface FileDownloadsOptions {
  egress: Egress
  files: Pick<WorkFiles, 'create' | 'remove'>
  ids: Pick<Ids, 'uuid'>
  /** Reads a `Retry-After` that is a date. */
  clock?: Clock
  /** Cuts every download when the service stops. */
  stop?: AbortSignal | undefined
  limits?: Partial<FileLimits>
}

export interface FileLimits extends RetryLimits {
  /** Lookup, connection and TLS of one hop, in ms. */
  connectMs: number
  /** Until the answer begins, in ms: many shops make the file on request. */
  answerMs: number
  /** Between two pieces, in ms. */
  pieceMs: number
  /** The whole download with its redirects, in ms. */
  totalMs: number
  bytesMax: number
  /** Before each of many files of a server, in ms. */
  pauseMs: number
}

const DEFAULT_LIMITS: FileLimits = {
  connectMs: LIMITS.fetchConnectMs,
  answerMs: 60_000,
  pieceMs: 30_000,
  totalMs: 10 * 60_000,
  bytesMax: LIMITS.feedBytesMax,
  pauseMs: 200,
  retriesMax: 4,
  retryMs: 2_000,
  retryFactor: 3,
  retryAfterMaxMs: 60_000,
}

/** Some 500 bytes in each at the largest size; a connection has 1,400. */
const PIECES_MAX = 200_000
/** A longer mark is dropped. */
const MARK_CHARS_MAX = 1_000

const HEADERS = { Accept: '*/*', 'Accept-Encoding': 'gzip', 'User-Agent': 'Lookalike (feed)' }

/** Every hop, redirects included, passes through the egress and its checks. */
export function createFileDownloads(options: FileDownloadsOptions): FileDownloads {
  const { egress, files, ids, stop, clock = systemClock } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const parse = (url: string): URL => parseHttpUrl(url, LIMITS.fetchUrlCharsMax)

  async function load(start: URL, wanted: WantedFile, signal: AbortSignal): Promise<Download> {
    if (wanted.ofMany) await hasWaited(limits.pauseMs, signal)
    let retries = 0
    const { status, body } = await followRedirects(start, async (url) => {
      const own = url.origin === start.origin ? wanted : { ...wanted, credentials: undefined }
      for (;;) {
        const response = await get(url, own, signal)
        const waitMs = wanted.ofMany && computeRetryWait(response, retries, limits, clock.now())
        if (waitMs === undefined || !(await hasWaited(waitMs, signal))) return response
        retries++
      }
    })
    if (body) return { kind: 'file', file: body }
    if (status === 304 && (wanted.known?.etag || wanted.known?.lastModified)) return { kind: 'unchanged' }
    throw refusedStatus(status)
  }

  async function get(
    url: URL,
    { credentials, known }: WantedFile,
    signal: AbortSignal,
  ): Promise<OutboundResponse<DownloadedFile | undefined>> {
    const patience = createPatience()
    try {
      patience.waitFor(limits.connectMs + limits.answerMs)
      return await egress.send(url, {
        method: 'GET',
        headers: {
          ...HEADERS,
          ...(credentials !== undefined && {
            Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
          }),
          ...(known?.etag && { 'If-None-Match': known.etag }),
          ...(known?.lastModified && { 'If-Modified-Since': known.lastModified }),
        },
        connectMs: limits.connectMs,
        signal: AbortSignal.any([signal, patience.signal]),
        piecesMax: PIECES_MAX,
        read: async (head, pieces) =>
          head.status === 200 ? save(head, patience.watch(pieces, limits.pieceMs)) : undefined,
      })
    } finally {
      patience.end()
    }
  }

  async function save({ headers }: ResponseHead, pieces: AsyncIterable<Uint8Array>): Promise<DownloadedFile> {
    const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase()
    if (!['identity', 'gzip', 'x-gzip', ''].includes(encoding)) throw strangeEncoding()
    if (Number(headers['content-length'] ?? 0) > limits.bytesMax) throw tooLarge(limits.bytesMax)
    return keep(pieces, { etag: readMark(headers.etag), lastModified: readMark(headers['last-modified']) })
  }

  async function keep(pieces: AsyncIterable<Uint8Array>, marks: FileMarks): Promise<DownloadedFile> {
    const name = ids.uuid()
    let file: WorkFile | undefined
    const dispose = async (): Promise<void> => {
      await file?.close().catch(() => {})
      await files.remove(name).catch(() => {})
    }
    try {
      file = await files.create(name)
      const { sizeBytes, hash } = await writeCollected(pieces, file.append, limits.bytesMax, tooLarge)
      return { path: file.path, sizeBytes, hash, marks, pieces: file.pieces, [Symbol.asyncDispose]: dispose }
    } catch (error) {
      await dispose()
      throw error
    }
  }

  return {
    check(url) {
      try {
        egress.check(parse(url))
      } catch (cause) {
        if (!(cause instanceof OutboundError)) throw cause
        throw new ApiError('url_not_allowed', cause.message, { cause })
      }
    },

    async join(pieces) {
      try {
        return { kind: 'file', file: await keep(pieces, NO_MARKS) }
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error
        return viewFailure(error)
      }
    },

    async download(url, wanted) {
      if (stop?.aborted) return { kind: 'stopped' }
      try {
        const start = parse(url)
        const totalMs = Math.min(limits.totalMs, wanted.ofMany?.withinMs ?? Infinity)
        return await runWithDeadline(totalMs, stop, (signal) => load(start, wanted, signal))
      } catch (error) {
        if (stop?.aborted) return { kind: 'stopped' }
        if (error instanceof OutboundError)
          return { kind: 'failed', reason: error.reason, message: error.message }
        if (!(error instanceof DownloadError)) throw error
        return viewFailure(error)
      }
    },
  }
}

const viewFailure = ({ reason, message, upstreamStatus }: DownloadError): Download => ({
  ...{ kind: 'failed', reason, message },
  ...(upstreamStatus !== undefined && { upstreamStatus }),
})

const NO_MARKS: FileMarks = { etag: null, lastModified: null }

/** Marks go back to the server in a header, unchanged. */
const readMark = (value: string | undefined): string | null =>
  value !== undefined && value.length <= MARK_CHARS_MAX && /^[\x20-\x7e]+$/.test(value) ? value : null

const tooLarge = (bytesMax: number) =>
  new DownloadError('too_large', `The file is larger than ${sizeInWords(bytesMax)}`)
const strangeEncoding = () =>
  new DownloadError(
    'http_status',
    'The server packed its answer in a way that the request did not allow',
    200,
  )
