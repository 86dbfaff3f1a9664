import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { HOUR_MS, type HookedApp, hookedApp } from './hooks.ts'

let app: HookedApp

beforeEach(async () => {
  app = await hookedApp()
})
afterEach(() => app.close())

const JOB = '01900000-0000-7000-8000-00000000abcd'
const callback = {
  jobId: JOB,
  url: 'https://shop.test/done',
  event: 'job.completed',
  data: { total: 3 },
} as const
const rotate = (body?: object) =>
  app.ask<{ secret: string; previous_valid_until: string | null }>(
    ...(['POST', '/v1/store/callback-secret/rotate', body] as const),
  )
const hmac = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

describe('the callback of a job (contract 9.7)', () => {
  test('is the envelope with the id of the job, signed with the secret of the store', async () => {
    const { secret, previous_valid_until } = await rotate()
    expect(previous_valid_until).toBe(null)
    const { webhooks } = app.services
    expect(webhooks.findCallback(app.storeId, JOB)).toBe(undefined)
    webhooks.sendCallback(app.storeId, callback)
    expect(webhooks.findCallback(app.storeId, JOB)).toEqual({
      state: 'pending',
      attempts: 0,
      last_status: null,
    })
    await app.deliver()
    const [post] = app.posts
    expect(post?.url).toBe('https://shop.test/done')
    expect(JSON.parse(post?.body ?? '')).toEqual({
      ...{
        event: 'job.completed',
        timestamp: '2030-01-01T00:00:00.000Z',
        webhook_id: JOB,
        data: { total: 3 },
      },
    })
    expect(post?.headers['X-Webhook-Signature']).toBe(hmac(secret, post?.body ?? ''))
    expect(webhooks.findCallback(app.storeId, JOB)).toEqual({
      state: 'delivered',
      attempts: 1,
      last_status: 200,
    })
  })

  test('is repeated like a webhook, and ends with the transaction that fails', async () => {
    const { webhooks } = app.services
    app.receiver.answer = () => ({ status: 500 })
    webhooks.sendCallback(app.storeId, callback)
    const failing = app.db.transaction(() => {
      webhooks.sendCallback(app.storeId, { ...callback, jobId: 'undone' })
      throw new Error('undone')
    })
    expect(failing).toThrow('undone')
    await app.deliver()
    for (let n = 0; n < 8; n++) await app.pass(12 * HOUR_MS)
    expect(app.posts).toHaveLength(8)
    expect(webhooks.findCallback(app.storeId, JOB)).toEqual({
      state: 'failed',
      attempts: 8,
      last_status: 500,
    })
    expect(webhooks.findCallback(app.storeId, 'undone')).toBe(undefined)
  })

  test('makes the secret on first need; rotation shows the next one, and the first signs on for a while', async () => {
    const { webhooks } = app.services
    expect(webhooks.readCallbackSecretHint(app.storeId)).toBe(null)
    webhooks.sendCallback(app.storeId, callback)
    expect(webhooks.readCallbackSecretHint(app.storeId)).toMatch(/^….{4}$/)
    const { secret, previous_valid_until } = await rotate({ grace_seconds: 60 })
    expect(previous_valid_until).toBe('2030-01-01T00:01:00.000Z')
    expect(webhooks.readCallbackSecretHint(app.storeId)).toBe(`…${secret.slice(-4)}`)
    await app.deliver()
    expect(app.posts[0]?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    expect(app.posts[0]?.headers['X-Webhook-Signature-Next']).toBe(hmac(secret, app.posts[0]?.body ?? ''))
    expect(app.posts[0]?.headers['X-Webhook-Signature']).not.toBe(hmac(secret, app.posts[0]?.body ?? ''))
  })

  test('is known to its own store only', async () => {
    const { webhooks } = app.services
    webhooks.sendCallback(app.storeId, callback)
    await app.store('two')
    const other = app.stores.requireBySlug('two').id
    expect(webhooks.findCallback(other, JOB)).toBe(undefined)
  })

  test('a URL that is not allowed is refused before', () => {
    expect(() => app.services.webhooks.checkCallbackUrl('http://shop.test/done')).toThrow(
      'Only https is allowed',
    )
    app.services.webhooks.checkCallbackUrl('https://shop.test/done')
  })

  test.each([-1, 700_000, 'x'])('422 for a grace of %p', async (grace_seconds) => {
    const { status } = await app.send('POST', '/v1/store/callback-secret/rotate', { grace_seconds })
    expect(status).toBe(422)
  })
})

describe('events that are no changes', () => {
  test('go to the webhooks that ask for them, and not into the feed', async () => {
    await app.hook({ events: ['job.failed'] })
    app.services.webhooks.publish(app.storeId, 'job.failed', { job_id: JOB })
    app.services.webhooks.publish(app.storeId, 'job.completed', { job_id: JOB })
    await app.deliver()
    expect(app.posts.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'job.failed', data: { job_id: JOB } },
    ])
    expect(await app.ask('GET', '/v1/changes')).toMatchObject({ count: 0 })
  })
})
