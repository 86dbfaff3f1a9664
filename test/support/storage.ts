import type { PlanName } from '../../src/core/plans.ts'
import { form, type TestApp } from './app.ts'

/** A store with a token that outlives hours of waiting. */
export async function openStore(of: TestApp, plan: PlanName = 'free', name = 'one') {
  const { client_id } = await of.store(name, plan)
  // Outlives every minute, and every minute has a new budget.
  return {
    storeId: client_id,
    token: await of.signToken({ sub: client_id, jti: name, user_type: 'client' }, 1_000_000),
  }
}

/** A picture of so many bytes, unlike any with another seed. */
export function sized(bytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`picture:${seed % 7} ${seed} `)
  return new Uint8Array(bytes).map((_, n) => start[n] ?? 46)
}

/** Indexes a picture, so much later that the budget of requests of the free plan has room again. */
export async function putPicture(
  of: TestApp,
  token: string,
  product_id: string,
  image: Uint8Array<ArrayBuffer>,
) {
  of.clock.advance(6_001)
  return of.call('POST', '/v1/products', { token, body: form({ product_id, image }) })
}

/** Bytes that a store keeps, as they are counted. */
export const keptBytes = (of: TestApp, storeId: string): number =>
  (of.db.prepare('SELECT kept_bytes AS bytes FROM stores WHERE id = ?').get(storeId) as { bytes: number })
    .bytes
