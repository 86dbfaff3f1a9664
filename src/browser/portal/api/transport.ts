import { CallError } from './errors.ts'
import { fetchWithProgress } from './upload.ts'

export interface Message {
  headers?: Headers
  body?: unknown
  signal?: AbortSignal | undefined
  /** Hears which share of the body has left, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sends one request to the service that the page came from, and reads its answer. @throws CallError as `open`. */
export async function send(method: string, address: string, message: Message = {}): Promise<unknown> {
  const response = await open(method, address, message)
  return await response.json().catch(() => null)
}

/** Sends one request and leaves its answer to be read. @throws CallError for every answer but success. */
export async function open(method: string, address: string, message: Message = {}): Promise<Response> {
  const headers = message.headers ?? new Headers()
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  const init: RequestInit = { method, headers, signal: message.signal ?? null }
  if (message.body instanceof FormData) init.body = message.body
  else if (message.body !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = JSON.stringify(message.body)
  }
  const { onProgress } = message
  const asked = onProgress ? fetchWithProgress(address, init, onProgress) : fetch(address, init)
  const response = await asked.catch((thrown: unknown) => {
    // Another question has taken the place of this one.
    if (message.signal?.aborted) throw thrown
    throw new CallError({ code: 'offline', message: 'The service does not answer.' })
  })
  if (response.ok) return response
  throw readFailure(response, await response.json().catch(() => null))
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
