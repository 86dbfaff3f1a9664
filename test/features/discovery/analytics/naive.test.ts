import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isFirstPage } from '../../../../src/features/discovery/analytics/bursts.ts'
import type { SearchRow, SearchSource } from '../../../../src/features/discovery/search/queries.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'

const DAY = 86_400_000
const HISTORY_DAYS = 5
const RUNS = readRepetitions('ANALYTICS_RUNS', 40)

/** A search as the test remembers it. */
interface Raw extends SearchRow {
  isEnded: boolean
  /** Whether its row is still in the history. */
  isKept: boolean
  into?: Raw
}

interface RawEvent {
  search: Raw | undefined
  page: SearchSource | null
  product: string
  action: 'click' | 'add_to_cart' | 'purchase'
  position: number | null
  value: number
  currency: string
  order: string | undefined
  at: number
  /** Whether it counts in the totals. What a page tells and the backend tells, too, counts for the page alone. */
  isCounted: boolean
  /** Whether the other teller had told of the same before. */
  isRepeated: boolean
  /** Whether its row is still there. */
  isKept: boolean
  createdAt: number
}

/** Pages of two keys; the last one is the backend. */
const PAGES = [
  [0, 'https://one.example'],
  [0, 'https://two.example'],
  [1, 'https://one.example'],
  undefined,
] as const
const BACKEND = PAGES.length - 1
type Page = (SearchSource & { key: string }) | null
const PRODUCTS = ['p0', 'p1', 'p2', 'p3', 'gone']
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('search' as const),
      type: fc.constantFrom('text' as const, 'text' as const, 'upload' as const, 'batch' as const),
      query: fc.constantFrom('Red boots', ' red  BOOTS', 'mug', 'café'),
      results: fc.subarray(PRODUCTS),
      topScore: fc.constantFrom(0.3, 0.5, 0.9),
      isTracked: fc
        .boolean()
        .map((no) => !no || true)
        .chain((yes) => fc.constantFrom(yes, yes, yes, false)),
      sessionId: fc.constantFrom('s1', 's2', null),
      page: fc.nat(BACKEND),
      offset: fc.constantFrom(0, 0, 0, 20),
      durationMs: fc.integer({ min: 1, max: 5_000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('event' as const),
      back: fc.nat(4),
      isLinked: fc.constantFrom(true, true, false),
      product: fc.constantFrom(...PRODUCTS),
      action: fc.constantFrom('click' as const, 'add_to_cart' as const, 'purchase' as const),
      value: fc.integer({ min: 0, max: 9_999 }).map((cents) => cents / 100),
      currency: fc.constantFrom('EUR', 'USD'),
      order: fc.constantFrom(undefined, 'o1', 'o2'),
      page: fc.nat(BACKEND),
      age: fc.constantFrom(0, 0, 5_000, 3 * DAY),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(500, 2_000, 3_000, 3_001, 20_000, DAY / 2, 2 * DAY),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tidy' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** What happened, recomputed from every search and event each time. */
function createWorld(pages: readonly Page[]) {
  const searches: Raw[] = []
  const events: RawEvent[] = []
  const name = (query: string | null) => (query ?? '').trim().toLowerCase().replace(/\s+/g, ' ')
  const dayOf = (ms: number) => Math.floor(ms / DAY)
  const counted = (search: Raw): Raw => (search.into ? counted(search.into) : search)
  const rate = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 1e4) / 1e4)
  const sum = (numbers: number[]) =>
    Math.round(numbers.reduce((total, number) => total + number, 0) * 1e4) / 1e4

  return {
    pages,
    searches,
    events,
    addSearch(search: Raw): void {
      const isKey = (of: Raw) =>
        of.isTracked && of.type === 'text' && of.sessionId !== null && isFirstPage(of)
      const before = searches.findLast((other) => isKey(other) && other.sessionId === search.sessionId)
      const age = search.createdAt - (before?.createdAt ?? 0)
      if (isKey(search) && before && !before.isEnded && age <= 3_000) before.into = search
      searches.push(search)
    },
    addEvent(told: Omit<RawEvent, 'isCounted' | 'isRepeated' | 'isKept'>): void {
      if (told.search) told.search.isEnded = true
      const isSameLine = (other: RawEvent) =>
        told.order !== undefined &&
        other.order === told.order &&
        other.action === told.action &&
        other.product === told.product
      const isSameClick = (other: RawEvent) =>
        told.action === 'click' &&
        told.search !== undefined &&
        other.action === 'click' &&
        other.search === told.search &&
        other.product === told.product &&
        Math.abs(other.at - told.at) < 10_000
      const isSameOrder = (other: RawEvent) =>
        told.order !== undefined &&
        other.order === told.order &&
        other.action === 'purchase' &&
        told.action === 'purchase'
      const isSame = (other: RawEvent) => isSameLine(other) || isSameClick(other)
      const kept = events.filter(({ isKept }) => isKept)
      const own = kept.filter(({ page }) => (page === null) === (told.page === null))
      const others = kept.filter(
        (other) =>
          (other.page === null) !== (told.page === null) &&
          other.isCounted &&
          (isSame(other) || isSameOrder(other)),
      )
      if (own.some(isSame)) return
      const isReplaced = told.page !== null && others.length > 0
      if (told.page === null) for (const other of others) other.isCounted = false
      events.push({ ...told, isCounted: !isReplaced, isRepeated: others.length > 0, isKept: true })
    },

    report(today: number, days: number) {
      const isIn = (ms: number) => dayOf(ms) <= today && dayOf(ms) > today - days
      const all = searches.filter(({ isTracked, type, into }) => isTracked && type !== 'batch' && !into)
      const tracked = all.filter(({ createdAt }) => isIn(createdAt))
      const linked = events.flatMap((event) =>
        event.search?.isTracked && event.search.type !== 'batch'
          ? [{ ...event, search: counted(event.search) }]
          : [],
      )
      const having = (action: string, of: Raw[]) =>
        of.filter((search) => linked.some((event) => event.search === search && event.action === action))
          .length
      const zero = (of: Raw[]) =>
        of.filter((search) => search.results.length === 0 && isFirstPage(search)).length
      const clicks = linked.filter(
        ({ search, action, position, isRepeated }) =>
          action === 'click' && position !== null && !isRepeated && isIn(search.createdAt),
      )
      const bucketOf = (position: number) => (position <= 10 ? position : position <= 20 ? 11 : 21)
      const buckets = [...Map.groupBy(clicks, ({ position }) => bucketOf(position ?? 0))].sort(
        ([a], [b]) => a - b,
      )
      const queries = [
        ...Map.groupBy(
          tracked.filter(({ query }) => query !== null),
          ({ query }) => name(query),
        ),
      ]
      const byQuery = (count: (of: Raw[]) => object & { searches: number }) =>
        queries
          .map(([query, of]) => ({ query, ...count(of) }))
          .filter(({ searches: n }) => n > 0)
          .sort((a, b) => b.searches - a.searches || (a.query < b.query ? -1 : 1))
      const sales = events.filter(
        ({ action, at, isCounted }) => isCounted && action === 'purchase' && isIn(at),
      )
      const isFirstLine = (sale: RawEvent) =>
        sale.order === undefined ||
        sale ===
          events.find(
            ({ action, order, currency, isCounted }) =>
              isCounted && action === 'purchase' && order === sale.order && currency === sale.currency,
          )
      const products = PRODUCTS.map((product_id) => ({
        product_id,
        impressions: tracked.filter(({ results }) => results.includes(product_id)).length,
        clicks: events.filter(
          ({ action, product, at, isCounted }) =>
            isCounted && action === 'click' && product === product_id && isIn(at),
        ).length,
      })).filter(({ impressions, clicks: n }) => impressions + n > 0)
      return {
        searches: {
          total: tracked.length,
          by_type: Object.fromEntries(
            [...Map.groupBy(tracked, ({ type }) => type)].map(([type, of]) => [type, of.length]),
          ),
          sessions: new Set(
            searches.flatMap(({ isTracked, type, sessionId, createdAt }) =>
              isTracked && type !== 'batch' && sessionId !== null && isIn(createdAt) ? [sessionId] : [],
            ),
          ).size,
          zero_results: zero(tracked),
          zero_result_rate: rate(zero(tracked), tracked.length),
          low_confidence: tracked.filter(({ topScore }) => topScore !== null && topScore < 0.5).length,
        },
        engagement: {
          searches_with_click: having('click', tracked),
          ctr: rate(having('click', tracked), tracked.length),
          avg_click_position:
            clicks.length === 0
              ? null
              : Math.round(
                  (clicks.reduce((total, { position }) => total + (position ?? 0), 0) / clicks.length) * 100,
                ) / 100,
          click_positions: buckets.map(([from, of]) => ({
            from,
            to: from === 21 ? null : from === 11 ? 20 : from,
            clicks: of.length,
          })),
          add_to_cart_rate: rate(having('add_to_cart', tracked), tracked.length),
          conversion_rate: rate(having('purchase', tracked), tracked.length),
        },
        by_source: pages.map((page) => {
          const isOf = (from: SearchSource | null) =>
            from?.keyId === page?.keyId && from?.origin === page?.origin
          const own = tracked.filter((search) => isOf(search.searchSource))
          const told = (wanted: string) =>
            events.filter((event) => isOf(event.page) && event.action === wanted && isIn(event.at)).length
          return {
            source: page ? 'widget' : 'api',
            key_id: page?.keyId ?? null,
            origin: page?.origin ?? null,
            searches: own.length,
            zero_results: zero(own),
            searches_with_click: having('click', own),
            ctr: rate(having('click', own), own.length),
            add_to_cart_rate: rate(having('add_to_cart', own), own.length),
            conversion_rate: rate(having('purchase', own), own.length),
            clicks: told('click'),
            add_to_cart: told('add_to_cart'),
            purchases: told('purchase'),
          }
        }),
        revenue: [...Map.groupBy(sales, ({ currency }) => currency)]
          .map(([currency, of]) => {
            const attributed = sum(of.filter(({ search }) => search).map(({ value }) => value))
            const total = sum(of.map(({ value }) => value))
            return {
              currency,
              total,
              attributed,
              unattributed: sum([total, -attributed]),
              orders: of.filter(isFirstLine).length,
              per_search: rate(attributed, tracked.length),
            }
          })
          .filter(({ total, orders }) => total > 0 || orders > 0)
          .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
        top_queries: byQuery((of) => ({
          searches: of.length,
          ctr: rate(having('click', of), of.length),
          avg_results:
            Math.round((of.reduce((total, { results }) => total + results.length, 0) / of.length) * 100) /
            100,
        })),
        zero_result_queries: byQuery((of) => ({ searches: zero(of) })),
        top_products: products,
        timeseries: Array.from({ length: days }, (_, n) => {
          const day = today - days + 1 + n
          const of = tracked.filter(({ createdAt }) => dayOf(createdAt) === day)
          return {
            date: new Date(day * DAY).toISOString().slice(0, 10),
            searches: of.length,
            ctr: rate(having('click', of), of.length),
            conversion_rate: rate(having('purchase', of), of.length),
            zero_result_rate: rate(zero(of), of.length),
          }
        }),
      }
    },

    popular(today: number, days: number) {
      const isIn = ({ at }: RawEvent) => dayOf(at) <= today && dayOf(at) > today - days
      const weights = { click: 1, add_to_cart: 3, purchase: 5 }
      return PRODUCTS.flatMap((product_id) => {
        const of = events.filter((event) => event.isCounted && event.product === product_id && isIn(event))
        const score = of.reduce(
          (total, { action, at }) => total + weights[action] * 0.5 ** ((today - dayOf(at)) / 7),
          0,
        )
        const count = (wanted: string) => of.filter(({ action }) => action === wanted).length
        const sales = of.filter(({ action }) => action === 'purchase')
        const revenue = [...Map.groupBy(sales, ({ currency }) => currency)]
          .map(([currency, lines]) => ({ currency, amount: sum(lines.map(({ value }) => value)) }))
          .filter(({ amount }) => amount > 0)
          .sort((a, b) => (a.currency < b.currency ? -1 : 1))
        if (of.length === 0) return []
        return [
          {
            product_id,
            score,
            clicks: count('click'),
            add_to_cart: count('add_to_cart'),
            purchases: count('purchase'),
            revenue,
          },
        ]
      })
    },
  }
}

type World = ReturnType<typeof createWorld>

async function play(
  app: TestApp,
  world: World,
  token: string,
  storeId: string,
  steps: readonly Step[],
): Promise<void> {
  const { pages } = world
  for (const now of steps) {
    if (now.do === 'wait') app.clock.advance(now.ms)
    if (now.do === 'tidy') {
      app.history.flush()
      await app.tidy()
      for (const search of world.searches)
        if (search.createdAt < app.clock.now() - HISTORY_DAYS * DAY) search.isKept = false
      for (const event of world.events)
        if (event.createdAt < app.clock.now() - HISTORY_DAYS * DAY) event.isKept = false
    }
    if (now.do === 'search') {
      const { do: _do, offset, page, ...rest } = now
      const search: SearchRow = {
        ...rest,
        id: app.ids.uuid(),
        storeId,
        query: now.type === 'text' ? now.query : null,
        topScore: now.results.length === 0 ? null : now.topScore,
        parameters: { offset },
        searchSource: pages[page] ?? null,
        createdAt: app.clock.now(),
      }
      app.history.add(search)
      world.addSearch({ ...search, isEnded: false, isKept: true })
    }
    if (now.do === 'event') {
      const search = now.isLinked ? world.searches.at(-1 - now.back) : undefined
      const at = app.clock.now() - now.age
      const found = search?.isKept ? search : undefined
      const place = found ? found.results.indexOf(now.product) : -1
      const position = place === -1 ? null : Number(found?.parameters['offset']) + place + 1
      const body = {
        search_id: search?.id,
        result_product_id: now.product,
        action: now.action,
        ...(now.action === 'purchase' && { order_value: now.value, currency: now.currency }),
        order_id: now.order,
        occurred_at: new Date(at).toISOString(),
      }
      const page = pages[now.page] ?? null
      const answer = page
        ? await app.call('POST', '/v1/widget/search/feedback', {
            headers: widgetHeaders(page.key, page.origin),
            body,
          })
        : await app.call('POST', '/v1/search/feedback', { token, body })
      expect(answer).toMatchObject({ status: 201 })
      const event = { ...now, page, search: found, position, at, createdAt: app.clock.now() }
      const isRepeated =
        now.order !== undefined &&
        world.events.some(
          (other) =>
            other.isKept &&
            (other.page === null) === (page === null) &&
            other.order === now.order &&
            other.action === now.action &&
            other.product === now.product,
        )
      if (!isRepeated) expect(answer.body).toMatchObject({ attributed: found !== undefined, position })
      world.addEvent(event)
    }
  }
}

interface Named extends Source {
  key_name?: unknown
  last_search_at?: unknown
  last_event_at?: unknown
  tracking?: unknown
}

interface Source {
  source: string
  key_id: string | null
  origin: string | null
  searches: number
  clicks: number
  add_to_cart: number
  purchases: number
}

const nameOf = ({ key_id, origin }: Source) => `${key_id} ${origin}`
const byName = (one: Source, other: Source) => (nameOf(one) < nameOf(other) ? -1 : 1)
const isUsed = ({ source, searches, clicks, add_to_cart, purchases }: Source) =>
  source === 'api' || searches + clicks + add_to_cart + purchases > 0
/** Without names, times and words, which other tests look at. */
const toCounts = ({
  key_name: _,
  last_search_at: __,
  last_event_at: ___,
  tracking: ____,
  ...counts
}: Named) => counts

/** The pages of a store's keys, each with a key of its own. */
async function openPages(app: TestApp, token: string): Promise<Page[]> {
  const origins = ['https://one.example', 'https://two.example']
  const keys = [await makeKey(app, token, { origins }), await makeKey(app, token, { origins })]
  return PAGES.map((page) => {
    const key = page && keys[page[0]]
    return key ? { keyId: key.id, key: key.key, origin: page[1] } : null
  })
}

const byId = (one: { product_id: string }, other: { product_id: string }) =>
  one.product_id < other.product_id ? -1 : 1

test('analytics and popular products equal what is recomputed from every search and event, while days pass and rows go', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60 }),
      fc.array(step, { maxLength: 10 }),
      async (steps, others) => {
        const app = testApp(
          {},
          { SEARCH_HISTORY_DAYS: String(HISTORY_DAYS), TRUSTED_PROXIES: '127.0.0.1/32' },
        )
        try {
          const [person, otherPerson] = [await app.signIn('one'), await app.signIn('two')]
          const token = await foreverKey(app, person)
          const otherToken = await foreverKey(app, otherPerson)
          const idOf = (slug: string) => app.stores.requireBySlug(slug).id
          const [world, other] = [
            createWorld(await openPages(app, person)),
            createWorld(await openPages(app, otherPerson)),
          ]
          await play(
            app,
            other,
            otherToken,
            idOf('two'),
            others.filter(({ do: what }) => what !== 'tidy' && what !== 'wait'),
          )
          await play(app, world, token, idOf('one'), steps)
          for (const [as, of] of [
            [token, world],
            [otherToken, other],
          ] as const) {
            for (const days of [1, 7, 30]) {
              const today = Math.floor(app.clock.now() / DAY)
              const { body } = await app.call('GET', `/v1/search/analytics?days=${days}`, { token: as })
              const { period, tracking, latency_ms, ...report } = body as Record<string, object>
              const got = report as Record<
                'top_products' | 'revenue' | 'top_queries' | 'zero_result_queries' | 'by_source',
                never[]
              >
              const sources = (got.by_source as Named[]).map(toCounts).sort(byName)
              const expected = of.report(today, days)
              got.top_products.sort(byId)
              got.revenue.sort((a: { currency: string }, b: { currency: string }) =>
                a.currency < b.currency ? -1 : 1,
              )
              for (const list of [got.top_queries, got.zero_result_queries])
                list.sort(
                  (a: { searches: number; query: string }, b: { searches: number; query: string }) =>
                    b.searches - a.searches || (a.query < b.query ? -1 : 1),
                )
              expect({ ...report, by_source: sources } as object).toEqual({
                ...expected,
                top_products: expected.top_products.sort(byId),
                by_source: expected.by_source.filter(isUsed).sort(byName),
              })
              const popular = await app.call('GET', `/v1/search/feedback/popular?days=${days}&limit=100`, {
                token: as,
              })
              const products = popular.body['products'] as {
                product_id: string
                revenue: { currency: string }[]
                metadata: null
              }[]
              for (const { revenue } of products) revenue.sort((a, b) => (a.currency < b.currency ? -1 : 1))
              expect(products.sort(byId)).toEqual(
                of
                  .popular(today, days)
                  .sort(byId)
                  .map((product) => ({
                    ...product,
                    score: expect.closeTo(product.score, 3),
                    metadata: null,
                  })),
              )
            }
          }
        } finally {
          await app.close()
        }
      },
    ),
    { numRuns: RUNS },
  )
}, 120_000)
