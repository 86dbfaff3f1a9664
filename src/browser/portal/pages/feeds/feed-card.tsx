import { useState } from 'preact/hooks'
import type { Feed, FeedRun } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { addressOf } from '../../shell/routes.ts'
import { hasLogin, withoutLogin } from './address.ts'
import { ChangeFeed } from './feed-form.tsx'
import { describeRun, RunStrip } from './run-strip.tsx'
import { judgeRun, readBrake } from './runs.ts'
import { t } from './texts/texts.ts'
import { explainDownload } from './words.ts'

interface CardProps {
  feed: Feed
  store: string
  mayChange: boolean
  onChanged(): void
}

/** One feed: where its file is, when it is read, what came of it, and what can be done with it. */
export function FeedCard(props: CardProps) {
  const { feed, mayChange, onChanged } = props
  const [isChanging, setChanging] = useState(false)
  return (
    <article class="feed" aria-label={withoutLogin(feed.url)}>
      <h2 dir="ltr">{withoutLogin(feed.url)}</h2>
      <p class="muted">
        <When feed={feed} />
        {hasLogin(feed.url) && ` · ${t.withLogin}`}
        {feed.delete_missing && ` · ${t.deletesToo}`}
      </p>
      <Runs feed={feed} />
      {feed.last_run && <LastRun {...props} run={feed.last_run} />}
      {mayChange && !isChanging && <Actions {...props} onChange={() => setChanging(true)} />}
      {isChanging && (
        <ChangeFeed
          id={feed.id}
          onDone={() => {
            setChanging(false)
            onChanged()
          }}
          onCancel={() => setChanging(false)}
        />
      )}
    </article>
  )
}

function When({ feed: { status, paused, next_run_at, interval_minutes } }: { feed: Feed }) {
  const every = t.everyMinutes(interval_minutes)
  if (status !== 'waiting') return <strong class="state">{t.statuses[status]}</strong>
  if (paused || next_run_at === null) return <strong class="state">{t.paused}</strong>
  return (
    <>
      {every} · <span title={formatMoment(next_run_at)}>{t.next(formatAgo(next_run_at))}</span>
    </>
  )
}

/** The last ten runs. They are read again when one has ended. */
function Runs({ feed: { id, last_run } }: { feed: Feed }) {
  const [runs, retry] = useLoad(
    (signal) => call('GET /v1/feeds/{id}/runs', { path: { id }, signal }),
    [id, last_run?.started_at, last_run?.status],
  )
  if (runs.state === 'failed') return <Failure error={runs.error} onRetry={retry} />
  return <RunStrip runs={runs.state === 'there' ? runs.value.runs : last_run ? [last_run] : []} />
}

function LastRun({ run, feed, store, mayChange, onChanged }: CardProps & { run: FeedRun }) {
  const outcome = judgeRun(run)
  const at = run.finished_at ?? run.started_at
  const words = [t.outcomes[outcome], describeRun(run)].filter(Boolean).join(': ')
  return (
    <>
      <p>
        <Moment at={at} /> · {words}
        {run.job_id !== null && (
          <>
            {' · '}
            <a href={`${addressOf(store, 'jobs')}/${run.job_id}`}>{t.job}</a>
          </>
        )}
      </p>
      {run.error && <RunError {...{ run, feed, mayChange, onChanged }} />}
    </>
  )
}

/** Why a run failed, or deleted nothing. Only a person can say that products are really gone. */
function RunError({ run, feed, mayChange, onChanged }: Omit<CardProps, 'store'> & { run: FeedRun }) {
  const [isAsking, setAsking] = useState(false)
  const brake = run.status === 'stopped' ? readBrake(run) : null
  const { error } = run
  if (!error) return null
  const missing = brake ? formatNumber(brake.missing) : ''
  const told = explainDownload(error, t)
  const canDelete = brake !== null && brake.missing > 0 && feed.delete_missing && mayChange
  return (
    <div class="run-error">
      {error.error === 'too_many_missing' && brake ? (
        <p>{t.brake(missing, brake.all === null ? null : formatNumber(brake.all))}</p>
      ) : error.error === 'unnamed_rows' && brake ? (
        <p>{t.unnamed(missing)}</p>
      ) : told ? (
        <p>{told}</p>
      ) : (
        <p lang="en" dir="auto">
          {error.message}
        </p>
      )}
      {canDelete && feed.status === 'waiting' && (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.reallyGone}
        </button>
      )}
      {isAsking && (
        <Confirm
          question={t.reallyGoneSure(missing)}
          action={t.deleteProducts(missing)}
          onConfirm={async () => {
            const path = { id: feed.id }
            await call('POST /v1/feeds/{id}/run', { path, body: { force_delete: true } })
            onChanged()
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t.reallyGoneHint}</p>
        </Confirm>
      )}
    </div>
  )
}

function Actions({ feed, onChanged, onChange }: CardProps & { onChange(): void }) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const [isDeleting, setDeleting] = useState(false)
  const path = { id: feed.id }

  async function act(work: () => Promise<unknown>) {
    setState('busy')
    try {
      await work()
      setState('idle')
      onChanged()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  const isBusy = state === 'busy'
  return (
    <>
      {state instanceof Error && <Failure error={state} />}
      <p class="actions">
        <button
          type="button"
          disabled={isBusy || feed.status !== 'waiting'}
          onClick={() => act(() => call('POST /v1/feeds/{id}/run', { path, body: { full: true } }))}
        >
          {t.runNow}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => act(() => call('PATCH /v1/feeds/{id}', { path, body: { paused: !feed.paused } }))}
        >
          {feed.paused ? t.start : t.stop}
        </button>
        <button type="button" disabled={isBusy} onClick={onChange}>
          {t.change}
        </button>
        <button type="button" class="link danger" disabled={isBusy} onClick={() => setDeleting(true)}>
          {t.delete}
        </button>
      </p>
      {isDeleting && (
        <Confirm
          question={t.deleteSure(withoutLogin(feed.url))}
          action={t.delete}
          onConfirm={async () => {
            await call('DELETE /v1/feeds/{id}', { path })
            onChanged()
          }}
          onClose={() => setDeleting(false)}
        >
          <p>{t.deleteHint}</p>
        </Confirm>
      )}
    </>
  )
}
