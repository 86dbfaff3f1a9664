/** Why there is no certificate. The message is one sentence for the operator. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError'
  /** The authority's own word, such as `rateLimited`; `unproven` where it did not find this service at the name. */
  readonly kind: string
  /** How long the authority wants to be left alone. */
  readonly retryAfterMs: number

  constructor(
    message: string,
    { kind = '', retryAfterMs = 0 }: { kind?: string; retryAfterMs?: number } = {},
  ) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

/** What an authority says about a failure (RFC 7807). */
export interface Problem {
  type?: unknown
  detail?: unknown
  subproblems?: unknown
}

const PREFIX = 'urn:ietf:params:acme:error:'
const DETAIL_CHARS_MAX = 400

/** The authority's own word for a failure, such as `rateLimited`. */
export const kindOf = ({ type }: Problem): string =>
  typeof type === 'string' && type.startsWith(PREFIX) ? type.slice(PREFIX.length) : ''

/** What went wrong in the authority's words, on one line and without its last dot. */
export function describeProblem(problem: Problem): string {
  const parts = [problem, ...(Array.isArray(problem.subproblems) ? problem.subproblems.slice(0, 3) : [])]
  const details = parts.flatMap((part: Problem | null) =>
    typeof part?.detail === 'string' && part.detail !== '' ? [part.detail] : [],
  )
  // A terminal obeys control characters.
  const text = details.join('; ').replace(/[\p{Cc}\s]+/gu, ' ')
  return text.slice(0, DETAIL_CHARS_MAX).trim().replace(/\.$/, '') || kindOf(problem) || 'it gave no reason'
}

/** Reads a problem; an authority in trouble may send anything. */
export function readProblem(text: string): Problem {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}

/** Longer than that nobody waits without asking again. */
const RETRY_AFTER_MS_MAX = 24 * 3_600_000

/** Reads the header `Retry-After`: seconds, or a date. @param now Unix ms. */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX) : 0
}
