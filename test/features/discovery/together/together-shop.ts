import { type TestApp, testApp } from '../../../support/app.ts'

export interface Row {
  basis: string
  search_id: string
  count: number
  total_candidates: number
  warnings?: string[]
  results: { product_id: string; similarity_score: number }[]
}

export const idsOf = ({ results }: Row): string[] => results.map(({ product_id }) => product_id)

const CHORE = 'counting what shoppers take together'

/** Runs the night's count. */
const countTogether = async (app: TestApp): Promise<void> =>
  void (await app.chores.find(({ name }) => name === CHORE)?.run())

let orders = 0

/** A store with products of its own, and what its shoppers do. */
export async function openTogetherShop(app = testApp(), slug = 'shop', ids = PRODUCTS) {
  const token = await app.signIn(slug)
  for (const [n, product_id] of ids.entries()) {
    const body = { product_id, image_url: app.picture(product_id, n + 1), metadata: { price: 10 * (n + 1) } }
    await app.call('POST', '/v1/products', { token, body })
  }

  async function tell(events: object[]): Promise<void> {
    for (let start = 0; start < events.length; start += 1_000) {
      const body = { events: events.slice(start, start + 1_000) }
      const { status, body: answer } = await app.call('POST', '/v1/search/feedback', { token, body })
      if (status !== 201) throw new Error(JSON.stringify(answer))
    }
    // Reading the popular products writes the clicks that wait.
    await app.call('GET', '/v1/search/feedback/popular', { token })
  }

  /** Tells of orders, each of some products. */
  const order = (times: number, ...products: string[]) =>
    tell(
      Array.from({ length: times }, () => `order-${++orders}`).flatMap((order_id) =>
        products.map((result_product_id) => ({
          ...{ result_product_id, order_id, action: 'purchase', order_value: 1, currency: 'EUR' },
        })),
      ),
    )

  /** Tells of visitors who look at some products in one visit. */
  const visit = (times: number, ...products: string[]) =>
    tell(
      Array.from({ length: times }, () => `visitor-${++orders}`).flatMap((session_id) =>
        products.map((result_product_id) => ({ result_product_id, session_id, action: 'click' })),
      ),
    )

  const get = (path: string) => app.call('GET', path, { token })
  /** @throws Error for a failure. */
  async function read(path: string): Promise<Row> {
    const { status, body } = await get(path)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as unknown as Row
  }
  const together = (id: string, query = '') => read(`/v1/products/${id}/together${query}`)
  const trending = (query = '') => read(`/v1/search/trending${query}`)

  return {
    app,
    token,
    slug,
    tell,
    order,
    visit,
    get,
    read,
    together,
    trending,
    count: () => countTogether(app),
  }
}

const PRODUCTS = ['mug', 'saucer', 'spoon', 'lamp', 'bulb', 'bag']
