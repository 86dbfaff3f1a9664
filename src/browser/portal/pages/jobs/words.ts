import type { JobItemError, JobSummary } from '#generated/api.ts'
import { t } from './texts/texts.ts'

/** What a job is, by where its items come from. */
export function nameJob({ type, source }: Pick<JobSummary, 'type' | 'source'>): string {
  if (source?.name) return source.name
  return source && type === 'import' ? t.sources[source.kind] : t.types[type]
}

/** Who started it, in words; nobody for work that the service begins itself. */
export function nameAuthor({ started_by }: Pick<JobSummary, 'started_by'>): string | null {
  if (!started_by) return null
  return started_by.name ?? t.authors[started_by.kind]
}

const isReason = (reason: unknown): reason is keyof typeof t.reasons =>
  typeof reason === 'string' && Object.hasOwn(t.reasons, reason)

/** Why an item failed: in our words where the reason has some, otherwise in those of the API. */
export function explain({ details, message }: Pick<JobItemError, 'details' | 'message'>): {
  text: string
  isOfApi: boolean
} {
  const reason = details?.['reason']
  if (!isReason(reason)) return { text: message, isOfApi: true }
  const status = details?.['upstream_status']
  return {
    text: reason === 'http_status' && status !== undefined ? t.answered(String(status)) : t.reasons[reason],
    isOfApi: false,
  }
}
