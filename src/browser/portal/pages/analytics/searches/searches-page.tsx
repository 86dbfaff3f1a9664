import { useEffect, useState } from 'preact/hooks'
import type { LoggedSearch } from '#generated/api.ts'
import { type Answer, call } from '../../../api/client.ts'
import { formatNumber } from '../../../language.ts'
import { Choice } from '../../../parts/choice.tsx'
import { writeCsv } from '../../../parts/csv.ts'
import { download } from '../../../parts/download.ts'
import { Field } from '../../../parts/field.tsx'
import { List } from '../../../parts/list.tsx'
import { Moment } from '../../../parts/moment.tsx'
import { Failure, Panel } from '../../../parts/panel.tsx'
import { Picture } from '../../../parts/picture.tsx'
import { useAction } from '../../../parts/use-action.ts'
import { address, addressOf, type PageProps, setQuery } from '../../../shell/routes.ts'
import { useSignal } from '../../../signal.ts'
import { t } from '../texts/texts.ts'
import { nameSearch } from './name-search.ts'
import { OneSearch } from './one-search.tsx'

const PAGE_SIZE = 50
/** Rows of a file: twenty pages of the log. */
const SAVED_MAX = 1_000
const PAUSE_MS = 300

const FILTERS = ['q', 'type', 'source', 'zero', 'since', 'until'] as const
type Asked = Record<(typeof FILTERS)[number], string>

const readAsked = (query: URLSearchParams): Asked =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Asked

/** The day after a date: the log takes moments before the second one. */
function dayAfter(date: string): string {
  const next = new Date(`${date}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}

/** Asks for one page of the log. An unknown choice in the address is the API's to refuse. */
function readLog(
  { q, type, source, zero, since, until }: Asked,
  cursor: string | null,
  signal?: AbortSignal,
) {
  const query = {
    ...{ q, since, limit: PAGE_SIZE },
    until: until && dayAfter(until),
    ...(type && { type: type as LoggedSearch['type'] }),
    ...(source && { source: source as LoggedSearch['source'] }),
    ...(zero && { zero_results: zero as 'true' | 'false' }),
    ...(cursor !== null && { cursor }),
  }
  return call('GET /v1/search/history', { query, ...(signal && { signal }) })
}

export function Page({ store, can }: PageProps) {
  const query = new URLSearchParams(useSignal(address).split('?')[1])
  const asked = readAsked(query)
  const opened = query.get('search')

  function change(changes: Readonly<Record<string, string>>) {
    const next = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value)
      else next.delete(name)
    setQuery(next)
  }
  const hrefOf = (id: string) => {
    const next = new URLSearchParams(query)
    next.set('search', id)
    return `?${next}`
  }

  if (!can('search:read'))
    return (
      <>
        <h1>{t.log}</h1>
        <p class="muted">{t.noRights}</p>
      </>
    )
  const isFiltered = Object.values(asked).some((value) => value !== '')
  return (
    <>
      <div class="heading">
        <h1>{t.log}</h1>
        <a href={addressOf(store, 'analytics')}>{t.heading}</a>
      </div>
      <LogFilters asked={asked} onChange={change} />
      <SaveLog asked={asked} />
      <Panel class="log">
        <List<LoggedSearch>
          label={t.log}
          question={JSON.stringify(asked)}
          load={async (cursor, signal) => {
            const { searches, next_cursor } = await readLog(asked, cursor, signal)
            return { items: searches, next: next_cursor }
          }}
          keyOf={({ search_id }) => search_id}
          draw={(search) => <Row search={search} href={hrefOf(search.search_id)} />}
          empty={
            <div class="empty">
              <p>{isFiltered ? t.noSearch : t.emptyHint}</p>
              {isFiltered ? (
                <button
                  type="button"
                  onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, ''])))}
                >
                  {t.clear}
                </button>
              ) : (
                <a class="primary" href={addressOf(store, 'widget')}>
                  {t.checkTracking}
                </a>
              )}
            </div>
          }
        />
      </Panel>
      {opened !== null && (
        <OneSearch key={opened} id={opened} store={store} onClose={() => change({ search: '' })} />
      )}
    </>
  )
}

function Row({ search, href }: { search: LoggedSearch; href: string }) {
  const { first, count, clicks, created_at, source, origin } = search
  const from = origin ? new URL(origin).host : t.sourceNames[source]
  return (
    <a class="logged" href={href}>
      <Picture src={first?.thumbnail_url} name={first?.name ?? '–'} />
      <strong dir="auto">{nameSearch(search)}</strong>
      <span class="muted">
        {count > 0 ? t.found(formatNumber(count)) : t.nothingFound}
        {clicks > 0 && ` · ${t.clickedTimes(formatNumber(clicks))}`}
        {` · ${from} · `}
        <Moment at={created_at} />
      </span>
    </a>
  )
}

interface LogFiltersProps {
  asked: Asked
  onChange(changes: Readonly<Record<string, string>>): void
}

function LogFilters({ asked, onChange }: LogFiltersProps) {
  const [words, setWords] = useState(asked.q)
  useEffect(() => setWords(asked.q), [asked.q])
  useEffect(() => {
    if (words === asked.q) return
    const timer = setTimeout(() => onChange({ q: words }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  const offer = (names: Readonly<Record<string, string>>) => [['', t.all] as const, ...Object.entries(names)]
  return (
    <div class="filters">
      <Field label={t.words} type="search" value={words} onValue={setWords} maxLength={200} />
      <Choice
        label={t.type}
        value={asked.type}
        onValue={(type) => onChange({ type })}
        choices={offer(t.types)}
      />
      <Choice
        label={t.source}
        value={asked.source}
        onValue={(source) => onChange({ source })}
        choices={offer(t.sourceNames)}
      />
      <Choice
        label={t.outcome}
        value={asked.zero}
        onValue={(zero) => onChange({ zero })}
        choices={offer(t.outcomes)}
      />
      <Field label={t.since} type="date" value={asked.since} onValue={(since) => onChange({ since })} />
      <Field label={t.until} type="date" value={asked.until} onValue={(until) => onChange({ until })} />
    </div>
  )
}

/** Saves the newest rows that fit the filters. */
function SaveLog({ asked }: { asked: Asked }) {
  const save = useAction(async () => {
    const rows: LoggedSearch[] = []
    let cursor: string | null = null
    do {
      const page: Answer<'GET /v1/search/history'> = await readLog(asked, cursor)
      rows.push(...page.searches)
      cursor = page.next_cursor
    } while (cursor !== null && rows.length < SAVED_MAX)
    const headings = [
      t.time,
      t.type,
      t.words,
      t.results,
      t.clicks,
      t.source,
      t.origin,
      'product_id',
      'search_id',
    ]
    const cells = rows.map((one) => [
      ...[one.created_at, t.types[one.type], one.query, one.count, one.clicks, t.sourceNames[one.source]],
      ...[one.origin, one.first?.product_id ?? null, one.search_id],
    ])
    download('searches.csv', 'text/csv', writeCsv(headings, cells))
  })
  return (
    <>
      <p class="save">
        <button type="button" class="link" disabled={save.isBusy} onClick={save.run}>
          {save.isBusy ? t.loadingCsv : t.logCsv(formatNumber(SAVED_MAX))}
        </button>
      </p>
      {save.error && <Failure error={save.error} />}
    </>
  )
}
