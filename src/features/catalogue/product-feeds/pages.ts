import { createHash } from 'node:crypto'
import { type Clock, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, type DownloadFailure } from '../../../core/errors.ts'
import { isGzip, unpackGzip } from '../../../core/gzip.ts'
import { LIMITS } from '../../../core/limits.ts'
import { type OpenBytes, readHead } from '../../../core/open-bytes.ts'
import { sizeInWords } from '../../../core/text.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import { validationError } from '../../../http/validation.ts'
import type { Download, DownloadedFile, FileDownloads } from '../../../platform/outbound/downloads.ts'
import type { Feed } from './schema.ts'

/** Where the number of a page goes. A parser of URLs may have encoded the braces. */
const PAGE = /\{page\}|%7Bpage%7D/gi

/** Whether the address is that of a feed in pages. */
export const isPaged = (url: string): boolean => url.search(PAGE) >= 0

/**
 * Checks the address and the format of a feed that may come in pages.
 *
 * @throws ApiError `url_not_allowed` for a number of the page in the name of the server, `validation_error` for another format.
 */
export function checkPages(url: string, format: Feed['format'] | undefined): void {
  if (!isPaged(url)) return
  if (isPaged(URL.parse(url)?.host ?? '') || !isPaged(url.split('#', 1)[0] as string))
    throw new ApiError(
      'url_not_allowed',
      '{page} stands for a number in the path or after the ?, not in the name of the server or after the #',
    )
  if (format != null && format !== 'ndjson')
    throw validationError([
      { in: 'body', pointer: '/format', code: 'enum', message: 'must be ndjson where the url has {page}' },
    ])
}

/** A shop system that ends no list would otherwise be asked for ever. */
const PAGES_MAX = 1_000
/** All pages together. */
const TOTAL_MS = 10 * MINUTE_MS

const NEWLINE = new TextEncoder().encode('\n')
const BRACE = '{'.charCodeAt(0)
const SPACE = ' '.charCodeAt(0)
const BYTE_ORDER_MARK = '\uFEFF'

/** What may stand on the first line of a page: how many pages there are. */
const PAGES_LINE = /^\s*\{\s*"pages"\s*:\s*(\d{1,6})\s*\}[^\S\n]*(?:\n|$)/
const PAGES_LINE_BYTES = 200

/** Ends the pages with what became of one of them. */
class Ended extends Error {
  readonly outcome: Exclude<Download, { kind: 'file' }>
  constructor(outcome: Exclude<Download, { kind: 'file' }>) {
    super('The pages end early')
    this.outcome = outcome
  }
}

export interface PagesDeps {
  downloads: Pick<FileDownloads, 'download' | 'join'>
  clock: Clock
}

/**
 * Downloads a list that a shop gives in pages, because templates of shops show a limited number of products at a time. `{page}` in
 * the address counts from 1. The first line of each page may say how many there are, `{"pages": 3}`; otherwise the list ends
 * with a page of nothing, or one that is the same as the page before. A page is NDJSON, because pages of other formats make no
 * file together.
 *
 * @returns one file of all pages, unpacked. Where one page fails, all fail: half a list would look like deleted products.
 * @throws UnreadableFile for pages of another format.
 */
export async function downloadPages(
  url: string,
  credentials: string | undefined,
  { downloads, clock }: PagesDeps,
): Promise<Download> {
  const endMs = clock.monotonic() + TOTAL_MS

  async function* readPages(): AsyncGenerator<Uint8Array> {
    let count: number | undefined
    let before: string | undefined
    let received = 0
    let unpacked = 0
    for (let number = 1; number <= (count ?? number); number++) {
      if (number > PAGES_MAX) throw failed('too_large', `The feed has more than ${PAGES_MAX} pages`)
      const withinMs = endMs - clock.monotonic()
      if (withinMs <= 0) throw failed('timeout', 'The pages took longer than 10 minutes')
      const address = url.replace(PAGE, String(number))
      const found = await downloads.download(address, { credentials, ofMany: { withinMs } })
      if (found.kind !== 'file') throw new Ended(found)
      await using page = found.file
      const open = await unpack(page)
      const { pages, skip, isBlank, hash, bytes } = await lookAt(open)
      received += page.sizeBytes
      // White space costs as much as products, and leaves nothing in the joined file that would count.
      unpacked += bytes
      if (Math.max(received, unpacked) > LIMITS.feedBytesMax)
        throw failed('too_large', `The pages are larger than ${sizeInWords(LIMITS.feedBytesMax)}`)
      if (count !== undefined && pages === undefined)
        throw new UnreadableFile(
          `Page ${number} does not say how many pages there are, as the pages before it do`,
        )
      demandSameList(number, pages, count, isBlank)
      count = pages
      if (count === undefined && (isBlank || hash === before)) return
      before = hash
      if (isBlank) continue
      yield* skipBytes(open(), skip)
      yield NEWLINE
    }
  }

  try {
    return await downloads.join(readPages())
  } catch (error) {
    if (error instanceof Ended) return error.outcome
    throw error
  }
}

/**
 * A list that has another number of pages than a moment ago has changed in between, so its pages may lack a product that is there.
 *
 * @throws UnreadableFile for such a page, and for one beyond the last. @throws Ended for more pages than are read.
 */
function demandSameList(
  number: number,
  pages: number | undefined,
  count: number | undefined,
  isBlank: boolean,
): void {
  if (pages === undefined) return
  if (pages > PAGES_MAX) throw failed('too_large', `The feed has more than ${PAGES_MAX} pages`)
  if (count !== undefined && pages !== count)
    throw new UnreadableFile(
      `Page ${number} says that there are ${pages} pages, and the pages before it say ${count}: the list changed while it was read`,
    )
  if (pages < number && !isBlank)
    throw new UnreadableFile(`Page ${number} has products, and says that there are ${pages} pages`)
}

const failed = (reason: DownloadFailure, message: string) => new Ended({ kind: 'failed', reason, message })

async function unpack({ pieces }: DownloadedFile): Promise<OpenBytes> {
  return isGzip(await readHead(pieces, 2)) ? unpackGzip(pieces, LIMITS.feedBytesMax) : pieces
}

interface PageLook {
  /** How many pages there are, if the page says so. */
  pages: number | undefined
  /** Bytes before the first product. */
  skip: number
  /** Whether nothing but white space follows. */
  isBlank: boolean
  /** Of the unpacked bytes: packers write times and names of their own. */
  hash: string
  /** Unpacked bytes. */
  bytes: number
}

/** @throws UnreadableFile for a page that is no NDJSON. */
async function lookAt(open: OpenBytes): Promise<PageLook> {
  const head = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readHead(open, PAGES_LINE_BYTES))
  const mark = head.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const [line = '', pages] = PAGES_LINE.exec(head.slice(mark.length)) ?? []
  const skip = Buffer.byteLength(mark + line)
  const hash = createHash('sha256')
  let first: number | undefined
  let passed = 0
  for await (const piece of open()) {
    hash.update(piece)
    if (first === undefined) first = findFirst(piece, Math.max(0, skip - passed))
    passed += piece.length
  }
  if (first !== undefined && first !== BRACE) throw new UnreadableFile(NO_NDJSON)
  const count = pages === undefined ? undefined : Number(pages)
  return { pages: count, skip, isBlank: first === undefined, hash: hash.digest('hex'), bytes: passed }
}

/** @returns the first byte from a place on that is no white space; undefined if there is none. */
function findFirst(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte > SPACE) return byte
  }
  return undefined
}

async function* skipBytes(pieces: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count
  for await (const piece of pieces) {
    const part = piece.subarray(left)
    left -= piece.length - part.length
    if (part.length > 0) yield part
  }
}

const NO_NDJSON =
  'A feed in pages must be NDJSON: one product as a JSON object on each line, and nothing else on the page'
