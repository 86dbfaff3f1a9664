import type { RateVerdict } from '../../core/rate-window.ts'

/**
 * The rate limit headers of an answer: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and the
 * older `X-RateLimit-*` beside them. All times are seconds; the window is one minute.
 */
export function rateHeaders(
  policy: string,
  { limit, remaining, resetSeconds }: RateVerdict,
): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=60`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
}
