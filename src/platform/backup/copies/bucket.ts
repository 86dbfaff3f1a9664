import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AwsV4Signer as Signer } from 'aws4fetch'
import { createBackoff } from '../../../core/backoff.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { runWithDeadline } from '../../outbound/deadline.ts'
import type { Egress } from '../../outbound/egress.ts'
import type { OutboundRequest, ResponseHead } from '../../outbound/exchange.ts'
import { OutboundError } from '../../outbound/failure.ts'

/** A bucket of an S3-compatible store, and the key for it. */
export interface BucketPlace {
  /** Without a path. */
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

export interface BucketRequest {
  method: OutboundRequest<unknown>['method']
  /** The object; without one the request is about the bucket. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array | string
}

export interface BucketAnswer extends ResponseHead {
  /** Its beginning. */
  text: string
}

/** An answer of a store that says no. */
export class BucketRefusal extends OperatorError {
  readonly status: number
  readonly code: string

  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface BucketOptions {
  egress: Pick<Egress, 'sendToOwn'>
  stop: AbortSignal
  /** The waits before a request is repeated, in ms. */
  waits?: readonly [number, ...number[]]
  /** How long a request may take as a whole, and how long a download may stand still, in ms. */
  requestMs?: number
}

/** A part must be through in this time, which 60 kB a second are enough for. */
const REQUEST_MS = 300_000
const CONNECT_MS = 20_000
const WAITS = [1_000, 5_000, 20_000] as const
/** A list of 1,000 objects with the longest names. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** 5 TB, the largest object, in pieces of 1 KiB. */
const PIECES_MAX = 5 * 1024 ** 3

export type Bucket = ReturnType<typeof openBucket>

/** Speaks S3 with a store: signs each request, and repeats one that failed on the way or that the store could not serve. */
export function openBucket(
  place: BucketPlace,
  { egress, stop, waits = WAITS, requestMs = REQUEST_MS }: BucketOptions,
) {
  const backoff = createBackoff({ waits: [...waits] })
  const host = new URL(place.endpoint).host
  const keys = new Map<string, ArrayBuffer>()

  async function exchange<Body>(
    request: BucketRequest,
    signal: AbortSignal,
    read: OutboundRequest<Body>['read'],
  ) {
    const { AwsV4Signer } = await import('aws4fetch')
    const { method, key, query = {}, headers = {}, body } = request
    const url = new URL(place.endpoint)
    url.pathname = key === undefined ? `/${place.bucket}` : `/${place.bucket}/${key}`
    url.search = new URLSearchParams(query).toString()
    const signer: Signer = new AwsV4Signer({
      ...{ method, service: 's3', region: place.region, cache: keys, url: url.href },
      accessKeyId: place.accessKeyId,
      secretAccessKey: place.secretAccessKey,
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? '').toString('hex') },
      allHeaders: true,
    })
    const signed = await signer.sign()
    return egress.sendToOwn(signed.url, {
      ...{ method, headers: Object.fromEntries(signed.headers), signal, read },
      ...(body === undefined ? {} : { body }),
      connectMs: CONNECT_MS,
      piecesMax: PIECES_MAX,
    })
  }

  async function repeat<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let failures = 0; ; failures++) {
      try {
        return await work()
      } catch (error) {
        stop.throwIfAborted()
        if (failures >= waits.length || !isPassing(error)) throw explain(error)
        await sleep(backoff(failures), undefined, { signal: stop })
      }
    }
  }

  const explain = (error: unknown): unknown =>
    error instanceof OutboundError
      ? new OperatorError(`The store ${host} was not reached: ${error.message}.`)
      : error

  function refuse({ status, text }: Pick<BucketAnswer, 'status' | 'text'>): BucketRefusal {
    // The rest of the answer is the store's, and may say anything.
    const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? ''
    return new BucketRefusal(describe(status, code), { status, code })
  }

  function describe(status: number, code: string): string {
    const said = `the store ${host} answered ${status}${code === '' ? '' : ` ${code}`}`
    const { bucket } = place
    if (code === 'NoSuchBucket')
      return `There is no bucket ${bucket} at ${host}: make it, or correct its name in the settings.`
    if (code === 'NoSuchKey' || status === 404)
      return `There is no such file in the bucket ${bucket} (${said}).`
    if (code === 'RequestTimeTooSkewed') return `The clock of this machine is wrong (${said}): set it by NTP.`
    if (status === 401 || status === 403)
      return `The key in S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY may not do this in the bucket ${bucket} (${said}): correct it, or give it the rights to read, write, list and delete.`
    if (status < 400) return `The bucket ${bucket} is elsewhere (${said}): correct S3_REGION or S3_ENDPOINT.`
    return `The bucket ${bucket} did not take the request (${said}).`
  }

  return {
    host,

    /** @throws BucketRefusal for any status from 300 on; OperatorError when the store cannot be reached. */
    ask: (request: BucketRequest): Promise<BucketAnswer> =>
      repeat(() =>
        runWithDeadline(requestMs, stop, async (signal) => {
          const answer = await exchange(request, signal, (_head, pieces) => readText(pieces))
          const asked = { ...answer, text: answer.body }
          if (answer.status >= 300) throw refuse(asked)
          return asked
        }),
      ),

    /** Reads an object. One that stands still for too long is given up; what was read is not read again. */
    async *read(key: string): AsyncGenerator<Uint8Array> {
      const halt = new AbortController()
      const abort = () => halt.abort()
      let timer = setTimeout(abort, requestMs)
      stop.addEventListener('abort', abort, { once: true })
      const pipe = new TransformStream<Uint8Array, Uint8Array>()
      const writer = pipe.writable.getWriter()
      const reading = exchange({ method: 'GET', key }, halt.signal, async (head, pieces) => {
        if (head.status !== 200) throw refuse({ status: head.status, text: await readText(pieces) })
        for await (const piece of pieces) {
          clearTimeout(timer)
          timer = setTimeout(abort, requestMs)
          await writer.write(piece)
        }
      })
        .then(
          () => writer.close(),
          (error) => writer.abort(explain(error)),
        )
        // Whoever reads learns of it.
        .catch(() => {})
      try {
        yield* pipe.readable
      } finally {
        clearTimeout(timer)
        stop.removeEventListener('abort', abort)
        halt.abort()
        await reading
      }
    },
  }
}

export const sha256 = (content: Uint8Array | string): Buffer => createHash('sha256').update(content).digest()

/** Whether the same request may succeed soon. */
const isPassing = (error: unknown): boolean =>
  error instanceof BucketRefusal
    ? error.status >= 500
      ? error.status !== 501
      : error.status === 429 || error.status === 408
    : error instanceof OutboundError && ['connect', 'timeout', 'dns'].includes(error.reason)

async function readText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > ANSWER_BYTES_MAX) throw new OutboundError('too_large', 'Its answer is too long')
    kept.push(piece)
  }
  return Buffer.concat(kept).toString()
}
