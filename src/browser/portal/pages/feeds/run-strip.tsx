import type { FeedRun } from '#generated/api.ts'
import { formatMoment, formatNumber } from '../../language.ts'
import { judgeRun } from './runs.ts'
import { t } from './texts/texts.ts'

/** What a run changed, in words. */
export function describeRun(run: FeedRun): string {
  const { counts, status } = run
  if (status === 'unchanged') return t.sameFile
  const parts = [
    counts.added !== null && counts.added > 0 && t.added(formatNumber(counts.added)),
    counts.updated !== null && counts.updated > 0 && t.updated(formatNumber(counts.updated)),
    counts.deleted > 0 && t.deleted(formatNumber(counts.deleted)),
    counts.failed > 0 && t.failed(formatNumber(counts.failed)),
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(', ') : status === 'completed' ? t.nothingNew : ''
}

const SIGNS = { good: '✓', same: '=', stopped: '!', bad: '×', running: '…' } as const

/** The last runs as signs, the oldest at the left. Each says its outcome in words, too. */
export const RunStrip = ({ runs }: { runs: readonly FeedRun[] }) => (
  <ol class="runs-strip" aria-label={t.lastRuns}>
    {runs.toReversed().map((run) => {
      const outcome = judgeRun(run)
      const words = [formatMoment(run.started_at), t.outcomes[outcome], describeRun(run)]
      const text = words.filter(Boolean).join(', ')
      return (
        <li key={run.started_at} data-outcome={outcome} title={text}>
          <span aria-hidden="true">{SIGNS[outcome]}</span>
          <span class="unseen">{text}</span>
        </li>
      )
    })}
  </ol>
)
