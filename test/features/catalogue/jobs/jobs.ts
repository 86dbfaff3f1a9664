import type { TestApp } from '../../../support/app.ts'

/** Sends a bulk request. Text is sent as it is. */
export const postBulk = (app: TestApp, token: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call('POST', '/v1/products/bulk', {
    token,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

/** Starts a job that must be taken. @returns its id. */
export async function startBulk(app: TestApp, token: string, products: unknown[]): Promise<string> {
  const { status, body } = await postBulk(app, token, { products })
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return String(body['job_id'])
}

export const readJob = async (app: TestApp, token: string, id: string) =>
  (await app.call('GET', `/v1/jobs/${id}`, { token })).body

/** The numbers of a job, for comparison. */
export const countsOf = ({
  status,
  total,
  processed,
  succeeded,
  unchanged,
  failed,
  cancelled,
}: Record<string, unknown>) => ({ status, total, processed, succeeded, unchanged, failed, cancelled })

/** Waits for a job that needs no passing of time. */
export async function waitForJob(app: TestApp, storeId: string, token: string, id: string) {
  await app.jobs.waitUntilOver(storeId, id)
  return readJob(app, token, id)
}

/** Runs what repeats every second. */
export const tick = (app: TestApp) => app.jobs.wake()

/** Products with pictures of their own on the fake web. */
export const productsOf = (app: TestApp, count: number, prefix = 'sku') =>
  Array.from({ length: count }, (_, n) => ({
    product_id: `${prefix}-${n}`,
    image_url: app.picture(`${prefix}-${n}`, n % 8),
    metadata: { name: `Product ${n}` },
  }))

/** The id and the names of all products of a store. */
export async function listProducts(app: TestApp, token: string): Promise<Record<string, unknown>> {
  const { body } = await app.call('GET', '/v1/products?limit=100&sort=oldest', { token })
  const products = body['products'] as { product_id: string; metadata: { name?: string } }[]
  return Object.fromEntries(products.map(({ product_id, metadata }) => [product_id, metadata.name]))
}
