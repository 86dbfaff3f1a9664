/** Reads file lists and files from the Hugging Face hub, for `fetch.ts`. */

const MEBIBYTE = 1024 * 1024
/** One page of a file list; the hub sends at most 1,000 entries a page. */
const LISTING_BYTES_MAX = 8 * MEBIBYTE
const LISTING_PAGES_MAX = 20

export interface FetchModelOptions {
  /** `owner/name` on the hub. */
  model: string
  /** A commit, branch or tag. */
  revision: string
  /** The model folder. A missing parent folder is created. */
  out: string
  /** Address of the hub, without a path. */
  endpoint: string
  /** Longest silence of the server in milliseconds. */
  stallMs?: number
}

/** Takes one line of progress at a time. */
export type Say = (line: string) => void

/** A failure that the user can understand; the script prints its message only. */
export class FetchModelError extends Error {
  override name = 'FetchModelError'
}

export interface ListedFile {
  path: string
  sizeBytes: number
  /** Plain SHA-256 for a file in LFS, git's blob SHA-1 for a file in git itself. */
  expected: { algorithm: 'sha256' | 'git-sha1'; hex: string }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const formatError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const readHex = (value: unknown, digits: number): string | undefined =>
  typeof value === 'string' && new RegExp(`^[0-9a-f]{${digits}}$`).test(value) ? value : undefined

const explainStatus = (status: number): string => {
  // The hub answers 401 for a model that does not exist as well as for a private one.
  if (status === 401 || status === 403) return 'no such public model, or it requires a sign-in'
  if (status === 404) return 'no such model, revision or file'
  return 'run the same command again later'
}

/**
 * Downloads a body chunk by chunk.
 *
 * @throws FetchModelError for a status other than 2xx, a body longer than `sizeBytesMax`, and `stallMs` without a byte.
 */
export async function* download(
  url: string,
  sizeBytesMax: number,
  stallMs: number,
  onHeaders?: (all: Headers) => void,
) {
  const abort = new AbortController()
  const stop = () => abort.abort(new FetchModelError(`No answer for ${stallMs / 1000} s: ${url}`))
  let timer = setTimeout(stop, stallMs)
  try {
    const response = await fetch(url, { signal: abort.signal, headers: { 'user-agent': 'fetch-model' } })
    if (!response.ok || response.body === null) {
      throw new FetchModelError(`HTTP ${response.status} for ${url}: ${explainStatus(response.status)}`)
    }
    onHeaders?.(response.headers)
    let received = 0
    for await (const chunk of response.body) {
      clearTimeout(timer)
      received += chunk.length
      if (received > sizeBytesMax) throw new FetchModelError(`Longer than ${sizeBytesMax} bytes: ${url}`)
      yield chunk
      timer = setTimeout(stop, stallMs)
    }
  } catch (error) {
    if (error instanceof FetchModelError) throw error
    if (abort.signal.reason instanceof FetchModelError) throw abort.signal.reason
    throw new FetchModelError(`Cannot download ${url}: ${formatError(error)}`)
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}

const readJson = async (url: string, stallMs: number): Promise<{ json: unknown; link: string | null }> => {
  const chunks: Uint8Array[] = []
  let link: string | null = null
  const body = download(url, LISTING_BYTES_MAX, stallMs, (headers) => {
    link = headers.get('link')
  })
  for await (const chunk of body) chunks.push(chunk)
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString('utf8')), link }
  } catch {
    throw new FetchModelError(`Not JSON: ${url}. Is --endpoint a hub?`)
  }
}

/** Looks up the commit of a branch or tag; a commit needs no look-up. */
export const resolveCommit = async (options: FetchModelOptions, stallMs: number, say: Say) => {
  if (readHex(options.revision, 40) !== undefined) return options.revision
  const url = `${options.endpoint}/api/models/${options.model}/revision/${encodeURIComponent(options.revision)}`
  const { json } = await readJson(url, stallMs)
  const commit = readHex(isRecord(json) ? json['sha'] : undefined, 40)
  if (commit === undefined) throw new FetchModelError(`No commit at ${url}. Is --endpoint a hub?`)
  say(`${options.revision} is commit ${commit}; --revision ${commit} gets the same files again`)
  return commit
}

const readEntry = (entry: unknown): ListedFile | undefined => {
  if (!isRecord(entry) || entry['type'] !== 'file') return undefined
  const { path, size, oid, lfs } = entry
  if (typeof path !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size)) return undefined
  // The oid of an LFS entry belongs to its pointer, not to the file.
  const isLfs = isRecord(lfs)
  const hex = isLfs ? readHex(lfs['oid'], 64) : readHex(oid, 40)
  if (hex === undefined) return undefined
  return { path, sizeBytes: size, expected: { algorithm: isLfs ? 'sha256' : 'git-sha1', hex } }
}

/** Lists all files of a commit, by path. The hub splits long lists into pages with a Link header (RFC 8288). */
export const listFiles = async (options: FetchModelOptions, commit: string, stallMs: number) => {
  const files = new Map<string, ListedFile>()
  const { endpoint, model } = options
  let url: string | undefined = `${endpoint}/api/models/${model}/tree/${commit}?recursive=true`
  for (let page = 0; url !== undefined; page++) {
    if (page === LISTING_PAGES_MAX) throw new FetchModelError(`${model} has too many files`)
    const { json, link }: { json: unknown; link: string | null } = await readJson(url, stallMs)
    if (!Array.isArray(json)) throw new FetchModelError(`No file list at ${url}. Is --endpoint a hub?`)
    for (const entry of json) {
      const file = readEntry(entry)
      if (file !== undefined) files.set(file.path, file)
    }
    const next: string | undefined = link?.match(/<([^>]+)>\s*;\s*rel="?next"?/)?.[1]
    url = next === undefined ? undefined : new URL(next, url).href
  }
  return files
}
