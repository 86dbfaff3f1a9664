import type { JobSummary } from '#generated/api.ts'
import { formatNumber } from '../language.ts'
import { t } from '../texts/texts.ts'

/** Long work as one line: how far it is, how fast it goes, how long it takes. */
export function JobLine({ job, label }: { job: JobSummary; label: string }) {
  const seconds = job.started_at ? (Date.now() - Date.parse(job.started_at)) / 1000 : 0
  const rate = seconds > 2 ? job.processed / seconds : 0
  const parts = [
    t.of(formatNumber(job.processed), formatNumber(job.total)),
    rate >= 1 && t.rate(formatNumber(Math.round(rate))),
    job.eta_seconds !== null && t.timeLeft(formatNumber(Math.max(1, Math.round(job.eta_seconds / 60)))),
  ]
  return (
    <p class="job" role="status">
      <span>{label}</span>
      <progress value={job.processed} max={job.total} aria-label={label} />
      <span class="muted">{parts.filter(Boolean).join(' · ')}</span>
    </p>
  )
}
