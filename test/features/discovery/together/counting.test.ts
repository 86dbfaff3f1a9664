import { afterEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../../src/core/clock.ts'
import { createWriteGate } from '../../../../src/core/write-gate.ts'
import { createTogetherMaker } from '../../../../src/features/discovery/together/maker.ts'
import { relate } from '../../../../src/features/discovery/together/measure.ts'
import { togetherQueries } from '../../../../src/features/discovery/together/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readRows, storeId } from '../../../support/seed.ts'
import { openTogetherShop } from './together-shop.ts'

const apps: TestApp[] = []
afterEach(() => {
  for (const app of apps.splice(0)) app.close()
})

const PRODUCTS = Array.from({ length: 24 }, (_, n) => `p${n}`)

/** A shop whose shoppers buy products of one shelf, four a shelf, and here and there any other. */
async function openBusyShop(slug = 'busy', app = testApp()) {
  const shop = await openTogetherShop(app, slug, PRODUCTS)
  for (let shelf = 0; shelf < 6; shelf++) {
    const [a, b, c, d] = PRODUCTS.slice(4 * shelf, 4 * shelf + 4) as [string, string, string, string]
    await shop.order(4 + shelf, a, b, c)
    await shop.order(3, a, d, PRODUCTS[(7 * shelf + 5) % 24] ?? a)
    await shop.visit(6, c, d)
  }
  return shop
}

/** The count of an app, which may be stopped in the middle. */
function makerOf(app: TestApp, { stopAfter = Infinity, pairsMax = 200_000, isSlow = false } = {}) {
  const stopping = new AbortController()
  const queries = togetherQueries(app.db)
  let steps = 0
  // Each look at the clock takes a step's time, so that a step does the least that it may.
  let now = 0
  const monotonic = () => {
    if (isSlow) now += 5
    return now
  }
  const save: typeof queries.save = (store, run) => {
    queries.save(store, run)
    if (++steps >= stopAfter) stopping.abort()
  }
  const atomically = <Result>(work: () => Result): Result => app.db.transaction(work).immediate()
  const maker = createTogetherMaker({
    ...{
      queries: { ...queries, save },
      clock: { ...app.clock, monotonic },
      atomically,
      gate: createWriteGate(),
      withoutFsync: (work) => work(),
      pairsMax,
    },
    dayOf: (_, ms) => Math.floor(ms / DAY_MS),
    log: {
      error: (fields: { err: unknown }) => {
        throw fields.err
      },
    } as never,
    stop: stopping.signal,
  })
  return { run: maker.run, countSteps: () => steps }
}

const listsOf = (app: TestApp, slug = 'busy') =>
  readRows(app, 'together_lists', { store_id: storeId(app, slug) }, ['product_id', 'basis', 'products'])

describe('a count that is killed', () => {
  test('goes on where it was, whichever step it was in, and finds the same', async () => {
    const { app } = await openBusyShop()
    apps.push(app)
    const whole = makerOf(app, { isSlow: true })
    await whole.run()
    const expected = listsOf(app)
    expect(expected.length).toBeGreaterThan(20)
    const length = whole.countSteps()
    expect(length).toBeGreaterThan(100)
    for (const share of [0.05, 0.3, 0.6, 0.8, 0.95]) {
      app.db.exec('UPDATE together_runs SET made_at = NULL, begun_at = NULL; DELETE FROM together_lists')
      const killed = makerOf(app, { isSlow: true, stopAfter: Math.ceil(share * length) })
      await killed.run()
      expect(readRows(app, 'together_runs', {}, ['begun_at'])).not.toEqual([{ begun_at: null }])
      const next = makerOf(app, { isSlow: true })
      await next.run()
      expect(listsOf(app)).toEqual(expected)
      expect(next.countSteps()).toBeLessThan((1.05 - share) * length + 3)
    }
  })
})

test('a count that stands at a session which is erased forgets its name and goes on', async () => {
  const shop = await openTogetherShop(testApp(), 'busy', PRODUCTS)
  apps.push(shop.app)
  await shop.visit(6, 'p0', 'p1')
  const after = () => readRows<{ after: string }>(shop.app, 'together_runs')[0]?.after ?? ''
  for (let stopAfter = 1; !after().startsWith('visitor-'); stopAfter++) {
    shop.app.db.exec('DELETE FROM together_runs')
    await makerOf(shop.app, { isSlow: true, stopAfter }).run()
  }
  const session = after()
  await shop.app.call('DELETE', `/v1/search/sessions/${session}`, { token: shop.token })
  expect(after()).not.toBe(session)
  await makerOf(shop.app).run()
  expect(JSON.stringify(readRows(shop.app, 'together_runs'))).not.toContain('visitor-')
  // What it had said was counted before; the next count finds five visitors.
  expect(readRows(shop.app, 'together_runs', {}, ['visitors', 'is_outdated'])).toEqual([
    { visitors: 6, is_outdated: 1 },
  ])
})

test('stores take turns, and each is counted alone', async () => {
  const one = await openBusyShop()
  apps.push(one.app)
  await openBusyShop('second', one.app)
  await makerOf(one.app, { isSlow: true }).run()
  expect(listsOf(one.app, 'second')).toEqual(listsOf(one.app))
})

describe('with more pairs than a store may hold', () => {
  test('the rare ones go and the frequent ones stay, however late they come', async () => {
    const shop = await openTogetherShop(testApp(), 'busy', PRODUCTS)
    apps.push(shop.app)
    // 200 pairs that come once, and among the last orders one that comes often.
    for (let n = 0; n < 20; n++) {
      const at = (step: number) => PRODUCTS[(n + step) % 20] ?? ''
      for (const step of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await shop.order(1, at(0), at(step))
    }
    await shop.order(12, 'p22', 'p23')
    await makerOf(shop.app, { pairsMax: 40 }).run()
    const [run] = readRows<{ sweeps: number; pairs: number }>(shop.app, 'together_runs')
    expect(run?.sweeps).toBeGreaterThan(2)
    expect(run?.pairs).toBeLessThanOrEqual(41)
    expect(listsOf(shop.app)).toMatchObject([{ product_id: 'p22' }, { product_id: 'p23' }])
  })
})

test('a larger store is counted in its night, once', async () => {
  const shop = await openBusyShop()
  apps.push(shop.app)
  await shop.count()
  shop.app.db.exec('UPDATE together_runs SET orders = 5000')
  const countedAt = () => readRows<{ made_at: number }>(shop.app, 'together_runs')[0]?.made_at
  const first = countedAt()
  await shop.order(1, 'p1', 'p2')
  // The test begins at midnight, and the night's count at three.
  shop.app.clock.advance(2 * HOUR_MS)
  await shop.count()
  expect(countedAt()).toBe(first)
  shop.app.clock.advance(2 * HOUR_MS)
  await shop.count()
  const second = countedAt()
  expect(second).toBe(shop.app.clock.now())
  shop.app.clock.advance(HOUR_MS)
  await shop.count()
  expect(countedAt()).toBe(second)
})

describe('how closely two products belong together', () => {
  test.each([
    ['always together', { both: 5, one: 5, other: 5, all: 5 }, 1],
    ['mostly together', { both: 8, one: 12, other: 8, all: 500 }, 0.8165],
    ['as often as chance wants', { both: 6, one: 10, other: 600, all: 1_000 }, 0],
    ['less often than chance wants', { both: 3, one: 100, other: 600, all: 1_000 }, 0],
    ['never', { both: 0, one: 10, other: 10, all: 100 }, 0],
  ])('%s', (_, counts, score) => {
    expect(relate(counts)).toBeCloseTo(score, 4)
  })
})
