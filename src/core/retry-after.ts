/**
 * Reads a `Retry-After` header, which holds seconds or a date (RFC 9110 §10.2.3). Any other text counts as zero.
 *
 * @param now Unix ms.
 * @returns the wait in ms.
 */
export function parseRetryAfter(text: string, now: number): number {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  return Math.max(0, (Date.parse(text) || 0) - now)
}
