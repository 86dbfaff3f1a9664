import { CallError } from './errors.ts'

export interface Message {
  headers?: Headers
  body?: unknown
  signal?: AbortSignal | undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sends one request to the service that the page came from. @throws CallError for every answer but success. */
export async function send(method: string, address: string, message: Message = {}): Promise<unknown> {
  const headers = message.headers ?? new Headers()
  headers.set('accept', 'application/json')
  const init: RequestInit = { method, headers, signal: message.signal ?? null }
  if (message.body instanceof FormData) init.body = message.body
  else if (message.body !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = JSON.stringify(message.body)
  }
  const response = await fetch(address, init).catch((thrown: unknown) => {
    // Another question has taken the place of this one.
    if (message.signal?.aborted) throw thrown
    throw new CallError({ code: 'offline', message: 'The service does not answer.' })
  })
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer
  throw readFailure(response, answer)
}

function readFailure({ status, headers }: Response, answer: unknown): CallError {
  const body = isRecord(answer) ? answer : {}
  const retryAfter = Number(headers.get('retry-after'))
  return new CallError({
    code: typeof body['error'] === 'string' ? body['error'] : `http_${status}`,
    message: typeof body['message'] === 'string' ? body['message'] : `HTTP ${status}`,
    status,
    requestId: headers.get('x-request-id'),
    details: isRecord(body['details']) ? body['details'] : {},
    retryAfter: retryAfter > 0 ? retryAfter : null,
  })
}
