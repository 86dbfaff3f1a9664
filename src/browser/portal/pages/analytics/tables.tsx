import type { Analytics, SearchSource } from '#generated/api.ts'
import { formatNumber, formatShare } from '../../language.ts'
import { type Cell, writeCsv } from '../../parts/csv.ts'
import { download } from '../../parts/download.ts'
import { Moment } from '../../parts/moment.tsx'
import { Picture } from '../../parts/picture.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { addressOf } from '../../shell/routes.ts'
import { MakeSynonym } from './make-synonym.tsx'
import { t } from './texts/texts.ts'

/** Saves a table for spreadsheets. */
const SaveTable = ({
  name,
  headings,
  rows,
}: {
  name: string
  headings: readonly string[]
  rows: readonly (readonly Cell[])[]
}) => (
  <button
    type="button"
    class="link"
    onClick={() => download(`${name}.csv`, 'text/csv', writeCsv(headings, rows))}
  >
    {t.csv}
  </button>
)

/** Words that lead to the playground, as somebody typed them. */
const Words = ({ store, query }: { store: string; query: string }) => (
  <a class="words" dir="auto" href={`${addressOf(store, 'playground')}?q=${encodeURIComponent(query)}`}>
    {query}
  </a>
)

const SYNONYM_COLUMN: Column<Analytics['zero_result_queries'][number]> = {
  label: t.makeSynonym,
  isActions: true,
  draw: ({ query, suggested_words = [] }) => <MakeSynonym query={query} suggested={suggested_words} />,
}

/** What people look for, beside what they do not find. */
export function Queries({
  answer: { top_queries, zero_result_queries },
  store,
  mayWrite,
}: {
  answer: Analytics
  store: string
  mayWrite: boolean
}) {
  return (
    <>
      <div>
        <h2>{t.topQueries}</h2>
        {top_queries.length === 0 ? (
          <p class="muted">{t.noneYet}</p>
        ) : (
          <>
            <Table
              label={t.topQueries}
              rows={top_queries}
              keyOf={({ query }) => query}
              columns={[
                { label: t.query, draw: ({ query }) => <Words store={store} query={query} /> },
                { label: t.searches, isNumber: true, draw: ({ searches }) => formatNumber(searches) },
                { label: t.clickThrough, isNumber: true, draw: ({ ctr }) => formatShare(ctr) },
                {
                  label: t.results,
                  isNumber: true,
                  draw: ({ avg_results }) => formatNumber(Math.round(avg_results)),
                },
              ]}
            />
            <SaveTable
              name="queries"
              headings={[t.query, t.searches, t.clickThrough, t.results]}
              rows={top_queries.map(({ query, searches, ctr, avg_results }) => [
                ...[query, searches, ctr, avg_results],
              ])}
            />
          </>
        )}
      </div>
      <div>
        <h2>{t.nothing}</h2>
        {zero_result_queries.length === 0 ? (
          <p class="muted">{t.noneYet}</p>
        ) : (
          <>
            <Table
              label={t.nothing}
              rows={zero_result_queries}
              keyOf={({ query }) => query}
              columns={[
                { label: t.query, draw: ({ query }) => <Words store={store} query={query} /> },
                { label: t.searches, isNumber: true, draw: ({ searches }) => formatNumber(searches) },
                ...(mayWrite ? [SYNONYM_COLUMN] : []),
              ]}
            />
            <SaveTable
              name="queries-without-result"
              headings={[t.query, t.searches]}
              rows={zero_result_queries.map(({ query, searches }) => [query, searches])}
            />
          </>
        )}
      </div>
    </>
  )
}

/** The products that were clicked most, as their pictures. */
export function TopProducts({ products, store }: { products: Analytics['top_products']; store: string }) {
  // The list goes on with products that were shown and never clicked.
  const clicked = products.filter(({ clicks }) => clicks > 0)
  return (
    <>
      <h2>{t.topProducts}</h2>
      {clicked.length === 0 ? (
        <p class="muted">{t.noneYet}</p>
      ) : (
        <>
          <ul class="grid small">
            {clicked.map(({ product_id, thumbnail_url, clicks, impressions }) => (
              <li key={product_id} class="tile">
                <a href={`${addressOf(store, 'products')}?product=${encodeURIComponent(product_id)}`}>
                  <Picture src={thumbnail_url} name={product_id} />
                  <span class="name" dir="auto">
                    {product_id}
                  </span>
                </a>
                <span class="muted state">
                  {t.clickedTimes(formatNumber(clicks))} · {t.shownTimes(formatNumber(impressions))}
                </span>
              </li>
            ))}
          </ul>
          <SaveTable
            name="products"
            headings={['product_id', t.clicks, t.shownTimes('').trim()]}
            rows={products.map(({ product_id, clicks, impressions }) => [product_id, clicks, impressions])}
          />
        </>
      )}
    </>
  )
}

const nameSource = ({ source, origin, key_name }: SearchSource): string =>
  source === 'api' ? t.api : `${origin ? new URL(origin).host : '–'} · ${key_name ?? t.revoked}`

/** Each page and the backend, with what arrives from there. */
export function Sources({ sources }: { sources: readonly SearchSource[] }) {
  return (
    <>
      <h2>{t.sources}</h2>
      <Table
        label={t.sources}
        rows={sources}
        keyOf={({ source, key_id, origin }) => `${source} ${key_id} ${origin}`}
        columns={[
          { label: t.source, draw: (one) => <span dir="auto">{nameSource(one)}</span> },
          { label: t.searches, isNumber: true, draw: ({ searches }) => formatNumber(searches) },
          {
            label: t.clickThrough,
            isNumber: true,
            draw: ({ ctr }) => (ctr === null ? '–' : formatShare(ctr)),
          },
          { label: t.carts, isNumber: true, draw: ({ add_to_cart }) => formatNumber(add_to_cart) },
          { label: t.purchases, isNumber: true, draw: ({ purchases }) => formatNumber(purchases) },
          {
            label: t.lastSearch,
            draw: ({ last_search_at }) => (last_search_at === null ? '–' : <Moment at={last_search_at} />),
          },
          {
            label: t.health,
            draw: ({ tracking: { status, message } }) =>
              t.sourceHealth[status] ?? <span lang="en">{message}</span>,
          },
        ]}
      />
      <SaveTable
        name="sources"
        headings={[t.source, t.searches, t.clicks, t.carts, t.purchases, t.lastSearch]}
        rows={sources.map((one) => [
          ...[nameSource(one), one.searches, one.clicks, one.add_to_cart, one.purchases, one.last_search_at],
        ])}
      />
    </>
  )
}
