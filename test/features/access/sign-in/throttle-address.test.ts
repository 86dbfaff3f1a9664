import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import { recordBar } from '../../../robustness/bars.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import {
  addPerson,
  from,
  getToken,
  PASSWORD,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'

let app: TestApp

beforeEach(() => {
  app = proxiedApp()
})
afterEach(() => app.close())

const HOME = '203.0.113.1'

/** Records a part of the bar of throttles that was just seen to be met. */
const metBar = (part: string, n: number, measured: string) =>
  recordBar({ bar: 20, part, on: 'process', n, measured, isMet: true })

let strangers = 0

/** A login of nobody, whose e-mail was never tried before. */
const stranger = (address = HOME, of = app) =>
  sendSignIn(of, `stranger-${++strangers}@people.test`, {}, from(address))

const refresh = (token: string, address = HOME, of = app) =>
  of.call('POST', '/oauth/refresh', { token, headers: from(address) })

async function times(count: number, work: () => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await work()).status)
  return statuses
}

/** What every answer over an address's budget says. */
function expectOverBudget(answer: Answer, waitSeconds: number, limit: number): void {
  expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded'])
  expect(answer.headers.get('retry-after')).toBe(String(waitSeconds))
  expect(answer.body['details']).toEqual({ limit, retry_after: waitSeconds })
}

describe('10 logins a minute from one address (contract 5.6)', () => {
  test('the eleventh is 429 rate_limit_exceeded, with the seconds to wait in header and details', async () => {
    expect(await times(10, stranger)).toEqual(Array(10).fill(401))
    expectOverBudget(await stranger(), 60, 10)
  })

  test('right ones count as well, and a right password does not help over the budget', async () => {
    const { email } = await addPerson(app, 'anna')
    const signIn = () => sendSignIn(app, email, {}, from(HOME))
    expect(await times(10, signIn)).toEqual(Array(10).fill(200))
    expectOverBudget(await signIn(), 60, 10)
  })

  test('the window slides: each place is free again exactly 60 seconds after its own login', async () => {
    await stranger()
    app.clock.advance(20_000)
    await times(9, stranger)
    app.clock.advance(10_000)
    expectOverBudget(await stranger(), 30, 10)
    app.clock.advance(29_000)
    expectOverBudget(await stranger(), 1, 10)
    app.clock.advance(999)
    expectOverBudget(await stranger(), 1, 10)
    app.clock.advance(1)
    expect((await stranger()).status).toBe(401)
    expectOverBudget(await stranger(), 20, 10)
    app.clock.advance(20_000)
    expect(await times(9, stranger)).toEqual(Array(9).fill(401))
    expectOverBudget(await stranger(), 40, 10)
    metBar('boundary', 1, 'logins of an address: free again after 60 s to the millisecond')
  })

  test('refused logins do not make the wait longer', async () => {
    await times(10, stranger)
    app.clock.advance(59_000)
    await times(20, stranger)
    app.clock.advance(1_000)
    expect(await times(10, stranger)).toEqual(Array(10).fill(401))
  })

  test('of 50 at once exactly 10 are looked at', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => stranger()))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40)
    metBar('bursts', 50, 'logins of an address: exactly 10 of 50 at once')
  })

  test('other addresses and refreshes have budgets of their own', async () => {
    const token = await getToken(app, await addPerson(app, 'anna'))
    await times(11, stranger)
    expect((await stranger('203.0.113.2')).status).toBe(401)
    expect((await refresh(token)).status).toBe(200)
  })

  test('the addresses of one IPv6 /64 share a budget, those of the next have their own', async () => {
    const own = Array.from({ length: 10 }, (_, n) => `2001:db8:0:7:${n}::${n + 1}`)
    for (const address of own) expect((await stranger(address)).status).toBe(401)
    expectOverBudget(await stranger('2001:db8:0:7:ffff:ffff:ffff:ffff'), 60, 10)
    expectOverBudget(await stranger('[2001:DB8::7:0:0:0:1]:443'), 60, 10)
    expect((await stranger('2001:db8:0:8::1')).status).toBe(401)
    expect((await stranger('2001:db8:0:6::1')).status).toBe(401)
  })

  test('an IPv4 address is the same written as IPv6', async () => {
    await times(10, () => stranger('::ffff:203.0.113.1'))
    expectOverBudget(await stranger('203.0.113.1'), 60, 10)
  })

  test('what a client writes left of the proxy’s own word changes nothing', async () => {
    let n = 0
    await times(10, () => stranger(`192.0.2.${++n}, ${HOME}`))
    expectOverBudget(await stranger(`192.0.2.200, ${HOME}`), 60, 10)
  })

  test('without a trusted proxy a request cannot claim another address', async () => {
    const direct = testApp()
    let n = 0
    await times(10, () => stranger(`192.0.2.${++n}`, direct))
    expectOverBudget(await stranger('192.0.2.100', direct), 60, 10)
    await direct.close()
  })
})

describe('ten times as many from one network: a /24 of IPv4, a /48 of IPv6', () => {
  /** Nine logins from each of so many addresses, none of which has used up its own budget. */
  async function knock(count: number, addressOf: (n: number) => string): Promise<number> {
    let looked = 0
    for (let n = 0; n < count; n++) {
      looked += (await times(9, () => stranger(addressOf(n)))).filter((status) => status === 401).length
    }
    return looked
  }

  test('however many addresses of a /24 there are, 100 logins a minute are looked at', async () => {
    expect(await knock(20, (n) => `203.0.113.${n}`)).toBe(100)
    expectOverBudget(await stranger('203.0.113.250'), 60, 100)
    expect((await stranger('203.0.114.1')).status).toBe(401)
    app.clock.advance(60_000)
    expect((await stranger('203.0.113.250')).status).toBe(401)
  })

  test('65,536 blocks of one /48 are not 65,536 strangers', async () => {
    expect(await knock(20, (n) => `2001:db8:5:${(n * 3_000).toString(16)}::1`)).toBe(100)
    expectOverBudget(await stranger('2001:db8:5:ffff::1'), 60, 100)
    expect((await stranger('2001:db8:6::1')).status).toBe(401)
  })

  test('an IPv4 address written as IPv6 belongs to its /24, and not to one network of all such', async () => {
    expect(await knock(20, (n) => `::ffff:203.0.113.${n}`)).toBe(100)
    expectOverBudget(await stranger('203.0.113.250'), 60, 100)
    expect((await stranger('::ffff:198.51.100.1')).status).toBe(401)
  })

  test('an office of ten behind one /24 is refused nothing below that', async () => {
    for (let n = 1; n <= 10; n++)
      expect(await times(10, () => stranger(`203.0.113.${n}`))).toEqual(Array(10).fill(401))
  })

  test('what one address is refused the others need not pay for', async () => {
    await times(200, () => stranger('203.0.113.1'))
    for (let n = 2; n <= 10; n++) expect((await stranger(`203.0.113.${n}`)).status).toBe(401)
  })

  test('of a burst of 300 from 100 addresses exactly 100 are let through, and 30 of them hashed at once', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => stranger(`203.0.113.${n % 100}`)))
    const counts = new Map<number, number>()
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ 401: 30, 503: 70, 429: 200 })
    expect((await stranger('198.51.100.1')).status).toBe(401)
  })

  test('refreshes: 300; registrations and lost passwords together: 100', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push(...(await times(30, () => refresh('x', `203.0.113.${n}`))))
    expect(statuses.filter((status) => status === 401)).toHaveLength(300)
    const forgot = (n: number) =>
      app.call('POST', n % 2 ? '/oauth/password/forgot' : '/register', {
        headers: from(`203.0.113.${n % 60}`),
        body: {},
      })
    const answers = await Promise.all(Array.from({ length: 120 }, (_, n) => forgot(n)))
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(100)
  })

  test('the answer names the longer of two waits, so that the next try is not refused', async () => {
    await times(10, () => stranger('203.0.113.1'))
    app.clock.advance(20_000)
    for (let n = 2; n <= 10; n++) await times(10, () => stranger(`203.0.113.${n}`))
    expectOverBudget(await stranger('203.0.113.2'), 60, 10)
    expectOverBudget(await stranger('203.0.113.1'), 40, 100)
    app.clock.advance(40_000)
    expect((await stranger('203.0.113.1')).status).toBe(401)
  })
})

describe('30 refreshes a minute from one address (contract 5.6)', () => {
  test('the 31st is 429 rate_limit_exceeded, until exactly 60 seconds after the first', async () => {
    const anna = await addPerson(app, 'anna')
    let token = await getToken(app, anna)
    for (let n = 0; n < 30; n++) {
      const answer = await refresh(token)
      expect(answer.status).toBe(200)
      token = String(answer.body['access_token'])
      if (n === 0) app.clock.advance(15_000)
    }
    expectOverBudget(await refresh(token), 45, 30)
    app.clock.advance(44_000)
    expectOverBudget(await refresh(token), 1, 30)
    app.clock.advance(999)
    expectOverBudget(await refresh(token), 1, 30)
    app.clock.advance(1)
    // The refusals have not ended the token.
    expect((await refresh(token)).status).toBe(200)
    metBar('boundary', 1, 'refreshes of an address: free again after 60 s to the millisecond')
  })

  test('failed ones count: of 50 at once with unknown tokens exactly 30 are checked', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => refresh(`no-token-${n}`)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    metBar('bursts', 50, 'refreshes of an address: exactly 30 of 50 at once')
    expect((await stranger()).status).toBe(401)
    expect((await refresh('no-token', '203.0.113.2')).status).toBe(401)
  })

  test('the addresses of one IPv6 /64 share it', async () => {
    await times(30, () => refresh('no-token', '2001:db8:0:7::1'))
    expectOverBudget(await refresh('no-token', '2001:db8:0:7:1::'), 60, 30)
    expect((await refresh('no-token', '2001:db8:1:7::')).status).toBe(401)
  })
})

test('the counts of an address survive a restart and tidying', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-throttle-'))
  const { clock, ids } = app
  const first = proxiedApp({ db: openDatabase(folder), clock, ids })
  const { email } = await addPerson(first, 'anna')
  await times(10, () => stranger(HOME, first))
  await times(30, () => refresh('no-token', HOME, first))
  await first.close()

  clock.advance(59_000)
  const second = proxiedApp({ db: openDatabase(folder), clock, ids })
  await second.tidy()
  expectOverBudget(await sendSignIn(second, email, { password: PASSWORD }, from(HOME)), 1, 10)
  expectOverBudget(await refresh('no-token', HOME, second), 1, 30)
  clock.advance(1_000)
  expect((await sendSignIn(second, email, {}, from(HOME))).status).toBe(200)
  expect((await refresh('no-token', HOME, second)).status).toBe(401)
  metBar('restart', 1, 'addresses: the budgets of logins and refreshes go on')
  await second.close()
  rmSync(folder, { recursive: true })
})
