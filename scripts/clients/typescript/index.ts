/**
 * A client of Lookalike for Node.js, Bun, Deno, workers and browsers. It needs `fetch`, and nothing else.
 *
 * Every operation of the API is a method and a path, as the document of the API names it; the types of what goes in and comes out follow from it.
 */
import type { Operations } from '#generated/api.ts'

export type * from '#generated/api.ts'

/** `POST /v1/search/text`. */
export type OperationName = keyof Operations

/** Where the service is, and who calls it. A secret belongs on a server; a browser uses the widget. */
export interface ClientOptions {
  /** Such as `https://search.shop.example`. */
  url: string
  /** Of a store: the client gets tokens by itself. */
  clientId?: string
  clientSecret?: string
  /** `sk_live_…`, in place of the two. */
  apiKey?: string
  /** How often a request is sent again that the service has refused for the moment; default 4. */
  retries?: number
  /** The longest wait before a request is sent again, in milliseconds; default 60,000. */
  waitMaxMs?: number
  /** For tests, proxies and older runtimes; default the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type PathNames<Name extends string> = Name extends `${string}{${infer Param}}${infer Rest}`
  ? Param | PathNames<Rest>
  : never

/** What a call may carry besides its operation. */
export type CallOptions<Name extends OperationName> = {
  /** The values of the path: `{ product_id: 'sku-1' }`. */
  path?: Record<PathNames<Name>, string>
  query?: Partial<Operations[Name]['query']>
  /** Sent as JSON. */
  body?: Operations[Name]['body']
  /** Sent as a form: files as they are, objects as JSON, everything else as text. */
  form?: Record<string, unknown>
  headers?: Record<string, string>
  /** Lets a POST be sent again after a lost answer; the service does the work once. */
  idempotencyKey?: string
  signal?: AbortSignal
} & (PathNames<Name> extends never ? unknown : { path: Record<PathNames<Name>, string> })

/** Calls one operation. @throws LookalikeError for every answer that is none of success. */
export interface Client {
  <Name extends OperationName>(
    name: Name,
    ...options: PathNames<Name> extends never ? [CallOptions<Name>?] : [CallOptions<Name>]
  ): Promise<Operations[Name]['answer']>
  /** The same, with the answer as it came: for pictures, exports and event streams. */
  raw<Name extends OperationName>(name: Name, options?: CallOptions<Name>): Promise<Response>
}

/** What the service has answered in place of success. */
export class LookalikeError extends Error {
  /** HTTP status. */
  readonly status: number
  /** The code of the error, which stays from version to version: `not_found`. `/errors` lists them. */
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined

  constructor(status: number, answer: ErrorAnswer, requestId: string | undefined) {
    super(answer.message ?? `The service answered ${status}`)
    this.name = 'LookalikeError'
    this.status = status
    this.code = answer.error ?? 'unknown'
    this.details = answer.details ?? {}
    this.requestId = requestId
  }
}

interface ErrorAnswer {
  error?: string
  message?: string
  details?: Record<string, unknown>
}

/** A token is renewed before it ends, so that it does not end on the way. */
const RENEW_BEFORE_MS = 60_000
const WAIT_START_MS = 500
/** A store that moves from node to node is followed so often. */
const HOPS_MAX = 3

/** Makes a client. @throws TypeError for options that cannot work. */
export function createClient(options: ClientOptions): Client {
  const { clientId, clientSecret, apiKey, retries = 4, waitMaxMs = 60_000, fetch: send = fetch } = options
  const hasPair = clientId !== undefined && clientSecret !== undefined
  if (!/^https?:\/\//.test(options.url)) throw new TypeError('url must begin with https:// or http://')
  if (hasPair === (apiKey !== undefined)) throw new TypeError('Give clientId and clientSecret, or apiKey')
  let base = options.url.replace(/\/+$/, '')
  let token: { value: string; until: number } | undefined
  let asked: Promise<string> | undefined

  /** Many calls at once ask for one token. */
  async function readToken(): Promise<string> {
    if (apiKey !== undefined) return apiKey
    if (token && Date.now() < token.until) return token.value
    asked ??= askForToken().finally(() => {
      asked = undefined
    })
    return await asked
  }

  async function askForToken(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId ?? '',
      client_secret: clientSecret ?? '',
    })
    const answer = await insist('/oauth/token', () => ({ method: 'POST', body }), true)
    const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number }
    const lifeMs = expires_in * 1000
    token = { value: access_token, until: Date.now() + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 2) }
    return access_token
  }

  /**
   * Sends a request until it is answered for good.
   *
   * @param isSafe whether it may be sent again when nobody knows what became of it.
   */
  async function insist(path: string, make: () => RequestInit | Promise<RequestInit>, isSafe: boolean) {
    let [tries, hops, hasRenewed] = [0, 0, false]
    for (;;) {
      const init = await make()
      let answer: Response
      try {
        answer = await send(base + path, init)
      } catch (error) {
        if (!isSafe || init.signal?.aborted || tries >= retries) throw error
        await wait(backOff(tries++), init.signal)
        continue
      }
      if (answer.ok) return answer
      const error = await readError(answer)
      const elsewhere = error.details['url']
      if (answer.status === 421 && isNode(elsewhere, base) && hops++ < HOPS_MAX) {
        base = elsewhere.replace(/\/+$/, '')
        token = undefined
      } else if (error.code === 'token_expired' && hasPair && !hasRenewed) {
        hasRenewed = true
        token = undefined
      } else if ((answer.status === 429 || answer.status === 503) && tries < retries) {
        const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
        const ms = Number.isFinite(seconds) ? seconds * 1000 : backOff(tries)
        if (ms > waitMaxMs) throw error
        tries++
        await wait(ms, init.signal)
      } else {
        throw error
      }
    }
  }

  async function raw(name: string, call: CallOptions<never> & { path?: Record<string, string> } = {}) {
    const [method = 'GET', template = '/'] = name.split(' ')
    const path = template.replace(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(call.path?.[key] ?? ''),
    )
    const isSafe = !/^(POST|PATCH)$/.test(method) || call.idempotencyKey !== undefined
    return await insist(
      path + formatQuery(call.query),
      async () => {
        const headers: Record<string, string> = {
          authorization: `Bearer ${await readToken()}`,
          ...call.headers,
        }
        if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey
        const init: RequestInit = { method, headers, ...(call.signal && { signal: call.signal }) }
        if (call.form) return { ...init, body: toForm(call.form) }
        if (call.body === undefined) return init
        headers['content-type'] = 'application/json'
        return { ...init, body: JSON.stringify(call.body) }
      },
      isSafe,
    )
  }

  const call = async (name: string, options?: CallOptions<never>) => {
    const answer = await raw(name, options)
    const text = await answer.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  return Object.assign(call, { raw }) as unknown as Client
}

/** Whether a secret may follow a store to an address: never from https to http. */
const isNode = (url: unknown, from: string): url is string =>
  typeof url === 'string' && (from.startsWith('https:') ? /^https:\/\//.test(url) : /^https?:\/\//.test(url))

/** Twice as long each time, and never at the same moment as others. */
const backOff = (tries: number): number => WAIT_START_MS * 2 ** tries * (0.5 + Math.random() / 2)

function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

async function readError(answer: Response): Promise<LookalikeError> {
  const body = await answer.json().catch(() => ({}))
  return new LookalikeError(
    answer.status,
    body as ErrorAnswer,
    answer.headers.get('x-request-id') ?? undefined,
  )
}

function formatQuery(query: object = {}): string {
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(
    known.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === '' ? '' : `?${text}`
}

function toForm(values: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    if (value instanceof Blob) form.set(name, value, (value as File).name ?? name)
    else form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return form
}

/** Operations whose answer is a page of a list. */
export type PagedName = {
  [Name in OperationName]: Operations[Name]['answer'] extends { next_cursor: string | null } ? Name : never
}[OperationName]

/** The entries of a page of a list. */
export type Entry<
  Name extends PagedName,
  List extends keyof Operations[Name]['answer'],
> = Operations[Name]['answer'][List] extends readonly (infer One)[] ? One : never

/**
 * Goes through every entry of a list, page by page, while somebody takes them.
 *
 * @param list the field of the answer that has the entries: `products`.
 */
export async function* pages<Name extends PagedName, List extends keyof Operations[Name]['answer']>(
  client: Client,
  name: Name,
  list: List,
  options: CallOptions<Name> = {} as CallOptions<Name>,
): AsyncGenerator<Entry<Name, List>> {
  let cursor: string | null | undefined
  do {
    const query = { ...options.query, ...(cursor && { cursor }) }
    const page = await (client as (name: Name, options: object) => Promise<Operations[Name]['answer']>)(
      name,
      {
        ...options,
        query,
      },
    )
    yield* page[list] as Entry<Name, List>[]
    cursor = (page as { next_cursor: string | null }).next_cursor
  } while (cursor)
}

/** How often {@link waitForJob} looks, in milliseconds. */
const LOOK_EVERY_MS = 1_000

/** Waits until a job is done. @returns the job, also if some of its products failed. */
export async function waitForJob(client: Client, jobId: string, signal?: AbortSignal) {
  for (;;) {
    const job = await client('GET /v1/jobs/{job_id}', { path: { job_id: jobId }, ...(signal && { signal }) })
    if (job.status !== 'processing') return job
    await wait(LOOK_EVERY_MS, signal)
  }
}
