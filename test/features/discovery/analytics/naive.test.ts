import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isFirstPage } from '../../../../src/features/discovery/analytics/keystroke-bursts.ts'
import type { SearchRow, SearchSource } from '../../../../src/features/discovery/search/queries.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'
import { freshAddress, from, PASSWORD } from '../../../support/people.ts'
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
  /** Whether it counts in the totals. What both a page and the backend report counts only for the page. */
  isCounted: boolean
  /** Whether the other reporter was first. */
  isRepeated: boolean
  /** Whether its row is still there. */
  isKept: boolean
  /** The number of all events when its row was deleted. */
  goneAfter: number
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
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      zone: fc.constantFrom(
        ...['UTC', 'Europe/Vienna', 'America/New_York', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
      ),
    }),
  },
  // Longer than counts are kept, so that the numbers of words and products are used again.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constant(401 * DAY) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** What happened, recomputed from every search and event each time. */
function createWorld(pages: readonly Page[], slug: string) {
  const searches: Raw[] = []
  const events: RawEvent[] = []
  const name = (query: string | null) => (query ?? '').trim().toLowerCase().replace(/\s+/g, ' ')
  /** The zones of the store, newest first; each holds after its moment. */
  const zones: { after: number; zone: string }[] = []
  const dayOf = (ms: number): number => {
    const timeZone = zones.find(({ after }) => ms > after)?.zone ?? 'UTC'
    return Date.parse(`${new Date(ms).toLocaleDateString('sv-SE', { timeZone })}T00:00:00Z`) / DAY
  }
  const counted = (search: Raw): Raw => (search.into ? counted(search.into) : search)
  const rate = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 1e4) / 1e4)
  const sum = (numbers: number[]) =>
    Math.round(numbers.reduce((total, number) => total + number, 0) * 1e4) / 1e4

  return {
    pages,
    slug,
    searches,
    events,
    dayOf,
    moveTo(zone: string, after: number): void {
      zones.unshift({ after, zone })
    },
    addSearch(search: Raw): void {
      const isKey = (of: Raw) =>
        of.isTracked && of.type === 'text' && of.sessionId !== null && isFirstPage(of)
      const before = searches.findLast((other) => isKey(other) && other.sessionId === search.sessionId)
      const age = search.createdAt - (before?.createdAt ?? 0)
      if (isKey(search) && before && !before.isEnded && age <= 3_000) before.into = search
      searches.push(search)
    },
    addEvent(told: Omit<RawEvent, 'isCounted' | 'isRepeated' | 'isKept' | 'goneAfter'>): void {
      if (told.search) counted(told.search).isEnded = true
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
      events.push({
        ...told,
        ...{ isCounted: !isReplaced, isRepeated: others.length > 0, isKept: true, goneAfter: Infinity },
      })
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
            ({ action, order, currency, isCounted, goneAfter }) =>
              // A line whose row was gone by then is not known any more.
              goneAfter > events.indexOf(sale) &&
              isCounted &&
              action === 'purchase' &&
              order === sale.order &&
              currency === sale.currency,
          )
      const products = PRODUCTS.map((product_id) => ({
        product_id,
        impressions: tracked.filter(({ results }) => results.includes(product_id)).length,
        clicks: events.filter(
          ({ action, product, at, isCounted }) =>
            isCounted && action === 'click' && product === product_id && isIn(at),
        ).length,
      })).filter(({ impressions, clicks: n }) => impressions + n > 0)
      /** What happened on one day, whatever search it belongs to. */
      const daily = (day: number) => {
        const told = events.filter(({ isCounted, at }) => isCounted && dayOf(at) === day)
        const sold = told.filter(({ action }) => action === 'purchase')
        const amounts = [...Map.groupBy(sold, ({ currency }) => currency)].map(([currency, of]) => ({
          ...{ currency, amount: sum(of.map(({ value }) => value)) },
          orders: of.filter(isFirstLine).length,
        }))
        return {
          clicks: told.filter(({ action }) => action === 'click').length,
          orders: amounts.reduce((all, { orders }) => all + orders, 0),
          revenue: amounts
            .filter(({ amount, orders }) => amount > 0 || orders > 0)
            .map(({ currency, amount }) => ({ currency, amount }))
            .sort((a, b) => b.amount - a.amount || (a.currency < b.currency ? -1 : 1)),
        }
      }
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
            ...daily(day),
          }
        }),
      }
    },

    /** The words about whether events arrive, of the period and of each source. @param sources as they are listed. */
    tracking(today: number, days: number, sources: readonly ReportedSource[]) {
      const isIn = ({ at }: RawEvent) => dayOf(at) <= today && dayOf(at) > today - days
      const count = (number: number, one: string, many = `${one}s`) =>
        `${number} ${number === 1 ? one : many}`
      const period = count(days, 'day')
      const perSource = sources.map((source) => {
        const { origin, searches: own, clicks, add_to_cart, purchases } = source
        const who = origin === null ? 'the backend' : `the widget on ${origin}`
        const head = `${count(own, 'search', 'searches')}, ${count(clicks, 'click')} in ${period}`
        if (own + clicks + add_to_cart + purchases === 0)
          return { status: 'no_searches', message: `${head}: ${who} was not used` }
        if (own === 0 || source.searches_with_click > 0) return { status: 'ok', message: head }
        return clicks === 0
          ? { status: 'no_clicks', message: `${head}: ${who} sends no clicks` }
          : { status: 'unattributed', message: `${head}: no click of ${who} names a search of its own` }
      })
      const total = sources.reduce((left, source) => left + source.searches, 0)
      const told = events.filter(isIn)
      const happened = (wanted: string) =>
        told.filter(({ action, isCounted }) => isCounted && action === wanted).length
      const clicks = happened('click')
      const head = `${count(total, 'search', 'searches')}, ${count(clicks, 'click')} in ${period}`
      const purchases = happened('purchase')
      const silent = sources
        .filter((_, n) => perSource[n]?.status === 'no_clicks')
        .map(({ origin }) => origin)
      const widgets = [...new Set(silent)]
      const inAll = () => {
        if (total === 0) return ['no_searches', `${head}: no search was counted yet`]
        if (clicks === 0 && silent.includes(null))
          return ['no_clicks', `${head}: the shop reports no clicks; send them as feedback`]
        if (clicks === 0 && widgets.length === 1)
          return ['no_clicks', `${head}: the widget on ${widgets[0]} sends no clicks`]
        if (clicks === 0) return ['no_clicks', `${head}: the widgets on ${widgets.join(', ')} send no clicks`]
        if (!told.some(({ action, search }) => action === 'click' && search))
          return ['unattributed', `${head}: no click names the search_id of a search of this store`]
        if (purchases === 0)
          return [
            'no_purchases',
            `${head}, 0 purchases: the shop reports no purchases; send them as feedback`,
          ]
        return ['ok', `${head}, ${count(purchases, 'purchase')}`]
      }
      const [status, message] = inAll()
      return { inAll: { status, message }, perSource }
    },

    /** The times of all searches that were answered in a period, keystrokes included, in order. */
    durations(today: number, days: number): number[] {
      return searches
        .filter(({ isTracked, type, createdAt }) => {
          const day = dayOf(createdAt)
          return isTracked && type !== 'batch' && day <= today && day > today - days
        })
        .map(({ durationMs }) => durationMs)
        .sort((a, b) => a - b)
    },

    /** The queries of 90 days that found more often something than nothing. */
    suggestions(today: number, prefix: string) {
      const counting = searches.filter(
        ({ isTracked, type, into, query, createdAt }) =>
          isTracked &&
          type !== 'batch' &&
          !into &&
          query !== null &&
          dayOf(createdAt) <= today &&
          dayOf(createdAt) > today - 90,
      )
      return [...Map.groupBy(counting, ({ query }) => name(query))]
        .filter(([query, of]) => {
          const empty = of.filter((search) => search.results.length === 0 && isFirstPage(search)).length
          return query.startsWith(prefix) && empty < of.length
        })
        .map(([query, of]) => ({
          query,
          count: of.length,
          results_count: Math.round(of.reduce((total, { results }) => total + results.length, 0) / of.length),
          source: 'history',
        }))
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
    if (now.do === 'move') {
      const body = { time_zone: now.zone }
      const as = await app.call('POST', '/oauth/login', {
        headers: from(freshAddress()),
        body: { email: `${world.slug}@shop.test`, password: PASSWORD },
      })
      const owner = String(as.body['access_token'])
      const moved = await app.call('PATCH', '/v1/store/settings', { token: owner, body })
      expect(moved).toMatchObject({ status: 200, body })
      world.moveTo(now.zone, app.clock.now())
    }
    if (now.do === 'tidy') {
      app.history.flush()
      await app.tidy()
      for (const search of world.searches)
        if (search.createdAt < app.clock.now() - HISTORY_DAYS * DAY) search.isKept = false
      for (const event of world.events)
        if (event.isKept && event.createdAt < app.clock.now() - HISTORY_DAYS * DAY) {
          event.isKept = false
          event.goneAfter = world.events.length
        }
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

type ReportedSource = Source & { searches_with_click: number }

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

const byCount = (one: { count: number; query: string }, other: { count: number; query: string }) =>
  other.count - one.count || (one.query < other.query ? -1 : 1)

const toTable = (rows: readonly unknown[][]): string =>
  rows.map((row) => `${row.map((cell) => cell ?? '').join(',')}\r\n`).join('')

/** The period before, dates in place of a number of days, and each page alone, against the same searches and events. */
async function compareParts(app: TestApp, as: string, of: World, days: number): Promise<void> {
  const today = of.dayOf(app.clock.now())
  const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
  const get = async (query: string) =>
    (await app.call('GET', `/v1/search/analytics?${query}`, { token: as })).body as Record<string, unknown>
  const range = `from=${dateOf(today - days + 1)}&to=${dateOf(today)}`
  const report = await get(`days=${days}&compare=previous`)
  expect(await get(`${range}&compare=previous`)).toEqual(report)
  const before = of.report(today - days, days)
  const { period, searches, engagement, revenue } = report['previous'] as Record<string, object>
  expect(period).toMatchObject({ days, from: dateOf(today - 2 * days + 1), to: dateOf(today - days) })
  expect({ searches, engagement }).toEqual({ searches: before.searches, engagement: before.engagement })
  const byCurrency = (list: { currency: string }[]) =>
    list.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
  expect(byCurrency(revenue as never)).toEqual(byCurrency(before.revenue))
  for (const page of of.pages) {
    if (!page) continue
    const own = await get(`${range}&key_id=${page.keyId}&origin=${page.origin}&compare=previous`)
    const isPage = (source: Source) => source.key_id === page.keyId && source.origin === page.origin
    const expected = of.report(today, days).by_source.find(isPage)
    const earlier = of.report(today - days, days).by_source.find(isPage)
    expect(own).toMatchObject({
      searches: { total: expected?.searches, zero_results: expected?.zero_results, sessions: null },
      engagement: { searches_with_click: expected?.searches_with_click, ctr: expected?.ctr },
      previous: { searches: { total: earlier?.searches }, engagement: { ctr: earlier?.ctr } },
    })
    const series = own['timeseries'] as { searches: number; clicks: number }[]
    expect(series.reduce((all, { searches: n }) => all + n, 0)).toBe(expected?.searches ?? Number.NaN)
    expect(series.reduce((all, { clicks }) => all + clicks, 0)).toBe(expected?.clicks ?? Number.NaN)
  }
}

/** The words about tracking, the times and the tables, against the same searches and events. */
async function compareRest(app: TestApp, as: string, of: World, days: number): Promise<void> {
  const today = of.dayOf(app.clock.now())
  const get = async (path: string) => (await app.call('GET', `/v1/search/${path}`, { token: as })).body
  const report = await get(`analytics?days=${days}`)
  const sources = report['by_source'] as (ReportedSource & Named)[]
  const words = of.tracking(today, days, sources)
  expect(report['tracking']).toEqual(words.inAll)
  expect(sources.map(({ tracking }) => tracking)).toEqual(words.perSource)
  const durations = of.durations(today, days)
  const { p50, p95 } = report['latency_ms'] as Record<string, number | null>
  for (const [share, told] of [
    [0.5, p50],
    [0.95, p95],
  ] as const) {
    const exact = durations[Math.max(1, Math.ceil(share * durations.length)) - 1]
    if (exact === undefined) expect(told).toBeNull()
    else expect(Math.abs((told ?? Infinity) - exact)).toBeLessThanOrEqual(0.01 * exact + 0.005)
  }
  const series = of.report(today, days).timeseries
  expect((await get(`analytics?days=${days}&format=csv`))['text']).toBe(
    toTable([
      ['date', 'searches', 'ctr', 'conversion_rate', 'zero_result_rate', 'clicks', 'orders', 'revenue'],
      ...series.map((day) => [
        ...[
          day.date,
          day.searches,
          day.ctr,
          day.conversion_rate,
          day.zero_result_rate,
          day.clicks,
          day.orders,
        ],
        day.revenue.map(({ currency, amount }) => `${currency} ${amount}`).join('; '),
      ]),
    ]),
  )
  const { products } = (await get(`feedback/popular?days=${days}&limit=100`)) as {
    products: (ReturnType<World['popular']>[number] & { product_id: string })[]
  }
  expect((await get(`feedback/popular?days=${days}&limit=100&format=csv`))['text']).toBe(
    toTable([
      ['product_id', 'score', 'clicks', 'add_to_cart', 'purchases', 'revenue'],
      ...products.map((product) => [
        ...[product.product_id, product.score, product.clicks, product.add_to_cart, product.purchases],
        product.revenue.map(({ currency, amount }) => `${currency} ${amount}`).join('; '),
      ]),
    ]),
  )
}

/** Suggestions with and without words that shoppers have begun, and their table. */
async function compareSuggestions(app: TestApp, as: string, of: World): Promise<void> {
  const today = of.dayOf(app.clock.now())
  for (const typed of ['', 'M', 'red  b', 'café', 'x']) {
    const path = `/v1/search/suggestions?q=${encodeURIComponent(typed)}`
    const { body } = await app.call('GET', path, { token: as })
    const suggestions = body['suggestions'] as ReturnType<World['suggestions']>
    const counts = suggestions.map(({ count }) => count)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    const prefix = typed.toLowerCase().replace(/\s+/g, ' ')
    expect(suggestions.toSorted(byCount)).toEqual(of.suggestions(today, prefix).sort(byCount))
    const { body: table } = await app.call('GET', `${path}&format=csv`, { token: as })
    expect(table['text']).toBe(
      toTable([
        ['query', 'count', 'results_count', 'source'],
        ...suggestions.map(({ query, count, results_count, source }) => [
          query,
          count,
          results_count,
          source,
        ]),
      ]),
    )
  }
}

test('analytics, popular products, suggestions and their tables equal a naive count of every search and event, while days pass and rows are deleted', async () => {
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
            createWorld(await openPages(app, person), 'one'),
            createWorld(await openPages(app, otherPerson), 'two'),
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
              const today = of.dayOf(app.clock.now())
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
                top_products: expected.top_products
                  .sort(byId)
                  .map((product) => ({ ...product, thumbnail_url: null })),
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
                    thumbnail_url: null,
                  })),
              )
              await compareRest(app, as, of, days)
              await compareParts(app, as, of, days)
            }
            await compareSuggestions(app, as, of)
          }
        } finally {
          await app.close()
        }
      },
    ),
    { numRuns: RUNS },
  )
}, 120_000)
