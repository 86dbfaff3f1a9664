import type { FeedRun } from '#generated/api.ts'
import type { Texts } from './texts/en.ts'

const isReason = (reasons: Texts['reasons'], reason: unknown): reason is keyof Texts['reasons'] =>
  typeof reason === 'string' && Object.hasOwn(reasons, reason)

/** Why the file of a feed could not be fetched, in our words; nothing where these have none. */
export function explainDownload(
  { error, details }: NonNullable<FeedRun['error']>,
  { reasons, answered, checkAddress }: Pick<Texts, 'reasons' | 'answered' | 'checkAddress'>,
): string | null {
  if (error !== 'download_failed') return null
  const { reason, upstream_status: status } = details ?? {}
  if (isReason(reasons, reason)) return reasons[reason]
  if (reason !== 'http_status' || typeof status !== 'number') return null
  // A server that is busy or broken is no matter of the address.
  const isOfAddress = status >= 400 && status < 500 && status !== 429
  return isOfAddress ? `${answered(String(status))} ${checkAddress}` : answered(String(status))
}
