/**
 * The object store of the drills: s3rver with a step before its own that adds `If-Match` and `If-None-Match` to PUT, which it does not have.
 *
 *     bun scripts/scale/object-store.ts [--folder FOLDER] [--bucket drill] [--port 0]
 *
 * It prints `listening on <address>`. Key and secret are `S3RVER`. All writes of a key wait for each other, so a condition and its write are one
 * step. Lists are sorted, with the common prefixes that s3rver loses where objects lie two folders deeper. An object appears whole or not at
 * all, as in every store: s3rver writes it in place, so a client that is killed would leave half of it. On SIGTERM it takes no more requests and
 * ends when what it has begun is written.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, mkdtempSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'

interface Stored {
  /** With its quotes. */
  etag: string
}
interface Listing {
  objects: { key: string }[]
  commonPrefixes: string[]
  isTruncated: boolean
}
interface ListOptions {
  delimiter?: string
  startAfter?: string
  prefix?: string
  maxKeys?: number
}
interface ReceivedObject {
  bucket: string
  key: string
  content: Buffer | Readable
  metadata: unknown
}
interface Store {
  getResourcePath(bucket: string, key: string, kind: 'object'): string
  putMetadata(bucket: string, key: string, metadata: unknown, md5: string): Promise<void>
  putObject(object: ReceivedObject): Promise<{ size: number; md5: string }>
  getMetadata(bucket: string, key: string): Promise<Stored>
  listObjects(bucket: string, options: ListOptions): Promise<Listing>
}
/** A request as Koa has it, on which s3rver is built. */
interface Context {
  method: string
  path: string
  status: number
  type: string
  body: unknown
  get(header: string): string
  req: { resume(): void }
}
interface Server {
  store: Store
  middleware: ((context: Context, next: () => Promise<unknown>) => Promise<unknown>)[]
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

const { values: flags } = parseArgs({
  options: {
    folder: { type: 'string' },
    bucket: { type: 'string', default: 'drill' },
    port: { type: 'string', default: '0' },
  },
})
const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'lookalike-objects-'))
mkdirSync(folder, { recursive: true })
// It has no types.
const { default: S3rver } = (await import('s3rver' as string)) as {
  default: new (options: Record<string, unknown>) => Server
}
const server = new S3rver({
  ...{ port: Number(flags.port), address: '127.0.0.1', silent: true, directory: folder },
  configureBuckets: [{ name: flags.bucket }],
})
const { store } = server
const listObjects = store.listObjects.bind(store)
store.listObjects = async (bucket, { delimiter = '', startAfter = '', prefix = '', maxKeys = 1_000 }) => {
  const { objects } = await listObjects(bucket, { prefix })
  return groupListing(objects, { delimiter, startAfter, prefix, maxKeys })
}
store.putObject = async ({ bucket, key, content, metadata }) => {
  const received = join(folder, `.received-${randomUUID()}`)
  const hash = createHash('md5')
  let size = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  try {
    await pipeline(Buffer.isBuffer(content) ? [content] : content, counted, createWriteStream(received))
    const path = store.getResourcePath(bucket, key, 'object')
    await mkdir(dirname(path), { recursive: true })
    await rename(received, path)
  } finally {
    await rm(received, { force: true })
  }
  const md5 = hash.digest('hex')
  await store.putMetadata(bucket, key, metadata, md5)
  return { size, md5 }
}
/** The writes of each key, one after the other. */
const tails = new Map<string, Promise<unknown>>()
function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = tails.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  tails.set(key, mine)
  void mine.catch(() => {}).then(() => tails.get(key) === mine && tails.delete(key))
  return mine
}

let isEnding = false
server.middleware.unshift((context, next) => {
  if (isEnding) {
    context.status = 503
    return Promise.resolve()
  }
  return ['PUT', 'DELETE'].includes(context.method)
    ? inTurn(context.path, async () => {
        const refusal = await findRefusal(context)
        if (!refusal) return next()
        context.req.resume()
        const [status, code] = refusal
        Object.assign(context, { status, type: 'application/xml' })
        context.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`
        return undefined
      })
    : next()
})
const { port } = await server.run()
process.once('SIGTERM', async () => {
  isEnding = true
  void server.close()
  while (tails.size > 0) await Promise.allSettled(tails.values())
  process.exit(0)
})
console.log(`listening on http://127.0.0.1:${port}`)

/** Why a write whose condition does not hold is refused. */
async function findRefusal(context: Context): Promise<[status: number, code: string] | undefined> {
  const [match, noneMatch] = [context.get('if-match'), context.get('if-none-match')]
  if (match === '' && noneMatch === '') return undefined
  const [, bucket = '', ...parts] = decodeURIComponent(context.path).split('/')
  const etag = await store.getMetadata(bucket, parts.join('/')).then(
    (stored) => stored.etag,
    () => undefined,
  )
  if (match !== '' && etag === undefined) return [404, 'NoSuchKey']
  const isMet = (match === '' || match === etag) && (noneMatch === '' || etag === undefined)
  return isMet ? undefined : [412, 'PreconditionFailed']
}

/** A page of a sorted list: objects and common prefixes count alike. */
function groupListing(
  objects: Listing['objects'],
  { delimiter, startAfter, prefix, maxKeys }: Required<ListOptions>,
): Listing {
  const page: Listing = { objects: [], commonPrefixes: [], isTruncated: false }
  const seen = new Set<string>()
  for (const object of objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const at = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length)
    const group = at < 0 ? undefined : object.key.slice(0, at + delimiter.length)
    if ((group ?? object.key) <= startAfter || (group !== undefined && seen.has(group))) continue
    if (page.objects.length + page.commonPrefixes.length >= maxKeys) {
      page.isTruncated = true
      break
    }
    if (group === undefined) page.objects.push(object)
    else {
      seen.add(group)
      page.commonPrefixes.push(group)
    }
  }
  return page
}
