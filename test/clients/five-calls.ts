/** The five calls of the README, by a generated client. `clients.test.ts` of test/slow compiles it and runs it. */
import createClient, { type BodySerializer } from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Hit = components['schemas']['Hit']
type ProductMetadata = components['schemas']['ProductMetadata']
type ApiError = components['schemas']['Error']

/** What the five calls gave. */
export interface Found {
  demoProducts: number
  words: Hit[]
  indexed: string
  picture: Hit[]
  refusal: string
}

const urlencoded: BodySerializer<object> = (body) => new URLSearchParams(Object.entries(body ?? {}))

/** Objects are sent as JSON text, files as they are. */
const form: BodySerializer<object> = (body) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(body ?? {})) {
    if (value instanceof Blob) data.set(name, value)
    else data.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return data
}

/** A file of a form is a string in OpenAPI and a Blob in JavaScript. */
const file = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]) as unknown as string

function orThrow<Data>({ data, error }: { data?: Data; error?: ApiError }): Data {
  if (data === undefined) throw new Error(`${error?.error}: ${error?.message}`)
  return data
}

export async function makeFiveCalls(
  baseUrl: string,
  credentials: { client_id: string; client_secret: string },
  photo: Uint8Array<ArrayBuffer>,
): Promise<Found> {
  const api = createClient<paths>({ baseUrl })
  const { access_token } = orThrow(
    await api.POST('/oauth/token', {
      body: { grant_type: 'client_credentials', ...credentials },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      bodySerializer: urlencoded,
    }),
  )
  api.use({
    onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${access_token}`)
    },
  })
  const demo = orThrow(await api.POST('/v1/products/demo'))
  const words = orThrow(await api.POST('/v1/search/text', { body: { query: 'red mug', limit: 5 } }))
  const metadata: ProductMetadata = { name: 'My first product', category: 'mugs', price: 14.5, shelf: 'A3' }
  const product = orThrow(
    await api.POST('/v1/products', {
      body: { product_id: 'sku-1', image: file(photo), metadata },
      bodySerializer: form,
    }),
  )
  const picture = orThrow(
    await api.POST('/v1/search', {
      body: { image: file(photo), limit: 5, price_max: 50, explain: true },
      bodySerializer: form,
    }),
  )
  const refused = await api.GET('/v1/products/{product_id}', { params: { path: { product_id: 'none' } } })
  return {
    demoProducts: demo.products.length,
    words: words.results,
    indexed: product.status,
    picture: picture.results,
    refusal: refused.error?.error ?? 'none',
  }
}
