import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCidrs } from '../../../../src/core/networks.ts'
import { decrypt, encrypt, makeKey, readIdentities } from '../../../../src/platform/backup/copies/age.ts'
import { openBucket } from '../../../../src/platform/backup/copies/bucket.ts'
import { openBucketPlace } from '../../../../src/platform/backup/copies/bucket-place.ts'
import { openFolderPlace } from '../../../../src/platform/backup/copies/folder-place.ts'
import type { CopyPlace } from '../../../../src/platform/backup/copies/place.ts'
import { sendCopy } from '../../../../src/platform/backup/copies/send.ts'
import { createEgress } from '../../../../src/platform/outbound/egress.ts'

const { default: S3rver } = (await import('s3rver' as string)) as {
  default: new (
    options: Record<string, unknown>,
  ) => {
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}

const BYTES = 300_000
const PART_BYTES = 100_000
const backup = Buffer.concat(
  Array.from({ length: 5 }, () => crypto.getRandomValues(new Uint8Array(BYTES / 5))),
)
const sha256 = createHash('sha256').update(backup).digest('hex')

let folder: string
let path: string
let key: Awaited<ReturnType<typeof makeKey>>
const never = new AbortController().signal

beforeAll(async () => {
  key = await makeKey()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-copies-'))
  path = join(folder, nameOf(1))
  writeFileSync(path, backup)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const nameOf = (day: number): string => `lookalike-202611${String(day).padStart(2, '0')}T020000000Z.tar.zst`
const order = () => ({ path, bytes: BYTES, sha256, recipient: key.recipient, keep: 2 })
const send = (place: CopyPlace, wish = order()) => sendCopy(wish, place, () => {})

async function* piecesOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 7_000) yield bytes.subarray(at, at + 7_000)
}
const names = { file: 'copy.age', keyFile: 'key.txt' }
const open = async (bytes: Uint8Array, identities = [key.identity]): Promise<Buffer> => {
  const all: Uint8Array[] = []
  for await (const piece of decrypt(piecesOf(bytes), identities, names)) all.push(piece)
  return Buffer.concat(all)
}

const bucketAt = (port: number, { keyId = 'S3RVER', requestMs = 5_000, offline = false, allow = '' } = {}) =>
  openBucket(
    {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'backups',
      accessKeyId: keyId,
      secretAccessKey: 'S3RVER',
    },
    {
      egress: createEgress({ allowCidrs: parseCidrs(allow), isOffline: offline }),
      ...{ stop: never, waits: [0, 0], requestMs },
    },
  )
const placeAt = (port: number, options: Parameters<typeof bucketAt>[1] = {}, installId = 'install-1') =>
  openBucketPlace(bucketAt(port, options), {
    ...{ name: 'backups', prefix: 'shop/nightly', installId, partBytes: PART_BYTES },
  })

describe('a bucket', () => {
  let server: InstanceType<typeof S3rver>
  let port: number
  let directory: string

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lookalike-s3rver-'))
    server = new S3rver({
      ...{ port: 0, address: '127.0.0.1', silent: true, directory },
      configureBuckets: [{ name: 'backups' }],
    })
    port = (await server.run()).port
  })
  afterAll(async () => {
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  test('takes a copy in parts, which the key alone opens', async () => {
    const sent = await send(placeAt(port))
    expect(sent.address).toBe(`s3://backups/shop/nightly/install-1/${nameOf(1)}.age`)
    const kept: Uint8Array[] = []
    for await (const piece of bucketAt(port).read(`shop/nightly/install-1/${nameOf(1)}.age`)) kept.push(piece)
    const copy = Buffer.concat(kept)
    expect(copy.length).toBe(sent.bytes)
    expect(createHash('sha256').update(copy).digest('hex')).toBe(sent.sha256)
    expect(copy.includes(backup.subarray(0, 64))).toBeFalse()
    expect(await open(copy)).toEqual(backup)
  })

  test('takes a small copy in one request', async () => {
    writeFileSync(path, backup.subarray(0, 1_000))
    const small = createHash('sha256').update(backup.subarray(0, 1_000)).digest('hex')
    await send(placeAt(port, {}, 'small'), { ...order(), bytes: 1_000, sha256: small })
    expect(await placeAt(port, {}, 'small').list()).toEqual([`${nameOf(1)}.age`])
  })

  test('loses the oldest copies of this install, and nothing else', async () => {
    const [own, other] = [placeAt(port, {}, 'own'), placeAt(port, {}, 'other')]
    await send(other)
    await bucketAt(port).ask({ method: 'PUT', key: 'shop/nightly/own/notes.txt', body: 'mine' })
    for (const day of [1, 2, 3]) {
      path = join(folder, nameOf(day))
      writeFileSync(path, backup)
      await send(own)
    }
    expect((await own.list()).toSorted()).toEqual([`${nameOf(2)}.age`, `${nameOf(3)}.age`])
    expect(await other.list()).toEqual([`${nameOf(1)}.age`])
    const notes = await bucketAt(port).ask({ method: 'GET', key: 'shop/nightly/own/notes.txt' })
    expect(notes.text).toBe('mine')
  })

  test('keeps nothing of a backup that has changed since it was tried', async () => {
    writeFileSync(path, Buffer.concat([backup.subarray(0, -1), Buffer.of(0)]))
    await expect(send(placeAt(port, {}, 'changed'))).rejects.toThrow('no longer the file that was tried')
    expect(await placeAt(port, {}, 'changed').list()).toEqual([])
  })

  test('with a wrong key or name says so in one sentence', async () => {
    await expect(send(placeAt(port, { keyId: 'wrong' }))).rejects.toThrow(
      /^The key in S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY may not do this in the bucket backups \(.*403 InvalidAccessKeyId\)/,
    )
    const bucket = openBucket(
      {
        ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket: 'nowhere' },
        ...{ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      },
      { egress: createEgress({ allowCidrs: [], isOffline: false }), stop: never, waits: [0] },
    )
    const place = openBucketPlace(bucket, { name: 'nowhere', prefix: '', installId: 'i' })
    await expect(send(place)).rejects.toThrow(/^There is no bucket nowhere at 127/)
  })

  test('is out of reach offline, unless its network is allowed', async () => {
    await expect(send(placeAt(port, { offline: true }))).rejects.toThrow('add the address of 127.0.0.1 to')
    await send(placeAt(port, { offline: true, allow: '127.0.0.0/8' }))
  })
})

/** Computes the signature of a request anew (AWS Signature Version 4). */
function isSigned(request: Request, body: Buffer): boolean {
  const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text).digest()
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
  const url = new URL(request.url)
  const [, keyId, scope = '', list = '', given] =
    /Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      request.headers.get('authorization') ?? '',
    ) ?? []
  const bodyHash = hash(body)
  const canonical = [
    request.method,
    url.pathname,
    [...url.searchParams]
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .toSorted()
      .join('&'),
    ...list.split(';').map((name) => `${name}:${request.headers.get(name)}`),
    '',
    list,
    bodyHash,
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', request.headers.get('x-amz-date'), scope, hash(canonical)].join('\n')
  const signer = scope.split('/').reduce<string | Buffer>(hmac, 'AWS4S3RVER')
  const isAll = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => list.split(';').includes(name))
  return (
    keyId === 'S3RVER' &&
    isAll &&
    request.headers.get('x-amz-content-sha256') === bodyHash &&
    hmac(signer, text).toString('hex') === given
  )
}

describe('a store that misbehaves', () => {
  type Answer = (request: Request, body: Buffer) => Response | Promise<Response>

  /** A store of a few lines, of which one answer is replaced. */
  async function withStore<Result>(
    replace: (request: Request) => Answer | undefined,
    work: (port: number, objects: Map<string, Buffer>, asked: string[]) => Promise<Result>,
  ): Promise<Result> {
    const objects = new Map<string, Buffer>()
    const parts = new Map<string, Buffer>()
    const asked: string[] = []
    using server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      async fetch(request) {
        const { pathname, searchParams } = new URL(request.url)
        const body = Buffer.from(await request.arrayBuffer())
        asked.push(`${request.method} ${[...searchParams.keys()].toSorted().join('&')}`)
        if (!isSigned(request, body))
          return new Response('<Code>SignatureDoesNotMatch</Code>', { status: 403 })
        const answer = replace(request)
        if (answer) return answer(request, body)
        if (request.method === 'PUT' && searchParams.has('partNumber')) {
          parts.set(searchParams.get('partNumber') ?? '', body)
          return new Response('', { headers: { etag: '"1"' } })
        }
        if (request.method === 'POST' && searchParams.has('uploads'))
          return new Response('<UploadId>u</UploadId>')
        if (request.method === 'POST') {
          objects.set(pathname, Buffer.concat([...parts.values()]))
          return new Response('<CompleteMultipartUploadResult/>')
        }
        if (request.method === 'DELETE') objects.delete(pathname)
        const found = objects.get(pathname)
        return found ? new Response(found) : new Response('<ListBucketResult/>')
      },
    })
    return await work(server.port as number, objects, asked)
  }

  test('gets requests that are signed for their method, path, query, headers and body', async () => {
    await withStore(
      () => undefined,
      async (port, objects) => {
        await send(placeAt(port))
        expect(objects.size).toBe(1)
        await expect(send(placeAt(port, { keyId: 'other' }))).rejects.toThrow('403 SignatureDoesNotMatch')
      },
    )
  })

  const isPart = ({ method, url }: Request) => method === 'PUT' && url.includes('partNumber')

  test('is asked again for what it could not serve', async () => {
    let failures = 2
    await withStore(
      (request) =>
        isPart(request) && failures-- > 0 ? () => new Response('busy', { status: 503 }) : undefined,
      async (port, objects) => {
        await send(placeAt(port))
        expect(await open([...objects.values()][0] as Buffer)).toEqual(backup)
      },
    )
  })

  test('by refusing parts leaves nothing to pay for', async () => {
    await withStore(
      (request) =>
        isPart(request)
          ? () =>
              new Response('<Error><Code>SlowDown</Code><Message>secret words</Message></Error>', {
                status: 503,
              })
          : undefined,
      async (port, objects, asked) => {
        await expect(send(placeAt(port))).rejects.toThrow(
          /^The bucket backups did not take the request \(the store 127\.0\.0\.1:\d+ answered 503 SlowDown\)\.$/,
        )
        expect(objects.size).toBe(0)
        expect(asked.at(-1)).toBe('DELETE uploadId')
      },
    )
  })

  test('by standing still is given up', async () => {
    await withStore(
      (request) => (isPart(request) ? () => new Promise<Response>(() => {}) : undefined),
      async (port) => {
        await expect(send(placeAt(port, { requestMs: 100 }))).rejects.toThrow('took too long to answer')
      },
    )
  })

  for (const [what, answer] of [
    [
      'about a hash',
      (request: Request) =>
        request.method === 'HEAD'
          ? () =>
              new Response('x'.repeat(0), {
                headers: { 'content-length': '300453', 'x-amz-checksum-sha256': 'AAAA-4' },
              })
          : undefined,
    ],
    [
      'and keeps other bytes',
      (request: Request) =>
        request.method === 'GET' && new URL(request.url).pathname.endsWith('.age')
          ? () => new Response('other bytes')
          : undefined,
    ],
    [
      'about the size',
      (request: Request) => (request.method === 'HEAD' ? () => new Response('short') : undefined),
    ],
  ] as const) {
    test(`that lies ${what} is not believed`, async () => {
      await withStore(answer, async (port, objects) => {
        await expect(send(placeAt(port))).rejects.toThrow(
          /^The store 127\.0\.0\.1:\d+ (keeps other|says that)/,
        )
        expect(objects.size).toBe(0)
      })
    })
  }
})

describe('a folder', () => {
  test('takes a copy, loses the oldest ones and what a kill has left', async () => {
    const place = openFolderPlace(folder, 'install-1')
    mkdirSync(join(folder, 'install-1'))
    writeFileSync(join(folder, 'install-1', `${nameOf(9)}.age.part`), 'half')
    writeFileSync(join(folder, 'install-1', 'notes.txt'), 'mine')
    for (const day of [1, 2, 3]) {
      path = join(folder, nameOf(day))
      writeFileSync(path, backup)
      const { address, bytes } = await send(place)
      expect(readFileSync(address).length).toBe(bytes)
      expect(await open(readFileSync(address))).toEqual(backup)
    }
    const left = readdirSync(join(folder, 'install-1')).toSorted()
    expect(left).toEqual([`${nameOf(2)}.age`, `${nameOf(3)}.age`, 'notes.txt'])
  })

  test('that is not mounted is not made', async () => {
    const missing = join(folder, 'nas')
    await expect(send(openFolderPlace(missing, 'i'))).rejects.toThrow(`There is no folder ${missing}`)
    expect(readdirSync(folder)).not.toContain('nas')
  })

  test.skipIf(process.getuid?.() === 0)('without rights says so', async () => {
    chmodSync(folder, 0o500)
    await expect(send(openFolderPlace(folder, 'i'))).rejects.toThrow('is not writable')
    chmodSync(folder, 0o700)
  })
})

describe('the encryption', () => {
  const seal = async (): Promise<Buffer> => {
    const { content: sealed, bytes } = await encrypt(piecesOf(backup), backup.length, key.recipient)
    const all: Uint8Array[] = []
    for await (const piece of sealed) all.push(piece)
    expect(Buffer.concat(all).length).toBe(bytes)
    return Buffer.concat(all)
  }

  test('does not open with another key, cut short, changed, or of another kind', async () => {
    const sealed = await seal()
    const { identity } = await makeKey()
    await expect(open(sealed, [identity])).rejects.toThrow('encrypted to another key than the one in key.txt')
    await expect(open(sealed.subarray(0, -1))).rejects.toThrow('copy.age is truncated or damaged')
    await expect(open(sealed.subarray(0, 200_000))).rejects.toThrow('truncated or damaged')
    await expect(open(sealed.subarray(0, 100))).rejects.toThrow('not a file of age')
    const changed = Buffer.from(sealed)
    changed[150_000] = (changed[150_000] ?? 0) ^ 1
    await expect(open(changed)).rejects.toThrow('truncated or damaged')
    await expect(open(backup)).rejects.toThrow('not a file of age')
    await expect(open(sealed, ['AGE-SECRET-KEY-1XYZ'])).rejects.toThrow('The key in key.txt is damaged')
  })

  test('reads key files as age-keygen writes them', () => {
    const text = `# created: today\n# public key: ${key.recipient}\r\n${key.identity}\r\n`
    expect(readIdentities(text)).toEqual([key.identity])
  })
})
