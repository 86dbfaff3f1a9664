import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../src/core/clock.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { recordBar } from './bars.ts'

/** What the bar asks of one turn of the event loop, as CPU of this process. */
const TURN_MS_GOAL = 8
/** A bound for machines that do much else, whose collector may run in any turn. */
const TURN_MS_MAX = 100

let app: TestApp
let token: string

/** Distinct values that a hint looks at, each as long and as many-worded as one may be that is compared. */
const VALUES = 1_000
const wordy = (n: number) => `${n} ${'ingly ations iveness ousness '.repeat(5)}`.slice(0, 98).trim()
const wide = (n: number) =>
  Object.fromEntries(Array.from({ length: 195 }, (_, k) => [`ations_iveness_ousness_${n % 5}_${k}`, k]))

beforeAll(async () => {
  app = testApp({ clock: systemClock })
  token = await app.signIn()
  const image_url = app.picture('same', 1)
  for (let n = 0; n < VALUES; n++) {
    const metadata = {
      ...{ category: wordy(n), brand: wordy(n), color_name: wordy(n), material: wordy(n), a: wordy(n) },
      ...(n > VALUES - 200 ? wide(n) : { b: wordy(n), c: `${wordy(n)} `.repeat(100) }),
    }
    const { status } = await app.call('POST', '/v1/products', {
      token,
      body: { product_id: `p${n}`, image_url, metadata },
    })
    expect(status).toBe(201)
  }
}, 120_000)
afterAll(() => app.close())

/** The CPU of the longest turn while a request is answered, in milliseconds: the least of some tries. */
async function longestTurn(request: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 5 && least > TURN_MS_GOAL; round++) {
    let [longest, isDone] = [0, false]
    let before = process.cpuUsage()
    const look = () => {
      const { user, system } = process.cpuUsage(before)
      longest = Math.max(longest, (user + system) / 1000)
      before = process.cpuUsage()
      if (!isDone) setImmediate(look)
    }
    setImmediate(look)
    await request()
    isDone = true
    await new Promise((resolve) => setImmediate(resolve))
    least = Math.min(least, longest)
  }
  return least
}

const eq = (field: string, value: unknown) => ({ field, operator: 'eq', value })
let n = 0
/** A word that is near nothing, and new each time, so that nothing is answered from memory. */
const vain = (): string => `oxsness ation ${++n} iveness ingli`
const post = (path: string, body: unknown) => app.call('POST', path, { token, body })

const ASKED: Record<string, () => Promise<unknown>> = {
  'values of filters': () =>
    post('/v1/search/filtered', {
      filters: ['category', 'brand', 'material', 'a', 'b'].map((field) => eq(field, vain())),
    }),
  'lists of values': () =>
    post('/v1/search/filtered', {
      filters: ['category', 'brand', 'material'].map((field) => ({
        ...{ field, operator: 'in' },
        value: Array.from({ length: 1_000 }, () => vain()),
      })),
    }),
  'fields of filters': () =>
    post('/v1/search/filtered', { filters: Array.from({ length: 100 }, () => eq(vain(), 1)) }),
  'pre-filters': () => post('/v1/search/filtered', { category: vain(), color: vain() }),
  'fields of a body': () =>
    post(
      '/v1/search/text',
      Object.fromEntries(Array.from({ length: 1_000 }, () => [`${vain()}${'x'.repeat(60)}`, 1])),
    ),
  paths: () => app.call('GET', `/${'v2/seerch/fedback/x'.repeat(6)}`, { token }),
}

test('no suggestion takes long in one turn', async () => {
  let over = 0
  let worst = 0
  const words: string[] = []
  for (const [what, ask] of Object.entries(ASKED)) {
    const ms = await longestTurn(ask)
    worst = Math.max(worst, ms)
    if (ms > TURN_MS_GOAL) over++
    words.push(`${what} ${ms.toFixed(1)}`)
  }
  recordBar({
    ...{ bar: 46, part: 'suggestions', on: 'process', n: words.length },
    measured: `CPU of the longest turn in ms: ${words.join(', ')}`,
    isMet: over === 0,
  })
  expect(worst, words.join(', ')).toBeLessThan(TURN_MS_MAX)
}, 120_000)
