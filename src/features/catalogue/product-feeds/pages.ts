import { type Clock, MINUTE_MS } from '../../../core/clock.ts'
import type { DownloadFailure } from '../../../core/errors.ts'
import { isGzip, unpackGzip } from '../../../core/gzip.ts'
import { LIMITS } from '../../../core/limits.ts'
import { type OpenBytes, readHead } from '../../../core/open-bytes.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import type { Download, DownloadedFile, FileDownloads } from '../../../platform/outbound/downloads.ts'

/** Where the number of a page goes. A parser of URLs may have encoded the braces. */
const PAGE = /\{page\}|%7Bpage%7D/gi

/** Whether the address is that of a feed in pages. */
export const isPaged = (url: string): boolean => url.search(PAGE) >= 0

/** A shop system that ends no list would otherwise be asked for ever. */
const PAGES_MAX = 1_000
/** All pages together; no page is begun after it. */
const TOTAL_MS = 10 * MINUTE_MS

const NEWLINE = new TextEncoder().encode('\n')
const BRACE = '{'.charCodeAt(0)
const SPACE = ' '.charCodeAt(0)

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
 * Downloads a list that a shop gives in pages, for templates of shops show a limited number of products at a time. `{page}` in
 * the address counts from 1; the list ends with a page of nothing, or one that is the same as the page before. A page is
 * NDJSON, because pages of other formats make no file together.
 *
 * @returns one file of all pages, unpacked. Where one page fails, all fail: half a list would look like deleted products.
 * @throws UnreadableFile for pages of another format.
 */
export async function downloadPages(
  url: string,
  credentials: string | undefined,
  { downloads, clock }: PagesDeps,
): Promise<Download> {
  const endMs = clock.now() + TOTAL_MS

  async function* readPages(): AsyncGenerator<Uint8Array> {
    let before: Buffer | undefined
    for (let number = 1; ; number++) {
      if (number > PAGES_MAX) throw failed('too_large', `The feed has more than ${PAGES_MAX} pages`)
      if (clock.now() > endMs) throw failed('timeout', 'The pages took longer than 10 minutes')
      const found = await downloads.download(url.replace(PAGE, String(number)), { credentials })
      if (found.kind !== 'file') throw new Ended(found)
      await using page = found.file
      if (before?.equals(page.hash)) return
      before = page.hash
      const open = await unpack(page)
      const first = await findFirst(open)
      if (first === undefined) return
      if (first !== BRACE) throw new UnreadableFile(NO_NDJSON)
      yield* open()
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

const failed = (reason: DownloadFailure, message: string) => new Ended({ kind: 'failed', reason, message })

async function unpack({ pieces }: DownloadedFile): Promise<OpenBytes> {
  return isGzip(await readHead(pieces, 2)) ? unpackGzip(pieces, LIMITS.feedBytesMax) : pieces
}

/** @returns the first byte that is no white space; undefined if there is none. */
async function findFirst(open: OpenBytes): Promise<number | undefined> {
  for await (const piece of open()) {
    const first = piece.find((byte) => byte > SPACE)
    if (first !== undefined) return first
  }
  return undefined
}

const NO_NDJSON =
  'A feed in pages must be NDJSON: one product as a JSON object on each line, and nothing else on the page'
