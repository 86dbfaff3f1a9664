import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import type { Egress } from '../outbound/egress.ts'
import type { OutboundResponse, ResponseHead } from '../outbound/exchange.ts'
import { OutboundError } from '../outbound/failure.ts'
import { followRedirects } from '../outbound/follow.ts'
import { parseHttpUrl } from '../outbound/http-url.ts'
import { createPatience } from '../outbound/patience.ts'

export const HUB = 'https://huggingface.co'

/** One commit of a repository, on the hub or on a mirror of it. */
export interface HubSource {
  /** The hub's address, without a slash at its end. */
  base: string
  /** `owner/name`. */
  repository: string
  /** The full commit. */
  revision: string
}

/** What a file must hash to: plain SHA-256 for a file in LFS, git's blob SHA-1 for a file in git itself. */
export interface FileHash {
  algorithm: 'sha256' | 'git-sha1'
  hex: string
}

export interface HubFile {
  path: string
  bytes: number
  hash: FileHash
}

export interface HubLimits {
  /** Lookup, connection and TLS of one hop, in ms. */
  connectMs: number
  /** Until an answer begins, in ms. */
  answerMs: number
  /** Between two pieces, in ms. */
  pieceMs: number
  /** The waits before a file is tried again after a failure on the way, in ms. */
  retryMs: readonly number[]
}

export const HUB_LIMITS: HubLimits = {
  connectMs: 15_000,
  answerMs: 60_000,
  pieceMs: 30_000,
  retryMs: [1_000, 3_000, 10_000, 30_000],
}

export interface HubAccess {
  egress: Pick<Egress, 'send'>
  signal: AbortSignal
  limits: HubLimits
  /** Whether anything has answered yet, so that a failure is no missing network. */
  hasAnswered: boolean
}

export interface HubRequest<Body> {
  headers?: Readonly<Record<string, string>>
  piecesMax?: number
  /** @returns undefined for an answer that it has no use for. */
  read(head: ResponseHead, pieces: AsyncIterable<Uint8Array>): Promise<Body | undefined>
}

/** The hub's addresses of large files carry a policy and a signature. */
const URL_CHARS_MAX = 8_192

/** One page of a listing; the hub sends at most 1,000 entries a page. */
const PAGE_BYTES_MAX = 1024 * 1024
const PAGES_MAX = 20

const COMMIT = /^[0-9a-f]{40}$/
const REPOSITORY = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/

/** @throws OperatorError for what is not `owner/name@COMMIT`, with the whole commit. */
export function parseHubOrder(text: string): Pick<HubSource, 'repository' | 'revision'> {
  const [repository = '', revision = '', ...rest] = text.split('@')
  if (rest.length > 0 || !REPOSITORY.test(repository) || text.includes('..'))
    throw wrongInput(`${JSON.stringify(text)} names no model: write owner/name@COMMIT.`)
  if (!COMMIT.test(revision)) {
    throw wrongInput(
      `${JSON.stringify(text)} names no commit: write owner/name@COMMIT with all 40 digits, which the page "Files and versions" of the model shows; branches and tags can change.`,
    )
  }
  return { repository, revision }
}

/** @throws OperatorError for what is no address of a mirror. */
export function parseMirror(text: string): string {
  let url: URL
  try {
    url = parseHttpUrl(text, URL_CHARS_MAX)
  } catch (error) {
    throw error instanceof OutboundError
      ? wrongInput(`--url ${text} cannot be used: ${error.message}.`)
      : error
  }
  if (url.search !== '' || url.hash !== '')
    throw wrongInput(`--url ${text} cannot be used: leave out everything from the ? or # on.`)
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/** @param path from our own list of files. */
export const addressOf = ({ base, repository, revision }: HubSource, path: string): string =>
  `${base}/${repository}/resolve/${revision}/${path}`

/**
 * Requests an address and follows its redirects, each of which is checked. Nothing that identifies this install goes out.
 *
 * @throws OutboundError, DownloadError; and the errors of `request.read`.
 */
export async function getFromHub<Body>(
  access: HubAccess,
  address: string,
  request: HubRequest<Body>,
): Promise<OutboundResponse<Body | undefined>> {
  const { egress, signal } = access
  const { connectMs, answerMs, pieceMs } = access.limits
  const { headers, piecesMax, read } = request
  return followRedirects(
    parseHttpUrl(address, URL_CHARS_MAX),
    async (url) => {
      const patience = createPatience()
      try {
        patience.waitFor(connectMs + answerMs)
        return await egress.send(url, {
          method: 'GET',
          headers: {
            Accept: '*/*',
            'Accept-Encoding': 'identity',
            'User-Agent': 'Lookalike (model)',
            ...headers,
          },
          connectMs,
          signal: AbortSignal.any([signal, patience.signal]),
          ...(piecesMax !== undefined && { piecesMax }),
          read: (head, pieces) => {
            access.hasAnswered = true
            return read(head, patience.watch(pieces, pieceMs))
          },
        })
      } finally {
        patience.end()
      }
    },
    URL_CHARS_MAX,
  )
}

/**
 * Lists the files of a commit with the hub's own hashes.
 *
 * @throws OperatorError for an answer that is no listing; OutboundError, DownloadError.
 */
export async function listHubFiles(access: HubAccess, source: HubSource): Promise<Map<string, HubFile>> {
  const { base, repository, revision } = source
  const first = `${base}/api/models/${repository}/tree/${revision}?recursive=true`
  const files = new Map<string, HubFile>()
  let next: string | undefined = first
  for (let page = 0; next !== undefined; page++) {
    if (page === PAGES_MAX) throw new OperatorError(`${repository} has too many files to be a model.`)
    const { entries, link }: Listing = await readPage(access, source, next)
    for (const entry of entries) {
      const file = readEntry(entry)
      if (file) files.set(file.path, file)
    }
    next = findNextPage(link, next, first)
  }
  return files
}

interface Listing {
  entries: unknown[]
  link: string | undefined
}

async function readPage(access: HubAccess, source: HubSource, address: string): Promise<Listing> {
  const answer = await getFromHub(access, address, {
    read: async ({ status }, pieces) => (status === 200 ? readText(pieces) : undefined),
  })
  if (answer.body === undefined) throw new OperatorError(explainStatus(answer.status, source))
  const entries = parseJson(answer.body)
  if (!Array.isArray(entries)) {
    throw new OperatorError(
      `${new URL(address).origin} answers with no list of files: the address must be the hub, or a mirror of it with its API.`,
    )
  }
  const { link } = answer.headers
  return { entries, link: Array.isArray(link) ? link.join(', ') : link }
}

async function readText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > PAGE_BYTES_MAX)
      throw new OperatorError('The list of files is too long to be that of a model.')
    kept.push(piece)
  }
  return new TextDecoder().decode(Buffer.concat(kept))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The next page of a listing (RFC 8288), which must be on the same server. */
function findNextPage(link: string | undefined, from: string, first: string): string | undefined {
  const target = link?.match(/<([^<>]+)>\s*;\s*rel="?next"?/)?.[1]
  if (target === undefined || !URL.canParse(target, from)) return undefined
  const url = new URL(target, from)
  return url.origin === new URL(first).origin ? url.href : undefined
}

/** @returns undefined for folders, for empty files, and for entries without a length or a hash. Paths are only compared with ours. */
function readEntry(entry: unknown): HubFile | undefined {
  if (!isRecord(entry) || entry['type'] !== 'file') return undefined
  const { path, size, oid, lfs } = entry
  if (typeof path !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1)
    return undefined
  // The oid of a file in LFS belongs to its pointer.
  const hash = isRecord(lfs) ? readHash('sha256', lfs['oid'], 64) : readHash('git-sha1', oid, 40)
  return hash && { path, bytes: size, hash }
}

const readHash = (algorithm: FileHash['algorithm'], hex: unknown, digits: number): FileHash | undefined =>
  typeof hex === 'string' && hex.length === digits && /^[0-9a-f]+$/.test(hex) ? { algorithm, hex } : undefined

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What an answer other than the file means, and what to do. */
export function explainStatus(status: number, { base, repository, revision }: HubSource): string {
  const server = new URL(base).host
  // The hub answers 401 for a model that does not exist as well as for a private one.
  if (status === 401 || status === 403) {
    return `${server} has no public model ${repository}, or wants a sign-in first (status ${status}): save its files with a browser, and add the folder with "lookalike model add FOLDER".`
  }
  if (status === 404) {
    return `${server} has no such file of ${repository} at commit ${revision} (status 404): check the name and the commit.`
  }
  return `${server} answered with status ${status}: run the same command again later; it goes on where it stopped.`
}
