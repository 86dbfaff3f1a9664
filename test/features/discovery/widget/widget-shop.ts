import { type Answer, form, pictureBytes, type TestApp } from '../../../support/app.ts'
import { openShop } from '../search/shop.ts'

export const ORIGIN = 'https://shop.example'

export interface WidgetBody {
  count: number
  results: { product_id: string; metadata: Record<string, unknown> }[]
  popular?: { product_id: string; metadata: Record<string, unknown> }[]
  image_id?: string
  query_categories?: { name: string }[]
  regions?: { category: string | null }[]
  query_image?: { crop: object | null }
}

let visitors = 0

/** The headers of a widget's call, from a visitor of its own. */
export const widgetHeaders = (key: string, origin: string | null = ORIGIN) => ({
  'x-service-key': key,
  ...(origin !== null && { origin }),
  'x-forwarded-for': `2001:db8:${(++visitors).toString(16)}::1`,
})

/** Makes a widget key of the store that a token belongs to. */
export async function makeKey(app: TestApp, token: string, more: object = {}) {
  const body = { name: 'widget', origins: [ORIGIN], ...more }
  const answer = await app.call('POST', '/v1/security/public-keys', { token, body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body as { id: string; key: string }
}

/** The shop of the searches' tests behind a proxy, with a widget key and a way to call with it. */
export async function openWidgetShop(plan: 'enterprise' | 'free' = 'enterprise') {
  const shop = await openShop(plan, { TRUSTED_PROXIES: '127.0.0.1/32' })
  const { app, token } = shop
  const { id, key } = await makeKey(app, token)

  const call = (use: string, body: unknown, headers: Record<string, string> = widgetHeaders(key)) =>
    app.call('POST', `/v1/widget/search/${use}`, { body, headers })

  /** @throws Error for a failure. */
  async function find(use: string, body: unknown, by = key): Promise<WidgetBody> {
    const answer = await call(use, body, widgetHeaders(by))
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body as unknown as WidgetBody
  }

  const upload = (fields: Record<string, string> = {}, ...axes: number[]) =>
    form({ image: pictureBytes(...(axes.length > 0 ? axes : [1])), ...fields })

  return { ...shop, keyId: id, key, call, find, upload }
}

export type WidgetShop = Awaited<ReturnType<typeof openWidgetShop>>

export const idsOf = (products: { product_id: string }[] = []) => products.map(({ product_id }) => product_id)

export const refusalOf = ({ status, body }: Answer) => [status, body['error']]
