import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** One content in each stored encoding: its bytes, or a file that holds them. */
export interface Packed {
  identity: Body
  gzip: Body
  /** Absent where it would save less than it adds to the executable. */
  br?: Body | undefined
}

type Bytes = Uint8Array<ArrayBuffer> | Blob
/** Bytes that are rarely requested are made by a function. */
type Body = Bytes | (() => Promise<Bytes>)

type Encoding = keyof Packed

const unpack = promisify(gunzip)

/** A file that is kept with gzip, and perhaps with Brotli. It is unpacked for the few clients that take neither. */
export function packFile(gzipPath: string, brPath?: string): Packed {
  const gzip = Bun.file(gzipPath)
  return {
    identity: async () => new Uint8Array(await unpack(await gzip.bytes())),
    gzip,
    br: brPath === undefined ? undefined : Bun.file(brPath),
  }
}

/** Best first. */
const ENCODINGS = ['br', 'gzip'] as const

/** Reads which encodings a client refuses or prefers (RFC 9110 §12.5.3), and picks the smallest that it takes. */
function chooseEncoding(accepted: string, packed: Packed): Encoding {
  const weights = new Map(
    accepted
      .toLowerCase()
      .split(',', 20)
      .map((entry) => {
        const [name = '', weight] = entry.split(';')
        const value = /^\s*q=([\d.]+)\s*$/.exec(weight ?? '')?.[1]
        return [name.trim(), value === undefined ? 1 : Number(value)] as const
      }),
  )
  return (
    ENCODINGS.find((name) => packed[name] && (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? 'identity'
  )
}

/**
 * Answers with the smallest form that the client takes, or with 304 if the client has that form.
 *
 * @param hash identifies the content; the ETag consists of it and of the encoding.
 * @param headers of the answer, at least the content type and the caching.
 */
export async function answerPacked(
  { headers: asked }: Request,
  packed: Packed,
  hash: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoding = chooseEncoding(asked.get('accept-encoding') ?? '', packed)
  const etag = `"${hash}-${encoding}"`
  const { 'content-type': type, ...others } = { ...headers, etag, vary: 'accept-encoding' } as Record<
    string,
    string
  >
  if (matches(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: others })
  const body = packed[encoding] ?? packed.identity
  return new Response(typeof body === 'function' ? await body() : body, {
    headers: {
      ...others,
      ...(type !== undefined && { 'content-type': type }),
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  })
}

/** Whether a list of tags holds one; proxies that change the encoding mark their tags as weak. */
const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')))
