/** What is known of a call that failed. */
interface Failed {
  /** Code of the API, or `offline` when no answer came. */
  code: string
  message: string
  status?: number
  requestId?: string | null
  details?: Readonly<Record<string, unknown>>
  /** Seconds after which another try has a chance. */
  retryAfter?: number | null
}

/** A call that failed, as every page can show it. */
export class CallError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfter: number | null

  constructor({ code, message, status = 0, requestId = null, details = {}, retryAfter = null }: Failed) {
    super(message)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** Converts whatever was thrown: a fault of our own becomes an error without a request. */
export const toCallError = (thrown: unknown): CallError =>
  thrown instanceof CallError
    ? thrown
    : new CallError({
        code: 'page_fault',
        message: thrown instanceof Error ? thrown.message : String(thrown),
      })
