/**
 * The object store of the drills: s3rver behind a proxy that adds `If-Match` and `If-None-Match` to PUT, which s3rver does not have.
 *
 *     bun scripts/scale/object-store.ts [--folder FOLDER] [--bucket drill] [--port 0]
 *
 * It prints `listening on <address>`. Key and secret are `S3RVER`. All writes of a key wait for each other, so a condition and its write are one
 * step. Lists are sorted, with the common prefixes that s3rver loses where objects lie two folders deeper.
 */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
interface Store {
  getMetadata(bucket: string, key: string): Promise<Stored>
  listObjects(bucket: string, options: ListOptions): Promise<Listing>
}
interface Server {
  store: Store
  run(): Promise<{ port: number }>
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
  ...{ port: 0, address: '127.0.0.1', silent: true, directory: folder },
  configureBuckets: [{ name: flags.bucket }],
})
const { store } = server
const listObjects = store.listObjects.bind(store)
store.listObjects = async (bucket, { delimiter = '', startAfter = '', prefix = '', maxKeys = 1_000 }) => {
  const { objects } = await listObjects(bucket, { prefix })
  return groupListing(objects, { delimiter, startAfter, prefix, maxKeys })
}
const inner = (await server.run()).port

/** The writes of each key, one after the other. */
const tails = new Map<string, Promise<unknown>>()
function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = tails.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  tails.set(key, mine)
  void mine.catch(() => {}).then(() => tails.get(key) === mine && tails.delete(key))
  return mine
}

const proxy = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(flags.port),
  idleTimeout: 60,
  maxRequestBodySize: 8 * 2 ** 30,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (request.method !== 'PUT' && request.method !== 'DELETE') return forward(request)
    const body = await request.arrayBuffer()
    return inTurn(pathname, async () => (await refuse(request, pathname)) ?? forward(request, body))
  },
})
console.log(`listening on http://127.0.0.1:${proxy.port}`)

/** The refusal of a write whose condition does not hold. */
async function refuse(request: Request, pathname: string): Promise<Response | undefined> {
  const [match, noneMatch] = [request.headers.get('if-match'), request.headers.get('if-none-match')]
  if (match === null && noneMatch === null) return undefined
  const [, bucket = '', ...parts] = decodeURIComponent(pathname).split('/')
  const etag = await store.getMetadata(bucket, parts.join('/')).then(
    (stored) => stored.etag,
    () => undefined,
  )
  if (match !== null && etag === undefined) return fail(404, 'NoSuchKey')
  const isMet = match === null || match === etag
  if (isMet && (noneMatch === null || etag === undefined)) return undefined
  return fail(412, 'PreconditionFailed')
}

const fail = (status: number, code: string): Response =>
  new Response(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
    {
      status,
      headers: { 'content-type': 'application/xml' },
    },
  )

async function forward(request: Request, body?: ArrayBuffer): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(request.headers)
  headers.delete('if-match')
  headers.delete('if-none-match')
  const sent = body ?? (request.method === 'POST' ? await request.arrayBuffer() : undefined)
  // The signature covers the host that the client named.
  const answer = await fetch(`http://127.0.0.1:${inner}${pathname}${search}`, {
    ...{ method: request.method, headers, redirect: 'manual', decompress: false },
    ...(sent && { body: sent }),
  })
  return new Response(answer.body, { status: answer.status, headers: answer.headers })
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
