import type { SearchLogEntry } from '#generated/api.ts'
import { call } from '../../../api/client.ts'
import { formatMoment, formatMoney, formatNumber } from '../../../language.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Failure } from '../../../parts/panel.tsx'
import { Picture } from '../../../parts/picture.tsx'
import { useLoad } from '../../../parts/use-load.ts'
import { addressOf } from '../../../shell/routes.ts'
import { t } from '../texts/texts.ts'
import { nameSearch } from './name-search.ts'

/** One search beside the log: what it found, and what came of it. */
export function OneSearch({ id, store, onClose }: { id: string; store: string; onClose(): void }) {
  const [entry, retry] = useLoad(
    (signal) => call('GET /v1/search/history/{search_id}', { path: { search_id: id }, signal }),
    [id],
  )
  return (
    <Dialog class="drawer" label={t.one} onClose={onClose}>
      <button type="button" class="close" aria-label={t.close} onClick={onClose}>
        ×
      </button>
      {entry.state === 'failed' &&
        (entry.error.status === 404 ? <p>{t.gone}</p> : <Failure error={entry.error} onRetry={retry} />)}
      {entry.state === 'there' && <Entry entry={entry.value} store={store} />}
    </Dialog>
  )
}

function Entry({ entry, store }: { entry: SearchLogEntry; store: string }) {
  const { query, created_at, origin, source, query_time_ms, results, is_tracked, replaced_by } = entry
  const facts = [
    t.types[entry.type],
    origin ? new URL(origin).host : t.sourceNames[source],
    formatMoment(created_at),
    t.took(formatNumber(Math.round(query_time_ms))),
  ]
  return (
    <>
      <div>
        <h2 dir="auto">{nameSearch(entry)}</h2>
        <p class="muted">{facts.join(' · ')}</p>
        {!is_tracked && <p>{t.untracked}</p>}
        {replaced_by !== null && <p>{t.replaced}</p>}
        {query !== null && (
          <a href={`${addressOf(store, 'playground')}?q=${encodeURIComponent(query)}`}>{t.again}</a>
        )}
      </div>
      <div>
        <h3>{t.feedback}</h3>
        <Feedback entry={entry} />
      </div>
      <div>
        <h3>{t.found_}</h3>
        {results.length === 0 && <p class="muted">{t.nothingFound}</p>}
        <ol class="grid small found">
          {results.map(({ product_id, name, thumbnail_url }) => (
            <li key={product_id} class="tile">
              <a href={`${addressOf(store, 'products')}?product=${encodeURIComponent(product_id)}`}>
                <Picture src={thumbnail_url} name={name ?? product_id} />
                <span class="name" dir="auto">
                  {name ?? product_id}
                </span>
              </a>
            </li>
          ))}
        </ol>
      </div>
    </>
  )
}

function Feedback({ entry: { feedback, results } }: { entry: SearchLogEntry }) {
  if (feedback.length === 0) return <p class="muted">{t.noFeedback}</p>
  return (
    <ul class="feedback">
      {feedback.map(
        ({ feedback_id, product_id, action, position, order_value, currency, counts, occurred_at }) => (
          <li key={feedback_id}>
            <strong dir="auto">
              {results.find((one) => one.product_id === product_id)?.name ?? product_id}
            </strong>{' '}
            {[
              t.actions[action],
              position !== null && t.at(formatNumber(position)),
              order_value !== null && formatMoney(order_value, currency ?? undefined),
              !counts && t.uncounted,
            ]
              .filter(Boolean)
              .join(' · ')}
            <br />
            <span class="muted">{formatMoment(occurred_at)}</span>
          </li>
        ),
      )}
    </ul>
  )
}
