import type { Analytics, ChecklistItem, LoggedSearch, Notice, StoreOverview } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatAgo, formatMoment, formatMoney, formatNumber } from '../../language.ts'
import { describeNotice } from '../../notices/sentence.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { type Loaded, useLoad } from '../../parts/use-load.ts'
import { addressOf, type PageProps, type StorePage } from '../../shell/routes.ts'
import { Plot } from './plot.tsx'
import { t } from './texts/texts.ts'
import { cutInWeeks, sumUp, WEEK, type Week } from './weeks.ts'

const NOTICES_SHOWN = 3
const SEARCHES_SHOWN = 6

export function Page({ store, can }: PageProps) {
  const mayRead = can('search:read')
  const [overview, retryOverview] = useLoad(
    (signal) => call('GET /v1/store/overview', { query: { searches: SEARCHES_SHOWN }, signal }),
    [store],
  )
  const [numbers, retryNumbers] = useLoad<Analytics | null>(
    async (signal) =>
      mayRead ? call('GET /v1/search/analytics', { query: { days: 2 * WEEK }, signal }) : null,
    [store, mayRead],
  )
  return (
    <div class="overview">
      <Heading numbers={numbers} overview={overview} />
      <Panel class="numbers">
        {numbers.state === 'failed' ? (
          <Failure error={numbers.error} onRetry={retryNumbers} />
        ) : numbers.state === 'there' && numbers.value === null ? (
          <p class="muted">{t.noRights}</p>
        ) : (
          <Numbers analytics={numbers.state === 'there' ? numbers.value : null} />
        )}
      </Panel>
      <Panel class="noticed">
        {overview.state === 'failed' ? (
          <Failure error={overview.error} onRetry={retryOverview} />
        ) : (
          <Noticed overview={overview.state === 'there' ? overview.value : null} store={store} />
        )}
      </Panel>
      {overview.state === 'there' && (
        <Panel class="latest">
          <h2>{t.latest}</h2>
          <Latest searches={overview.value.latest_searches ?? []} store={store} />
        </Panel>
      )}
    </div>
  )
}

/** One line that is a fact. */
function Heading({
  numbers,
  overview,
}: {
  numbers: Loaded<Analytics | null>
  overview: Loaded<StoreOverview>
}) {
  const analytics = numbers.state === 'there' ? numbers.value : null
  const isNew =
    overview.state === 'there' &&
    overview.value.checklist.some(({ key, is_done }) => key === 'first_search' && !is_done)
  const { searches, clicks } = sumUp(cutInWeeks(analytics?.timeseries ?? []).now)
  const text =
    numbers.state === 'loading'
      ? '\u00a0'
      : searches > 0
        ? t.fact(formatNumber(searches), formatNumber(clicks))
        : isNew
          ? t.empty
          : t.quiet
  return <h1>{text}</h1>
}

const formatRevenue = ({ revenue }: Week): string =>
  Object.entries(revenue)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(' + ') || '0'

/** The figures with the week before beside them, and the plot. Sizes are reserved, so that nothing jumps. */
function Numbers({ analytics }: { analytics: Analytics | null }) {
  const { now, before } = cutInWeeks(analytics?.timeseries ?? [])
  const week = sumUp(now)
  const last = sumUp(before)
  const figures: [label: string, value: string, before: string][] = [
    [t.searches, formatNumber(week.searches), formatNumber(last.searches)],
    [t.clicks, formatNumber(week.clicks), formatNumber(last.clicks)],
    [t.orders, formatNumber(week.orders), formatNumber(last.orders)],
  ]
  // Money is shown once some has come: a row of zeros says nothing.
  if (week.orders + last.orders > 0) figures.push([t.revenue, formatRevenue(week), formatRevenue(last)])
  return (
    <>
      <dl class="figures" aria-busy={!analytics}>
        {figures.map(([label, value, earlier]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{analytics ? value : '–'}</dd>
            <dd class="muted">{analytics && t.before(earlier)}</dd>
          </div>
        ))}
      </dl>
      {analytics && week.searches + last.searches > 0 ? (
        <Plot now={now} before={before} />
      ) : (
        <div class="plot" />
      )}
    </>
  )
}

/** Where a notice of the API's page leads. What an import lost stands in its job. */
const hrefOfNotice = (store: string, { kind, page }: Notice): string =>
  addressOf(store, kind === 'catalogue_report' ? 'report' : page === 'import' ? 'jobs' : page)

/** Where each step of the checklist is done. */
const STEP_PAGES: Readonly<Record<ChecklistItem['key'], StorePage | null>> = {
  products: 'import',
  first_search: 'playground',
  shop_address: 'widget',
  widget_seen: 'widget',
  first_click: 'widget',
  second_factor: null,
}

const hrefOfStep = (store: string, key: ChecklistItem['key']): string => {
  const page = STEP_PAGES[key]
  return page ? addressOf(store, page) : '/portal/account'
/** Pages of notices and steps that exist already, by the link that the API gives. */
const LINKED: Readonly<Record<string, (store: string) => string>> = {
  products: (store) => addressOf(store, 'products'),
  catalogue_report: (store) => addressOf(store, 'report'),
  import: (store) => addressOf(store, 'jobs'),
  feeds: (store) => addressOf(store, 'feeds'),
  first_search: (store) => addressOf(store, 'playground'),
}

function Noticed({ overview, store }: { overview: StoreOverview | null; store: string }) {
  if (!overview) return <p class="skeleton" aria-hidden="true" />
  const { attention, checklist } = overview
  const isOpen = checklist.some(({ is_done }) => !is_done)
  return (
    <>
      <h2>{t.noticed}</h2>
      {attention.length === 0 && <p class="muted">{t.allWell}</p>}
      <ul class="notices">
        {attention.slice(0, NOTICES_SHOWN).map((notice) => {
          const { text, isEnglish } = describeNotice(notice)
        {attention.slice(0, NOTICES_SHOWN).map(({ kind, severity, page, text }) => {
          const href = (LINKED[kind] ?? LINKED[page])?.(store)
          return (
            <li key={notice.kind} data-severity={notice.severity} lang={isEnglish ? 'en' : undefined}>
              <a href={hrefOfNotice(store, notice)}>{text}</a>
            </li>
          )
        })}
      </ul>
      {isOpen && (
        <>
          <h2>{t.checklist}</h2>
          <ul class="checklist">
            {checklist.map(({ key, is_done }) => (
              <li key={key} data-done={is_done}>
                <span class="mark" role="img" aria-label={is_done ? t.done : t.todo} />
                {is_done ? t.steps[key] : <a href={hrefOfStep(store, key)}>{t.steps[key]}</a>}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** What was looked for, in the shopper's words or as the kind of search. */
function describeSearch({ query, type }: LoggedSearch): string {
  if (query) return query
  return type === 'similar' ? t.bySimilar : t.byPicture
}

function Latest({ searches, store }: { searches: readonly LoggedSearch[]; store: string }) {
  const playground = addressOf(store, 'playground')
  if (searches.length === 0)
    return (
      <div class="empty">
        <p>{t.noneYet}</p>
        <a class="primary" href={playground}>
          {t.tryOne}
        </a>
      </div>
    )
  return (
    <ul class="searches">
      {searches.map((one) => {
        const { search_id, query, first, count, created_at } = one
        const name = first?.name ?? first?.product_id ?? ''
        return (
          <li key={search_id}>
            <a href={query ? `${playground}?q=${encodeURIComponent(query)}` : playground}>
              <Picture src={first?.thumbnail_url} name={name || '–'} />
              <strong dir="auto">{describeSearch(one)}</strong>
              <span class="muted" title={formatMoment(created_at)}>
                {count > 0 ? t.found(formatNumber(count)) : t.nothing} · {formatAgo(created_at)}
              </span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
