import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import { answerPacked, type Packed } from '../encoding.ts'
import { buildDocument, type DocumentSources } from './document.ts'

const packGzip = promisify(gzip)
const packBrotli = promisify(brotliCompress)

/** Serves `/openapi.json`, which is built from the routes and packed on the first request. */
export function openApiPlugin(readSources: () => DocumentSources) {
  let document: Promise<{ packed: Packed; hash: string }> | undefined

  async function pack() {
    const text = JSON.stringify(await buildDocument(readSources()))
    const plain = new TextEncoder().encode(text)
    // Both run on their own threads.
    const [gzipped, brotli] = await Promise.all([
      packGzip(plain, { level: 9 }),
      packBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    ])
    const hash = new Bun.CryptoHasher('sha256').update(plain).digest('hex').slice(0, 16)
    return {
      packed: { identity: plain, gzip: new Uint8Array(gzipped), br: new Uint8Array(brotli) },
      hash,
    }
  }

  return new Elysia({ name: 'http.openapi' }).get(
    '/openapi.json',
    async ({ request }) => {
      document ??= pack()
      const { packed, hash } = await document
      return answerPacked(request, packed, hash, {
        'content-type': 'application/json',
        // A new version of the service may have another document, and asking again costs a few bytes.
        'cache-control': 'no-cache',
      })
    },
    { detail: { hide: true } },
  )
}
