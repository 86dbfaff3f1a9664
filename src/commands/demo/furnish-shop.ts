/** Baskets that shoppers of the demo have bought, each some times. */
const BASKETS = [
  ['mug-red', 'vase-blue', 'clock-wooden', 'cushion-yellow'],
  ['mug-black', 'lamp-black', 'clock-black'],
  ['chair-wooden', 'cushion-blue-striped', 'lamp-yellow'],
  ['dress-green', 'handbag-brown', 'sunglasses-black', 'watch-brown'],
]
const TIMES = 6

/** Gives the store of the demo what a shop has after some weeks: orders, and words that lead to a page of the shop. */
export async function furnishShop(
  send: (method: 'POST' | 'PUT', path: string, body: object) => Promise<unknown>,
): Promise<void> {
  const events = BASKETS.flatMap((basket, n) =>
    Array.from({ length: TIMES }, (_, time) =>
      basket.map((name) => ({
        ...{ action: 'purchase', result_product_id: `demo-${name}`, order_id: `demo-${n}-${time}` },
        ...{ order_value: 20, currency: 'EUR' },
      })),
    ).flat(),
  )
  await send('POST', '/v1/search/feedback', { events })
  await send('PUT', '/v1/store/words', { redirects: [{ words: 'returns', url: '/returns' }] })
}
