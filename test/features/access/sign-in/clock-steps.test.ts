import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { recordBar } from '../../../robustness/bars.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  freshAddress,
  from,
  getToken,
  type Person,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'
import { CLOCK_STEPS } from '../../../support/sliding-window.ts'

const MINUTE = 60_000
const LOCKED_MS = 15 * MINUTE

let app: TestApp
let anna: Person

beforeEach(async () => {
  ;({ app, anna } = await signInWorld([{ store: 'one', role: 'owner' }]))
})
afterEach(() => app.close())

const metBar = (measured: string) =>
  recordBar({ bar: 32, part: 'steps', on: 'process', n: 1, measured, isMet: true })

describe.each(CLOCK_STEPS)('a clock that is set by %d ms', (step) => {
  test('blocks no sign-in, and the token works at once', async () => {
    const earlier = await getToken(app, anna)
    app.clock.advance(step)
    const token = await getToken(app, anna)
    expect((await app.call('GET', '/v1/me', { token })).status).toBe(200)
    // Set back, a token of before is none of the future: it goes on.
    if (step < 0) expect((await app.call('GET', '/v1/me', { token: earlier })).status).toBe(200)
    const refreshed = await app.call('POST', '/oauth/refresh', { token, headers: from(freshAddress()) })
    expect(refreshed.status).toBe(200)
    metBar('tokens: a new one works at once, and is refreshed')
  })

  test('adds nothing to the length of the lock', async () => {
    for (let n = 0; n < 5; n++) {
      await sendSignIn(app, anna.email, { password: 'another password' }, from(freshAddress()))
    }
    app.clock.advance(step)
    const answer = await sendSignIn(app, anna.email, {}, from(freshAddress()))
    if (answer.status === 429) {
      expect(Number(answer.headers.get('retry-after')) * 1_000).toBeLessThanOrEqual(LOCKED_MS)
    }
    app.clock.advance(LOCKED_MS)
    expect((await sendSignIn(app, anna.email, {}, from(freshAddress()))).status).toBe(200)
    metBar('failed sign-ins: locked out for 15 minutes at most')
  })

  test('lets a link for a new password be asked for and used', async () => {
    const ask = () =>
      app.call('POST', '/oauth/password/forgot', {
        body: { email: anna.email },
        headers: from(freshAddress()),
      })
    await ask()
    app.clock.advance(step)
    app.clock.advance(60 * MINUTE)
    app.mails.length = 0
    await ask()
    await app.settle()
    const [, token] = /token=([\w-]+)/.exec(app.mails.at(-1)?.text ?? '') ?? []
    expect(token).toBeDefined()
    const body = new URLSearchParams({ token: String(token), password: 'quite another password' })
    const { status } = await app.call('POST', '/oauth/password/reset', {
      body,
      headers: from(freshAddress()),
    })
    expect(status).toBe(200)
    metBar('links for a new password: sent and taken after the step')
  })
})
