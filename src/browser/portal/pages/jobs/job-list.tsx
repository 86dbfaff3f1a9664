import type { JobSummary } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Drawn } from '../../parts/drawn.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { addressOf } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'
import { nameAuthor, nameJob } from './words.ts'

/** The jobs of the last 30 days, newest first. */
export function JobList({ store, canImport }: { store: string; canImport: boolean }) {
  const list = usePages(
    async (cursor, signal) => {
      const { jobs, next_cursor } = await call('GET /v1/jobs', {
        query: cursor === null ? {} : { cursor },
        signal,
      })
      return { items: jobs, next: next_cursor }
    },
    [store],
  )
  if (list.error && list.items.length === 0) return <Failure error={list.error} onRetry={list.reload} />
  if (list.items.length === 0)
    return list.isLoading ? (
      <p class="waiting">{shell.loading}</p>
    ) : (
      <div class="empty">
        <Drawn which={2} />
        <h2>{t.none}</h2>
        <p>{t.noneHint}</p>
        {canImport && (
          <a class="primary" href={addressOf(store, 'import')}>
            {t.importFile}
          </a>
        )}
      </div>
    )
  const columns: Column<JobSummary>[] = [
    {
      label: t.what,
      draw: (job) => (
        <a href={`${addressOf(store, 'jobs')}/${job.job_id}`} dir="auto">
          {nameJob(job)}
        </a>
      ),
    },
    {
      label: t.state,
      draw: ({ status }) => (
        <span class={status === 'failed' ? 'state problem' : 'state'}>{t.states[status]}</span>
      ),
    },
    { label: t.counts.succeeded, isNumber: true, draw: ({ succeeded }) => formatNumber(succeeded) },
    {
      label: t.counts.failed,
      isNumber: true,
      draw: ({ failed }) => (failed > 0 ? <strong class="wrong">{formatNumber(failed)}</strong> : '0'),
    },
    { label: t.by, draw: (job) => <span dir="auto">{nameAuthor(job) ?? t.service}</span> },
    {
      label: t.when,
      draw: ({ created_at }) => <Moment at={created_at} />,
    },
  ]
  return (
    <section aria-busy={list.isLoading}>
      <Table label={t.heading} columns={columns} rows={list.items} keyOf={({ job_id }) => job_id} />
      {list.error && <Failure error={list.error} onRetry={list.more} />}
      {list.hasMore && (
        <button type="button" disabled={list.isLoading} onClick={list.more}>
          {shell.more}
        </button>
      )}
    </section>
  )
}
