import { type Answer, type TestApp, testApp } from '../../../support/app.ts'

export const URL_ONE = 'https://hooks.test/one'
export const SECRET = 'a secret of sixteen or more'
export const PRODUCT_EVENTS = ['product.indexed', 'product.updated', 'product.deleted']

/** A program with one store, whose machine sends the requests. */
export async function hookedApp(
  ports: Parameters<typeof testApp>[0] = {},
  plan: Parameters<TestApp['signIn']>[1] = 'enterprise',
) {
  const app = testApp(ports)
  await app.store('one', plan)
  const storeId = app.stores.requireBySlug('one').id
  // Outlives every retry.
  const claims = { sub: storeId, jti: app.ids.uuid(), user_type: 'client' as const, generation: 1 }
  const token = await app.signToken(claims, (365 * DAY_MS) / SECOND_MS)

  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    app.call(method, path, { token, ...(body !== undefined && { body }) })

  /** Sends a request that must succeed. */
  async function ask<Body = Record<string, unknown>>(method: string, path: string, body?: unknown) {
    const answer = await send(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body as Body
  }

  return {
    ...app,
    token,
    storeId,
    send,
    ask,
    /** Creates a webhook. */
    hook: (more: Record<string, unknown> = {}) =>
      ask<{ id: string; secret: string; standard_secret: string }>('POST', '/v1/search/webhooks', {
        ...{ url: URL_ONE, events: PRODUCT_EVENTS, secret: SECRET },
        ...more,
      }),
    /** Indexes a product. */
    index: (product_id: string, metadata: Record<string, unknown> = {}) =>
      ask('POST', '/v1/products', { product_id, image_url: app.picture('any', 1), metadata }),
    /** Sends what is due. */
    deliver: app.services.webhooks.drain,
    /** Advances the clock, and sends what is due then. */
    async pass(ms: number) {
      app.clock.advance(ms)
      await app.services.webhooks.drain()
    },
  }
}

export type HookedApp = Awaited<ReturnType<typeof hookedApp>>

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
