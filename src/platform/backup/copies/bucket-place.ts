import { createHash } from 'node:crypto'
import { OperatorError } from '../../../core/operator-error.ts'
import { type Bucket, type BucketAnswer, BucketRefusal, sha256 } from './bucket.ts'
import { type CopyPlace, isCopyName, type WrittenCopy } from './place.ts'

/** A piece that is sent in one request, and repeated when it did not arrive. It lies in memory meanwhile. */
const PART_BYTES = 16 * 1024 * 1024
/** S3 takes 10,000 parts. */
const PARTS_MAX = 9_000
const PAGES_MAX = 100

/**
 * Keeps copies in a bucket of an S3-compatible store.
 *
 * A copy goes there in parts, each with its SHA-256, which the store compares. At the end the store is asked for the size and
 * the SHA-256 of the whole; one that knows no SHA-256 has the whole read back.
 *
 * @param prefix without slashes at its ends.
 */
export function openBucketPlace(
  bucket: Bucket,
  { name: bucketName, prefix, installId, partBytes: leastPartBytes = PART_BYTES }: BucketPlaceOptions,
): CopyPlace {
  const folder = prefix === '' ? installId : `${prefix}/${installId}`
  const keyOf = (name: string): string => `${folder}/${name}`

  async function confirm(key: string, sent: Sent): Promise<void> {
    const head = await bucket.ask({ method: 'HEAD', key, headers: { 'x-amz-checksum-mode': 'ENABLED' } })
    const bytes = Number(head.headers['content-length'] ?? Number.NaN)
    if (bytes !== sent.bytes) throw lie(`says that it keeps ${bytes} bytes where ${sent.bytes} were sent`)
    const told = head.headers['x-amz-checksum-sha256']
    const kept = told === undefined ? await hashOf(bucket.read(key)) : String(told)
    if (kept !== sent.checksum && kept !== sent.ofParts)
      throw lie('keeps other bytes than were sent to it: their SHA-256 differs')
  }

  const lie = (fault: string) =>
    new OperatorError(`The store ${bucket.host} ${fault}. The copy does not count, and is sent again.`)

  return {
    address: `s3://${bucketName}/${folder}`,

    async write(name, content, bytes) {
      const key = keyOf(name)
      const partBytes = Math.max(leastPartBytes, Math.ceil(bytes / PARTS_MAX))
      const sent =
        bytes <= partBytes
          ? await sendWhole(bucket, key, content, bytes)
          : await sendParts(bucket, key, content, partBytes)
      try {
        if (sent.bytes !== bytes) throw new Error(`sent ${sent.bytes} bytes of ${bytes}`)
        await confirm(key, sent)
      } catch (error) {
        await bucket.ask({ method: 'DELETE', key }).catch(() => {})
        throw error
      }
      return { bytes: sent.bytes, sha256: sent.sha256 }
    },

    async list() {
      const names = (await listKeys(bucket, `${folder}/`)).map((key) => key.slice(folder.length + 1))
      return names.filter(isCopyName)
    },

    remove: async (name) => void (await bucket.ask({ method: 'DELETE', key: keyOf(name) })),

    async tidy() {
      const query = { uploads: '', prefix: `${folder}/` }
      const { text } = await bucket.ask({ method: 'GET', query }).catch((error) => {
        // Not every store can list them, and not every key may.
        if (error instanceof BucketRefusal) return { text: '' }
        throw error
      })
      const [keys, uploads] = [readAll(text, 'Key'), readAll(text, 'UploadId')]
      for (const [n, key] of keys.entries())
        if (key.startsWith(`${folder}/`)) await abandon(bucket, key, uploads[n] ?? '')
    },
  }
}

/** Lists the objects whose keys begin with a prefix. */
export async function listKeys(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = []
  let token = ''
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = {
      ...{ 'list-type': '2', prefix },
      ...(token === '' ? {} : { 'continuation-token': token }),
    }
    const { text } = await bucket.ask({ method: 'GET', query })
    keys.push(...readAll(text, 'Key'))
    token = readOne(text, 'NextContinuationToken')
    if (token === '') break
  }
  return keys
}

export interface BucketPlaceOptions {
  /** Of the bucket. */
  name: string
  prefix: string
  installId: string
  /** The size of a part, unless the file needs larger ones. */
  partBytes?: number
}

/** What was sent, with the two ways in which a store may name its SHA-256: of the whole, and of the hashes of the parts. */
interface Sent extends WrittenCopy {
  checksum: string
  ofParts: string
}

async function sendWhole(
  bucket: Bucket,
  key: string,
  content: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<Sent> {
  const [body = new Uint8Array()] = await collect(cut(content, bytes + 1))
  const hash = sha256(body)
  await withChecksum({ 'x-amz-checksum-sha256': hash.toString('base64') }, (headers) =>
    bucket.ask({ method: 'PUT', key, headers, body }),
  )
  const checksum = hash.toString('base64')
  return { bytes: body.length, sha256: hash.toString('hex'), checksum, ofParts: checksum }
}

async function sendParts(
  bucket: Bucket,
  key: string,
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): Promise<Sent> {
  let hasChecksums = false
  const begun = await withChecksum({ 'x-amz-checksum-algorithm': 'SHA256' }, (headers) => {
    hasChecksums = Object.keys(headers).length > 0
    return bucket.ask({ method: 'POST', key, query: { uploads: '' }, headers })
  })
  const uploadId = readOne(begun.text, 'UploadId')
  if (uploadId === '') throw new OperatorError(`The store ${bucket.host} does not take files in parts.`)
  try {
    const whole = createHash('sha256')
    const hashes: Buffer[] = []
    const lines: string[] = []
    let bytes = 0
    for await (const body of cut(content, partBytes)) {
      const hash = sha256(body)
      const checksum = hash.toString('base64')
      const partNumber = String(hashes.length + 1)
      const { headers } = await bucket.ask({
        ...{ method: 'PUT', key, body, query: { partNumber, uploadId } },
        headers: hasChecksums ? { 'x-amz-checksum-sha256': checksum } : {},
      })
      whole.update(body)
      hashes.push(hash)
      bytes += body.length
      const told = hasChecksums ? `<ChecksumSHA256>${checksum}</ChecksumSHA256>` : ''
      const etag = escapeXml(String(headers.etag ?? ''))
      lines.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag>${told}</Part>`)
    }
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${lines.join('')}</CompleteMultipartUpload>`
    const done = await bucket.ask({ method: 'POST', key, query: { uploadId }, body })
    // A store may find out after it has answered 200.
    if (done.text.includes('<Error>'))
      throw new OperatorError(`The store ${bucket.host} could not put the parts of the copy together.`)
    const digest = whole.digest()
    return {
      ...{ bytes, sha256: digest.toString('hex'), checksum: digest.toString('base64') },
      ofParts: `${sha256(Buffer.concat(hashes)).toString('base64')}-${hashes.length}`,
    }
  } catch (error) {
    await abandon(bucket, key, uploadId)
    throw error
  }
}

/** Stores let parts be paid for until the upload is given up. One that cannot be reached is asked again before the next copy. */
const abandon = (bucket: Bucket, key: string, uploadId: string): Promise<unknown> =>
  bucket.ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => {})

/** Some stores refuse a header that they do not know; the copy is then read back. */
async function withChecksum(
  headers: Readonly<Record<string, string>>,
  send: (headers: Readonly<Record<string, string>>) => Promise<BucketAnswer>,
): Promise<BucketAnswer> {
  try {
    return await send(headers)
  } catch (error) {
    const isUnknown =
      error instanceof BucketRefusal &&
      (error.status === 501 || ['InvalidArgument', 'InvalidRequest', 'NotImplemented'].includes(error.code))
    if (!isUnknown) throw error
    return send({})
  }
}

/** Cuts a content into parts of the same size. A part is to be used before the next one is asked for: they share their memory. */
async function* cut(content: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(partBytes)
  let filled = 0
  for await (const piece of content) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + partBytes - filled)
      part.set(taken, filled)
      filled += taken.length
      at += taken.length
      if (filled < partBytes) continue
      yield part
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of content) hash.update(piece)
  return hash.digest('base64')
}

/** The contents of all elements of a name. Those of an S3 answer hold no elements themselves. */
const readAll = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => unescapeXml(text))

const readOne = (xml: string, name: string): string => readAll(xml, name)[0] ?? ''

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
}
const unescapeXml = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos|#34);/g, (entity) => ENTITIES[entity] ?? entity)
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
