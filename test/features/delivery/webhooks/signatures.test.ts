import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import {
  isWellFormed,
  makeSecret,
  signMessage,
  toStandardSecret,
} from '../../../../src/features/delivery/webhooks/signatures.ts'
import type { Post } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'
import { DAY_MS, HOUR_MS, type HookedApp, hookedApp, SECRET } from './hooks.ts'

const plainHmac = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', Buffer.from(secret, 'utf8')).update(Buffer.from(body, 'utf8')).digest('hex')}`

/** Checks with the official library, whose clock is today's; so the message is signed for today. */
const verify = (standardSecret: string, body: string, headers: Record<string, string>): unknown =>
  new Webhook(standardSecret).verify(body, headers)

const secrets = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 16, maxLength: 40 }).filter((secret) => isWellFormed(secret)),
  fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((bytes) => makeSecret(Buffer.from(bytes).toString('base64url'))),
)

describe('the signatures of a message (contract 9.4)', () => {
  test('verify with the official library and by plain HMAC, for 10,000 random payloads', () => {
    const seconds = Math.floor(Date.now() / 1000)
    let checked = 0
    fc.assert(
      fc.property(
        ...([secrets, fc.uuid(), fc.jsonValue({ stringUnit: 'binary' })] as const),
        (secret, id, payload) => {
          const body = JSON.stringify(payload).toWellFormed()
          const signed = signMessage({ id, seconds, body }, [secret])
          expect(signed['X-Webhook-Signature']).toBe(plainHmac(secret, body))
          const headers = { ...signed, 'webhook-id': id, 'webhook-timestamp': String(seconds) }
          expect(verify(toStandardSecret(secret), body, headers)).toEqual(JSON.parse(body))
          checked++
        },
      ),
      { numRuns: 10_000 },
    )
    expect(checked).toBeGreaterThanOrEqual(10_000)
  })

  test('does not verify with another secret, id, time or body', () => {
    const seconds = Math.floor(Date.now() / 1000)
    const signed = signMessage({ id: 'a', seconds, body: '{}' }, [SECRET])
    const headers = { ...signed, 'webhook-id': 'a', 'webhook-timestamp': String(seconds) }
    const secret = toStandardSecret(SECRET)
    expect(() => verify(toStandardSecret('another secret of 16'), '{}', headers)).toThrow()
    expect(() => verify(secret, '{ }', headers)).toThrow()
    expect(() => verify(secret, '{}', { ...headers, 'webhook-id': 'b' })).toThrow()
    expect(() => verify(secret, '{}', { ...headers, 'webhook-timestamp': `${seconds - 1}` })).toThrow()
  })
})

describe('the rotation of a secret', () => {
  let app: HookedApp
  beforeEach(async () => {
    app = await hookedApp()
  })
  afterEach(() => app.close())

  const lastPost = () => app.posts.at(-1) as Post
  /** Whether a post verifies by each scheme with a secret. */
  const fits = ({ headers, body }: Post, secret: string) => {
    const standard = signMessage(
      { id: headers['webhook-id'] as string, seconds: Number(headers['webhook-timestamp']), body },
      [secret],
    )['webhook-signature'] as string
    return {
      current: headers['X-Webhook-Signature'] === plainHmac(secret, body),
      next: headers['X-Webhook-Signature-Next'] === plainHmac(secret, body),
      previous: (headers['X-Webhook-Signature-Previous'] ?? '').split(',').includes(plainHmac(secret, body)),
      standard: headers['webhook-signature']?.split(' ').includes(standard),
    }
  }
  const NEITHER = { current: false, next: false, previous: false, standard: false }
  const rotate = (id: string, body?: object) =>
    app.ask<{ secret: string; secret_hint: string; previous_valid_until: string | null }>(
      ...(['POST', `/v1/search/webhooks/${id}/rotate-secret`, body] as const),
    )

  test('both secrets sign until the grace has passed', async () => {
    const { id } = await app.hook()
    const { secret, secret_hint, previous_valid_until } = await rotate(id)
    expect([secret_hint, previous_valid_until]).toEqual([`…${secret.slice(-4)}`, '2030-01-02T00:00:00.000Z'])
    expect(await app.ask('GET', `/v1/search/webhooks/${id}`)).toMatchObject({ secret_hint })
    await app.index('a')
    await app.deliver()
    expect(fits(lastPost(), secret)).toEqual({ ...NEITHER, next: true, standard: true })
    expect(fits(lastPost(), SECRET)).toEqual({ ...NEITHER, current: true, standard: true })
    expect(lastPost().headers).not.toContainKey('X-Webhook-Signature-Previous')
    app.clock.advance(DAY_MS)
    await app.index('b')
    await app.deliver()
    expect(fits(lastPost(), secret)).toEqual({ ...NEITHER, current: true, standard: true })
    expect(fits(lastPost(), SECRET)).toEqual(NEITHER)
    expect(lastPost().headers).not.toContainKey('X-Webhook-Signature-Next')
  })

  test('without grace the old secret ends at once', async () => {
    const { id } = await app.hook()
    const { secret } = await rotate(id, { grace_seconds: 0 })
    await app.index('a')
    await app.deliver()
    expect(fits(lastPost(), secret)).toEqual({ ...NEITHER, current: true, standard: true })
    expect(fits(lastPost(), SECRET)).toEqual(NEITHER)
  })

  test('of several at once each new secret signs, and so does the first', async () => {
    const { id } = await app.hook()
    const made = await Promise.all([rotate(id), rotate(id), rotate(id)])
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(3)
    await app.index('a')
    await app.deliver()
    for (const secret of [SECRET, ...made.map((rotated) => rotated.secret)])
      expect(fits(lastPost(), secret).standard).toBe(true)
    // Each signs a header of its own.
    const headers = [SECRET, ...made.map((rotated) => rotated.secret)].map((secret) => {
      const { current, next, previous } = fits(lastPost(), secret)
      return [current, next, previous]
    })
    expect(headers.filter(([current]) => current)).toHaveLength(1)
    expect(headers.filter(([, next]) => next)).toHaveLength(1)
    expect(headers.filter(([, , previous]) => previous)).toHaveLength(2)
  })

  test('keeps five secrets at most', async () => {
    const { id } = await app.hook()
    for (let n = 0; n < 9; n++) await rotate(id, { grace_seconds: 604_800 })
    await app.index('a')
    await app.deliver()
    expect(lastPost().headers['webhook-signature']?.split(' ')).toHaveLength(5)
    expect(countRows(app, 'signing_secrets')).toBe(5)
  })

  test.each([-1, 604_801, '1'])('422 for a grace of %p', async (grace_seconds) => {
    const { id } = await app.hook()
    const path = `/v1/search/webhooks/${id}/rotate-secret`
    expect((await app.send('POST', path, { grace_seconds })).status).toBe(422)
  })

  test('a delivery that is repeated after a rotation is signed anew, with the same id', async () => {
    app.receiver.answer = () => ({ status: 500 })
    const { id } = await app.hook()
    await app.index('a')
    await app.deliver()
    const { secret } = await rotate(id, { grace_seconds: 0 })
    await app.pass(HOUR_MS)
    const [first, second] = app.posts as [Post, Post]
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'] as string)
    expect(second.body).toBe(first.body)
    expect([fits(first, SECRET).standard, fits(second, secret).standard]).toEqual([true, true])
  })
})
