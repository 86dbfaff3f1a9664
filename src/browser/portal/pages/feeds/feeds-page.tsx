import { useEffect, useRef, useState } from 'preact/hooks'
import type { Feed } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Drawn } from '../../parts/drawn.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { address, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { t as shell } from '../../texts/texts.ts'
import { FeedCard } from './feed-card.tsx'
import { FeedForm } from './feed-form.tsx'
import { t } from './texts/texts.ts'

/** Asked again this often while a feed is being read, and never otherwise. */
const EVERY_MS = 2_000

const isBusy = ({ status }: Feed): boolean => status !== 'waiting'

/** Reads the feeds of the store, and follows those that run. */
function useFeeds(store: string) {
  const [feeds, setFeeds] = useState<readonly Feed[] | null>(null)
  const [error, setError] = useState<CallError | null>(null)
  const [round, setRound] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  useEffect(() => {
    const stop = new AbortController()
    setError(null)
    call('GET /v1/feeds', { signal: stop.signal }).then(
      (found) => {
        if (stop.signal.aborted) return
        setFeeds(found.feeds)
        if (found.feeds.some(isBusy)) timer.current = setTimeout(() => setRound((n) => n + 1), EVERY_MS)
      },
      (thrown) => stop.signal.aborted || setError(toCallError(thrown)),
    )
    return () => {
      stop.abort()
      clearTimeout(timer.current)
    }
  }, [store, round])
  return { feeds, error, reload: () => setRound((n) => n + 1) }
}

/** Files of products that the service reads again and again. */
export function Page({ store, can }: PageProps) {
  const { feeds, error, reload } = useFeeds(store)
  const mayChange = can('products:bulk')
  const isNew = new URLSearchParams(useSignal(address).split('?')[1]).has('new') && mayChange
  const showForm = (shown: boolean) => setQuery(new URLSearchParams(shown ? { new: '1' } : {}))
  return (
    <div class="feeds">
      <div class="heading">
        <h1>{t.heading}</h1>
        {mayChange && !isNew && feeds && feeds.length > 0 && (
          <button type="button" class="primary" onClick={() => showForm(true)}>
            {t.add}
          </button>
        )}
      </div>
      {isNew && (
        <Panel>
          <FeedForm
            onDone={() => {
              showForm(false)
              reload()
            }}
            onCancel={() => showForm(false)}
          />
        </Panel>
      )}
      {error && <Failure error={error} onRetry={reload} />}
      {!feeds && !error && <p class="waiting">{shell.loading}</p>}
      {feeds?.length === 0 && !isNew && (
        <div class="empty">
          <Drawn which={1} />
          <h2>{t.none}</h2>
          <p>{t.noneHint}</p>
          {mayChange && (
            <button type="button" class="primary" onClick={() => showForm(true)}>
              {t.add}
            </button>
          )}
        </div>
      )}
      {feeds?.map((feed) => (
        <Panel key={feed.id}>
          <FeedCard {...{ feed, store, mayChange }} onChanged={reload} />
        </Panel>
      ))}
    </div>
  )
}
