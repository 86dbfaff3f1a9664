/** A refusal of the service, with the code of its error register. */
export interface ServiceError extends Error {
  name: 'ServiceError'
  status: number
  code: string
  details: Record<string, unknown>
  /** Seconds to wait, as the service asks for. */
  retryAfter: number | undefined
}

/** Reads a refusal; the files of the widget share no classes. @returns undefined for any other fault. */
export const readRefusal = (error: unknown): ServiceError | undefined =>
  error instanceof Error && error.name === 'ServiceError' ? (error as ServiceError) : undefined

export interface Client {
  /** Address of the service, with a slash at its end; another one once the store has moved. */
  base: string
  /**
   * Calls an endpoint below `/v1/widget/`.
   *
   * @param body JSON, or a form with a picture; nothing to read.
   * @param options `repeatKey` makes the service do the work of a repeated request once.
   * @throws ServiceError for an answer that is no success.
   * @throws TypeError if nobody answers. @throws SyntaxError if the answer is cut off or not from the service.
   * @throws DOMException named AbortError after `signal`.
   */
  call<Result>(
    path: string,
    body?: object,
    options?: { signal?: AbortSignal; keepalive?: boolean; repeatKey?: string | undefined },
  ): Promise<Result>
}

/** @param onRefused receives every refusal of the key or of its store. */
export function createClient(base: string, key: string, onRefused: (error: ServiceError) => void): Client {
  // Two nodes that send each other the shopper end here.
  let movesLeft = 3
  const client: Client = {
    base,
    async call(path, body, options) {
      const isForm = body instanceof FormData
      const asked = client.base
      const answer = await fetch(`${asked}v1/widget/${path}`, {
        method: body ? 'POST' : 'GET',
        // Never a cookie: the key says which shop asks, and nobody needs to know who.
        credentials: 'omit',
        headers: {
          'X-Service-Key': key,
          ...(options?.repeatKey && { 'Idempotency-Key': options.repeatKey }),
          ...(body && !isForm && { 'Content-Type': 'application/json' }),
        },
        body: isForm ? body : body ? JSON.stringify(body) : null,
        ...options,
      })
      const read: unknown = await answer.json().catch((error: unknown) => {
        // A proxy refuses in words of its own; a success without its content counts as a failure.
        if (answer.ok) throw error
      })
      if (answer.ok) return read as never
      const content = Object(read) as Record<string, unknown>
      const seconds = Number(answer.headers.get('Retry-After') ?? undefined)
      const error: ServiceError = Object.assign(new Error(String(content['message'] ?? '')), {
        name: 'ServiceError' as const,
        status: answer.status,
        code: String(content['error'] ?? ''),
        details: Object(content['details']) as Record<string, unknown>,
        retryAfter: seconds >= 0 ? Math.ceil(seconds) : undefined,
      })
      if (error.code === 'store_not_here') {
        // A call beside this one may have followed already.
        if (client.base === asked && movesLeft-- > 0) client.base = readNode(error.details['url'], asked)
        if (client.base !== asked) return client.call(path, body, options)
      }
      // What a proxy forbids has no code, and may be this one request alone.
      if (error.code && [401, 403].includes(error.status)) onRefused(error)
      throw error
    },
  }
  return client
}

/** The address of the node that has the store now. Pages of https lead to https alone, and the key goes nowhere else. */
function readNode(url: unknown, from: string): string {
  const next = `${url}/`
  return next.startsWith('https:') || from.startsWith('http:') ? next : from
}
