import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import type { AddressThrottle } from '../../../src/core/throttle.ts'
import { isBodyParser, jsonBody, noBody } from '../../../src/http/body.ts'
import { createAddressBudget, spendingFirst } from '../../../src/http/budgets/address-budget.ts'
import { manualClock, type TestApp } from '../../support/app.ts'
import { from, proxiedApp, refusal } from '../../support/people.ts'

const BASE = 'http://lookalike.test'

/** A body that tells whether anybody asked for it. */
function watchedBody(text: string) {
  const watched = { isRead: false, stream: new ReadableStream() }
  watched.stream = new ReadableStream(
    {
      pull(controller) {
        watched.isRead = true
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return watched
}

describe('a budget', () => {
  let taken: string[]
  const throttle: AddressThrottle = {
    take(address) {
      taken.push(address)
      return { isAllowed: taken.length < 3, limit: 2, remaining: 0, resetSeconds: 7 }
    },
  }
  beforeEach(() => {
    taken = []
  })
  const budget = () =>
    createAddressBudget({
      throttle,
      findAddress: () => '203.0.113.1',
      clock: manualClock('2030-01-01T00:00:00Z'),
      message: 'Too many of them',
    })

  test('is spent once by a request, however often it is asked', () => {
    const spend = budget()
    const request = new Request(BASE)
    for (let n = 0; n < 5; n++) spend(request)
    expect(taken).toEqual(['203.0.113.1'])
    spend(new Request(BASE))
    expect(taken).toHaveLength(2)
  })

  test('over its end: rate_limit_exceeded with the seconds to wait', () => {
    const spend = budget()
    spend(new Request(BASE))
    spend(new Request(BASE))
    expect(() => spend(new Request(BASE))).toThrow(
      expect.objectContaining({
        code: 'rate_limit_exceeded',
        message: 'Too many of them',
        extras: { retryAfterSeconds: 7, details: { limit: 2, retry_after: 7 } },
      }),
    )
  })

  test.each([
    ['POST', '/body', '{"a":1}'],
    ['POST', '/body', undefined],
    ['POST', '/none', 'something'],
    ['POST', '/none', undefined],
    ['GET', '/got', undefined],
    ['HEAD', '/got', undefined],
  ] as const)('is spent exactly once by %s %s with the body %p', async (method, path, body) => {
    const spend = budget()
    const app = new Elysia()
      .post('/body', () => 'done', { parse: spendingFirst(spend, jsonBody()) })
      .post('/none', () => 'done', { parse: spendingFirst(spend, noBody) })
      .get('/got', () => 'done', { beforeHandle: ({ request }) => spend(request) })
    const headers = { 'content-type': 'application/json' }
    await app.handle(new Request(BASE + path, { method, headers, ...(body !== undefined && { body }) }))
    expect(taken).toHaveLength(1)
  })

  test('leaves the description of a parser as it was', () => {
    const json = jsonBody()
    expect(spendingFirst(budget(), json).describeContent).toBe(json.describeContent)
    expect(isBodyParser(spendingFirst(budget(), json))).toBe(true)
    expect(isBodyParser(spendingFirst(budget(), noBody))).toBe(false)
  })
})

describe('the routes without sign-in ask their budget first', () => {
  let app: TestApp
  beforeEach(() => {
    app = proxiedApp()
  })
  afterEach(() => app.close())

  const HOME = from('203.0.113.1')
  const ROUTES = [
    ['/oauth/login', 10],
    ['/oauth/refresh', 30],
    ['/register', 10],
    ['/oauth/password/forgot', 10],
  ] as const

  const send = async (path: string, text: string, contentType = 'application/json') => {
    const body = watchedBody(text)
    const headers = { ...HOME, ...(contentType && { 'content-type': contentType }) }
    const request = new Request(BASE + path, { method: 'POST', headers, body: body.stream })
    const response = await app.http.handle(request)
    const answer = (await response.json()) as Record<string, unknown>
    return { status: response.status, body: answer, isRead: body.isRead }
  }

  test.each(ROUTES)('%s: nothing is read of a request over the budget', async (path, limit) => {
    for (let n = 0; n < limit; n++) expect((await send(path, '{}')).status).not.toBe(429)
    const refused = await send(path, '{}')
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.body['details']).toEqual({ limit, retry_after: 60, help: '/errors/rate_limit_exceeded' })
    expect(refused.isRead).toBe(false)
    app.clock.advance(60_000)
    const allowed = await send(path, '{}')
    expect(allowed.status).not.toBe(429)
    expect(allowed.isRead).toBe(path !== '/oauth/refresh')
  })

  test.each(ROUTES)('%s: a request that cannot be parsed costs as much as any other', async (path, limit) => {
    const bad: [text: string, contentType?: string][] = [
      ['{'],
      ['[1]', 'text/plain'],
      ['{"email":5}'],
      ['', ''],
      [`{"a":"${'x'.repeat(2_000_000)}"}`],
    ]
    for (let n = 0; n < limit; n++) {
      const [text, contentType] = bad[n % bad.length] as [string, string?]
      expect((await send(path, text, contentType)).status).not.toBe(429)
    }
    expect((await send(path, '{}')).status).toBe(429)
  })

  test('other methods and paths spend nothing', async () => {
    for (let n = 0; n < 40; n++) {
      await app.call('GET', '/oauth/login', { headers: HOME })
      await app.call('POST', '/oauth/log', { headers: HOME, body: {} })
      await app.call('GET', '/oauth/password/reset?token=x', { headers: HOME })
    }
    expect((await send('/oauth/login', '{}')).status).toBe(422)
    expect((await send('/register', '{}')).status).toBe(422)
  })
})
