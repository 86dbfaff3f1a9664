import { expect } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'

export const PASSWORD = 'a long password'
export const HOUR_MS = 3_600_000
export const BODY = { client_name: 'Anna’s shop', email: 'anna@shop.test', password: PASSWORD }

/** The headers that a browser sends when a person follows a link. */
export const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

export const register = (on: TestApp, body: object = {}) =>
  on.call('POST', '/register', { body: { ...BODY, ...body } })

export const registerFrom = (address: string, body: object, on: TestApp) =>
  on.call('POST', '/register', { body: { ...BODY, ...body }, headers: { 'x-forwarded-for': address } })

/** What a program does with a link. */
export const verify = (on: TestApp, token: string, headers: Record<string, string> = {}) =>
  on.call('GET', `/verify?token=${encodeURIComponent(token)}`, { headers })

/** What the page of a link does. */
export const confirm = (
  on: TestApp,
  token: unknown,
  password: unknown = PASSWORD,
  headers: Record<string, string> = {},
) => on.call('POST', '/verify', { body: { token, password }, headers })

/** The token of the last mail's link. */
export const mailedToken = (on: TestApp): string =>
  /\/verify#token=([\w-]+)\n/.exec(on.mails.at(-1)?.text ?? '')?.[1] ?? 'no link was mailed'

/** Registers a person. @returns the token of the mailed link. */
export async function registered(on: TestApp, body: object = {}): Promise<string> {
  const answer = await register(on, body)
  expect(answer.status).toBe(202)
  return mailedToken(on)
}

export const sendSignIn = (on: TestApp, password = PASSWORD, email = BODY.email) =>
  on.call('POST', '/oauth/login', { body: { email, password } })

export const rows = (on: TestApp, table: string) =>
  on.db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]

export const refusal = ({ status, body }: Answer) => [status, body['error']]

export const pointers = ({ body }: Answer) =>
  ((body['details'] as { errors: { pointer: string; code: string }[] }).errors ?? []).map(
    ({ pointer, code }) => [pointer, code],
  )

/** An app that sees several clients. */
export const behindProxy = () => testApp({}, { TRUSTED_PROXIES: '127.0.0.1' })
