import { call } from '../../api/client.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { addressOf, go } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { FailedRow } from './failed-row.tsx'
import { t } from './texts/texts.ts'

/** The products whose last change failed, over all jobs. Nothing is shown where there is none. */
export function OpenFailures({ store, mayChange }: { store: string; mayChange: boolean }) {
  const list = usePages(
    async (cursor, signal) => {
      const { failures, next_cursor } = await call('GET /v1/jobs/failures', {
        query: cursor === null ? {} : { cursor },
        signal,
      })
      return { items: failures, next: next_cursor }
    },
    [store],
  )
  if (list.items.length === 0 && !list.error) return null
  return (
    <Panel>
      <h2>{t.open}</h2>
      <ul class="failed" aria-label={t.open}>
        {list.items.map((failure) => (
          <FailedRow
            key={failure.product_id}
            {...{ failure, store, mayChange }}
            job={failure.job_id}
            onRetried={() => go(`${addressOf(store, 'jobs')}/${failure.job_id}`)}
          />
        ))}
      </ul>
      {list.error && <Failure error={list.error} onRetry={list.more} />}
      {list.hasMore && (
        <button type="button" disabled={list.isLoading} onClick={list.more}>
          {shell.more}
        </button>
      )}
    </Panel>
  )
}
