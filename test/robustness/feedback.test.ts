import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../src/platform/db/open.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { readRepetitions, seededRandom } from './random.ts'
import { type Install, newInstall, productForm, type Service, startService, until } from './service.ts'

/** Kills amid purchases and events; before a release 100. */
const KILLS = readRepetitions('FEEDBACK_KILLS', 5)
const WRITERS = 4
const DIMENSION = 512
const PRODUCTS = 3
/** What one group of the history's writer holds back, and what a busy machine may add. */
const LOST_MS_MAX = 500
const BUSY_MS = 2_500

type Event = Record<string, unknown>

/** A request that is sent until it is answered. */
interface Sending {
  body: Event | { events: Event[] }
  key?: string
}

interface Search {
  id: string
  /** Of the test, when the answer was there. */
  answeredAt: number
}

let install: Install
let service: Service
const random = seededRandom(readRepetitions('FEEDBACK_SEED', 5))
/** Every event that was acknowledged, and must be there once. */
const acknowledged: Event[] = []
/** Requests without an answer; a shop sends them again. */
let unanswered: Sending[] = []
/** Searches since the last start. */
let searches: Search[] = []
let orders = 0
let answers = 0
let repeated = 0

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install)
  for (let n = 0; n < PRODUCTS; n++) {
    const form = await productForm(`product-${n}`, n, { name: `product ${n}` })
    const { status } = await fetch(`${service.address}/v1/products`, {
      method: 'POST',
      headers: { authorization: `Bearer ${install.token}` },
      body: form,
    })
    expect(status).toBe(201)
  }
}, 90_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

const ask = async (method: string, path: string, body?: unknown, key?: string) => {
  const response = await fetch(service.address + path, {
    method,
    headers: {
      authorization: `Bearer ${install.token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** An event that nothing but its number tells from the others: it is found again by its session. */
function nextEvent(isSafe: boolean): Event {
  orders++
  const action = random.pick(['purchase', 'purchase', 'click', 'add_to_cart'])
  // Two clicks on one result of a search would be one.
  const hasSearch = action !== 'click' && searches.length > 0 && random.below(4) > 0
  const event = {
    result_product_id: `product-${random.below(PRODUCTS + 1)}`,
    session_id: `event-${orders}`,
    ...(hasSearch && { search_id: random.pick(searches).id }),
  }
  return {
    ...event,
    action,
    ...(action === 'purchase' && {
      order_value: (1 + random.below(100_000)) / 100,
      currency: random.pick(['EUR', 'USD']),
    }),
    // Whatever no key protects needs an order to be sent again.
    ...(isSafe && { order_id: `order-${orders}` }),
  }
}

function nextSending(): Sending {
  const kind = random.below(4)
  const events = (isSafe: boolean) => Array.from({ length: 2 + random.below(6) }, () => nextEvent(isSafe))
  if (kind === 0) return { body: nextEvent(true) }
  if (kind === 1) return { body: nextEvent(false), key: `key-${orders}` }
  if (kind === 2) return { body: { events: events(true) } }
  return { body: { events: events(false) }, key: `key-${orders}` }
}

const eventsOf = ({ body }: Sending): Event[] => (body as { events?: Event[] }).events ?? [body as Event]

/** @returns whether there was an answer. */
async function send(sending: Sending): Promise<boolean> {
  const answer = await ask('POST', '/v1/search/feedback', sending.body, sending.key).catch(() => undefined)
  if (!answer) return false
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  acknowledged.push(...eventsOf(sending))
  answers++
  return true
}

/** Sends what was not answered again, until nothing is left. */
async function sendAgain(): Promise<void> {
  repeated += unanswered.length
  for (const sending of unanswered) expect(await send(sending)).toBe(true)
  unanswered = []
}

/** Sends from several clients at once until the service is killed after a random number of answers. */
async function sendUntilKilled(): Promise<number> {
  const killAt = answers + 40 + random.below(80)
  let killedAt = 0
  const client = async () => {
    while (killedAt === 0) {
      const sending = nextSending()
      if (!(await send(sending))) unanswered.push(sending)
      if (answers < killAt || killedAt > 0) continue
      killedAt = performance.now()
      await service.crash()
    }
  }
  await Promise.all([searchWhile(() => killedAt === 0), ...Array.from({ length: WRITERS }, client)])
  return killedAt
}

const untilSearching = () =>
  until('searches answer', async () => (await ask('POST', '/v1/search/filtered', {})).status === 200)

/** Searches one time after the other. */
async function searchWhile(mayGoOn: () => boolean): Promise<void> {
  while (mayGoOn()) {
    const found = await ask('POST', '/v1/search/filtered', { limit: 3 }).catch(() => undefined)
    if (!found) return
    expect(found.status).toBe(200)
    searches.push({ id: String(found.body['search_id']), answeredAt: performance.now() })
  }
}

interface Row {
  session: string
  product: string
  action: string
  value: number | null
  currency: string | null
}

function readDatabase() {
  const db = openDatabase(install.dataDir)
  createVectorTable(db, 'vectors_1', DIMENSION)
  try {
    return {
      faults: findFaults(db, join(install.dataDir, 'pictures')),
      searches: new Set(db.prepare<[], string>('SELECT id FROM searches').pluck().all()),
      waiting: db.prepare<[], number>('SELECT count(*) FROM late_writes').pluck().get(),
      events: db
        .prepare<[], Row>(
          `SELECT session_id AS session, product_id AS product, action, order_value AS value, currency FROM feedback_events`,
        )
        .all(),
    }
  } finally {
    db.close()
  }
}

/**
 * The searches that a kill took: they must be the last ones, and no older than what the writer may hold back.
 *
 * @param killedAt of the test's clock, in ms.
 */
function findLost(kept: ReadonlySet<string>, killedAt: number): { lost: number; wrong: unknown[] } {
  const lost = searches.filter(({ id }) => !kept.has(id))
  const wrong = lost.filter(({ answeredAt }) => killedAt - answeredAt > LOST_MS_MAX + BUSY_MS)
  const first = lost[0] ? searches.indexOf(lost[0]) : searches.length
  const between = searches.slice(first).filter(({ id }) => kept.has(id))
  return { lost: lost.length, wrong: [...wrong, ...between] }
}

const rowOf = (event: Event): Row => ({
  session: String(event['session_id']),
  product: String(event['result_product_id']),
  action: String(event['action']),
  value: (event['order_value'] as number | undefined) ?? null,
  currency: (event['currency'] as string | undefined) ?? null,
})

/** Events that only one of two lists holds, or that one holds more often. */
function findDifferences(events: readonly Row[], expected: readonly Row[]): string[] {
  const counts = new Map<string, number>()
  const count = (row: Row, by: number) => {
    const text = JSON.stringify([row.session, row.product, row.action, row.value, row.currency])
    counts.set(text, (counts.get(text) ?? 0) + by)
  }
  for (const row of events) count(row, 1)
  for (const row of expected) count(row, -1)
  return [...counts].flatMap(([text, more]) => (more === 0 ? [] : [`${text}: ${more}`]))
}

/** Sums of purchases by currency in hundredths. */
function sumUp(rows: readonly Row[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { currency, value } of rows)
    if (currency !== null) sums[currency] = (sums[currency] ?? 0) + Math.round((value ?? 0) * 100)
  return sums
}

test(`purchases and events with an order or a key are there once after kill -9, ${KILLS} times, and the sums are those of a naive count`, async () => {
  const wrong: unknown[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    searches = []
    const killedAt = await sendUntilKilled()
    const { faults, events } = readDatabase()
    wrong.push(...faults)
    const there = new Set(events.map(({ session }) => session))
    // Before anybody has sent anything again.
    wrong.push(...acknowledged.filter((event) => !there.has(String(event['session_id']))))
    service = await startService(install, { untilReady: false })
    await untilSearching()
    wrong.push(...findLost(readDatabase().searches, killedAt).wrong)
    await sendAgain()
  }
  const { events } = readDatabase()
  const expected = acknowledged.map(rowOf)
  wrong.push(...findDifferences(events, expected))
  const { body } = await ask('GET', '/v1/search/analytics?days=2')
  const revenue = body['revenue'] as { currency: string; total: number; orders: number }[]
  const purchases = expected.filter(({ action }) => action === 'purchase')
  const totals = Object.fromEntries(revenue.map(({ currency, total }) => [currency, Math.round(total * 100)]))
  if (!Bun.deepEquals(totals, sumUp(purchases))) wrong.push(totals)
  const counted = revenue.reduce((sum, { orders: number }) => sum + number, 0)
  if (counted !== purchases.length) wrong.push(`${counted} orders of ${purchases.length}`)
  const measured = `${acknowledged.length} events acknowledged, ${repeated} requests sent again, ${wrong.length} events lost, doubled or counted wrongly`
  recordBar({ bar: 1, part: 'feedback', on: 'program', n: KILLS, measured, isMet: wrong.length === 0 })
  expect(wrong).toEqual([])
}, 600_000)

test(`a kill takes the searches of the last half second, and no others, ${KILLS} times`, async () => {
  const wrong: unknown[] = []
  let lost = 0
  let answered = 0
  for (let kill = 0; kill < KILLS; kill++) {
    searches = []
    // Longer than a group of the writer, so that some are on the disk.
    const begin = performance.now()
    const spanMs = 2 * LOST_MS_MAX + random.below(LOST_MS_MAX)
    await searchWhile(() => performance.now() - begin < spanMs)
    const killedAt = performance.now()
    await service.crash()
    service = await startService(install, { untilReady: false })
    await untilSearching()
    const found = findLost(readDatabase().searches, killedAt)
    wrong.push(...found.wrong)
    lost += found.lost
    answered += searches.length
    // Every row counts once, whether it was counted before the kill or after it.
    const { body } = await ask('GET', '/v1/search/analytics?days=2')
    const counted = (body['searches'] as { total: number }).total
    const rows = readDatabase().searches.size
    if (counted !== rows) wrong.push(`${counted} searches counted, ${rows} recorded`)
  }
  const measured = `${answered} searches answered, the last ${lost} of them lost, ${wrong.length} others`
  recordBar({ bar: 1, part: 'searches', on: 'program', n: KILLS, measured, isMet: wrong.length === 0 })
  expect(wrong).toEqual([])
  expect(answered).toBeGreaterThan(lost)
}, 600_000)

test('a stop writes every search and event that waits', async () => {
  const ids: string[] = []
  for (let n = 0; n < 5; n++) {
    const { body } = await ask('POST', '/v1/search/filtered', { limit: 3 })
    ids.push(String(body['search_id']))
  }
  await ask('POST', '/v1/search/feedback', {
    ...{ search_id: ids[0], result_product_id: 'product-0', action: 'click', session_id: 'last' },
  })
  expect(await service.stop()).toBe(0)
  const { searches: kept, events, waiting } = readDatabase()
  expect([ids.filter((id) => !kept.has(id)), waiting]).toEqual([[], 0])
  expect(events.filter(({ session }) => session === 'last')).toMatchObject([{ action: 'click' }])
}, 60_000)
