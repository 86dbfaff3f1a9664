import { useState } from 'preact/hooks'
import type { Job } from '#generated/api.ts'
import { call, callRaw } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatMoment, formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Download } from '../../parts/download.tsx'
import { JobLine } from '../../parts/job-line.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { addressOf } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { FailedRow } from './failed-row.tsx'
import { t } from './texts/texts.ts'
import { useJob } from './use-job.ts'
import { nameAuthor, nameJob } from './words.ts'

interface ViewProps {
  id: string
  store: string
  mayChange: boolean
}

/** One job: how far it is, what came of it, and what failed. */
export function JobView({ id, store, mayChange }: ViewProps) {
  const { job, error, round, reload } = useJob(id)
  if (!job) {
    if (!error) return <p class="waiting">{shell.loading}</p>
    return error.status === 404 ? (
      <div class="empty">
        <h1>{t.gone}</h1>
        <p>{t.goneHint}</p>
      </div>
    ) : (
      <Failure error={error} onRetry={reload} />
    )
  }
  const isRunning = job.status === 'processing'
  return (
    <div class="job-view">
      <h1 dir="auto">{nameJob(job)}</h1>
      <Origin job={job} />
      {isRunning ? (
        <JobLine job={job} label={t.states.processing} />
      ) : (
        <p role="status" class={job.status === 'failed' ? 'outcome wrong' : 'outcome'}>
          <strong>{t.states[job.status]}</strong>{' '}
          {shell.of(formatNumber(job.processed), formatNumber(job.total))}
        </p>
      )}
      {error && <Failure error={error} onRetry={reload} />}
      <Counts job={job} />
      {isRunning && mayChange && <Cancel job={job} onCancelled={reload} />}
      {isRunning && <p class="muted">{t.mayLeave}</p>}
      {!isRunning && job.succeeded > 0 && (
        <p>
          <a href={addressOf(store, 'products')}>{t.toProducts}</a>
        </p>
      )}
      {job.warnings.length > 0 && (
        <Panel>
          <h2>{t.noticed}</h2>
          <ul class="noticed" lang="en">
            {job.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Panel>
      )}
      {job.failed > 0 && (
        <Panel>
          <Failures {...{ job, store, round, mayChange: mayChange && !isRunning }} onRetried={reload} />
        </Panel>
      )}
    </div>
  )
}

/** When it began and who began it. */
function Origin({ job }: { job: Job }) {
  const author = nameAuthor(job)
  return (
    <p class="muted" dir="auto">
      {t.types[job.type]} · {formatMoment(job.created_at)}
      {author !== null && <> · {t.startedBy(author)}</>}
    </p>
  )
}

function Counts({ job }: { job: Job }) {
  const figures = (['succeeded', 'unchanged', 'failed', 'cancelled'] as const).filter(
    (name) => name === 'succeeded' || job[name] > 0,
  )
  return (
    <dl class="figures">
      {figures.map((name) => (
        <div key={name}>
          <dt>{t.counts[name]}</dt>
          <dd>{formatNumber(job[name])}</dd>
        </div>
      ))}
    </dl>
  )
}

function Cancel({ job, onCancelled }: { job: Job; onCancelled(): void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <p>
      <button type="button" onClick={() => setAsking(true)}>
        {t.cancel}
      </button>
      {isAsking && (
        <Confirm
          question={t.cancelSure}
          action={t.cancel}
          onConfirm={async () => {
            await call('POST /v1/jobs/{job_id}/cancel', { path: { job_id: job.job_id } })
            onCancelled()
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t.cancelHint(formatNumber(job.total - job.processed))}</p>
        </Confirm>
      )}
    </p>
  )
}

/** The items that failed, with another try for each or for all. */
function Failures({
  job,
  store,
  round,
  mayChange,
  onRetried,
}: {
  job: Job
  store: string
  round: number
  mayChange: boolean
  onRetried(): void
}) {
  const { job_id } = job
  const path = { job_id }
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const list = usePages(
    async (cursor, signal) => {
      const { errors, next_cursor } = await call('GET /v1/jobs/{job_id}/errors', {
        path,
        query: cursor === null ? {} : { cursor },
        signal,
      })
      return { items: errors, next: next_cursor }
    },
    [job_id, round],
  )

  async function retryAll() {
    setState('busy')
    try {
      await call('POST /v1/jobs/{job_id}/retry', { path, body: {} })
      setState('idle')
      onRetried()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  const canRetry = mayChange && list.items.some(({ retryable }) => retryable)
  return (
    <>
      <h2>{t.failures(formatNumber(job.failed))}</h2>
      <p class="actions">
        {canRetry && (
          <button type="button" class="primary" disabled={state === 'busy'} onClick={retryAll}>
            {t.retryAll}
          </button>
        )}
        <Download
          label={t.downloadRows}
          name={`failed-${job_id}.csv`}
          load={() => callRaw('GET /v1/jobs/{job_id}/errors', { path, query: { format: 'csv' } }, 'text/csv')}
        />
      </p>
      {state instanceof Error && <Failure error={state} />}
      <ul class="failed" aria-label={t.failures(formatNumber(job.failed))} aria-busy={list.isLoading}>
        {list.items.map((failure) => (
          <FailedRow key={failure.index} {...{ failure, store, mayChange, onRetried }} job={job_id} />
        ))}
      </ul>
      {list.error && <Failure error={list.error} onRetry={list.more} />}
      {list.hasMore && (
        <button type="button" disabled={list.isLoading} onClick={list.more}>
          {shell.more}
        </button>
      )}
    </>
  )
}
