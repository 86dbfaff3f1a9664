import { useEffect, useState } from 'preact/hooks'
import type { LoggedSearch, WidgetKey } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { addressOf } from '../../shell/routes.ts'
import { t } from './texts/texts.ts'

/** While something has arrived lately, the page looks this often; afterwards once a minute. */
const LIVELY_MS = 4_000
const QUIET_MS = 60_000
/** Looks without news until the page becomes quiet: two minutes. */
const LIVELY_LOOKS = 30
const SHOWN = 10

interface EventsProps {
  keyId: string
  store: string
  onKey(key: WidgetKey): void
}

/** Searches of the shop's visitors as they arrive. Nothing is asked before somebody wants to watch, and nothing in a hidden tab. */
export function Events({ keyId, store, onKey }: EventsProps) {
  const [isWatching, setWatching] = useState(false)
  const [searches, setSearches] = useState<readonly LoggedSearch[]>([])
  const [error, setError] = useState<CallError | null>(null)

  useEffect(() => {
    if (!isWatching) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = ''
    let quietLooks = 0

    async function look() {
      if (!document.hidden) {
        const { signal } = stop
        const [{ searches: found }, key] = await Promise.all([
          call('GET /v1/search/history', { query: { source: 'widget', limit: 50 }, signal }),
          call('GET /v1/security/public-keys/{id}', { path: { id: keyId }, signal }),
        ])
        const own = found.filter((search) => search.key_id === keyId).slice(0, SHOWN)
        const state = JSON.stringify([own.map(({ search_id, clicks }) => [search_id, clicks]), key.seen])
        quietLooks = state === last ? quietLooks + 1 : 0
        if (state !== last) {
          setSearches(own)
          onKey(key)
        }
        last = state
      }
      timer = setTimeout(follow, quietLooks < LIVELY_LOOKS && !document.hidden ? LIVELY_MS : QUIET_MS)
    }
    function follow() {
      look().catch((thrown: unknown) => {
        if (stop.signal.aborted) return
        setError(toCallError(thrown))
        setWatching(false)
      })
    }
    setError(null)
    follow()
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [isWatching, keyId])

  return (
    <>
      <h3>{t.events}</h3>
      <p class="actions">
        <button type="button" aria-pressed={isWatching} onClick={() => setWatching(!isWatching)}>
          {isWatching ? t.stop : t.watch}
        </button>
        {isWatching && (
          <span class="muted" role="status">
            {t.watching}
          </span>
        )}
      </p>
      {error && <Failure error={error} onRetry={() => setWatching(true)} />}
      <ul class="events" aria-label={t.events}>
        {searches.map((search) => (
          <li key={search.search_id}>
            <Arrived search={search} store={store} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Arrived({ search, store }: { search: LoggedSearch; store: string }) {
  const { search_id, query, type, first, count, clicks, created_at, origin } = search
  return (
    <a href={`${addressOf(store, 'searches')}?search=${search_id}`}>
      <Picture src={first?.thumbnail_url} name={first?.name ?? '–'} />
      <span>
        <strong dir="auto">{query ?? (type === 'similar' ? t.bySimilar : t.byPicture)}</strong>
        <br />
        <span class="muted" title={formatMoment(created_at)}>
          {t.found(formatNumber(count))} · {clicks > 0 && `${t.clicked(formatNumber(clicks))} · `}
          {formatAgo(created_at)}
          {origin && ` · ${new URL(origin).host}`}
        </span>
      </span>
    </a>
  )
}
