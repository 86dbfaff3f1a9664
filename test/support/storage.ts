import type { PlanName } from '../../src/core/plans.ts'
import { form, type TestApp } from './app.ts'

/** Creates a store with a token that outlives hours of waiting. */
export async function openStore(of: TestApp, plan: PlanName = 'free', name = 'one') {
  const { client_id } = await of.store(name, plan)
  // Each minute has a new budget, so the tests advance the clock by many minutes.
  return {
    storeId: client_id,
    token: await of.signToken({ sub: client_id, jti: name, user_type: 'client' }, 1_000_000),
  }
}

/** Creates a picture of this many bytes that differs from those with other seeds. */
export function sized(bytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`picture:${seed % 7} ${seed} `)
  return new Uint8Array(bytes).map((_, n) => start[n] ?? 46)
}

/** Indexes a picture, late enough that the free plan's budget of requests has room again. */
export async function putPicture(
  of: TestApp,
  token: string,
  product_id: string,
  image: Uint8Array<ArrayBuffer>,
) {
  of.clock.advance(6_001)
  return of.call('POST', '/v1/products', { token, body: form({ product_id, image }) })
}

/** Reads the counted bytes that a store keeps. */
export const keptBytes = (of: TestApp, storeId: string): number =>
  (of.db.prepare('SELECT kept_bytes AS bytes FROM stores WHERE id = ?').get(storeId) as { bytes: number })
    .bytes
