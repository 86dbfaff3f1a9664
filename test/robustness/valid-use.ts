import fc from 'fast-check'

/** A request of a well-behaved client. */
export interface ValidRequest {
  method: string
  path: string
  /** The sender; without it, the request has no credential. */
  as?: 'machine' | 'person' | 'key'
  headers?: Record<string, string>
  /** A plain object becomes JSON. */
  body?: Record<string, unknown> | FormData | URLSearchParams
}

/** The access to the program under test that valid use needs. */
export interface Session {
  /**
   * Sends a request and judges its answer by the published document.
   *
   * @param expected the allowed statuses besides 503, which is always allowed.
   * @throws Error for any other status, and for a faulty answer.
   */
  ask(
    request: ValidRequest,
    ...expected: number[]
  ): Promise<{ status: number; body: Record<string, unknown> }>
  clientId: string
  clientSecret: string
  /** Length of the model's vectors. */
  dimension: number
  /** A picture as bytes, and the address where the program can download it. */
  picture(seed: number): Promise<Uint8Array<ArrayBuffer>>
  pictureUrl(seed: number): string
  memory: Memory
}

/** What the client has learned so far. */
export interface Memory {
  products: Set<string>
  /** Ids of keys of both kinds. */
  keys: string[]
  widgetKeys: string[]
  imageId?: string
  cursor?: string
}

export const newMemory = (): Memory => ({ products: new Set(), keys: [], widgetKeys: [] })

/** One act of a client, with three numbers that choose its details. */
export interface Act {
  name: ActName
  n: [number, number, number]
}

type Numbers = Act['n']

const PRODUCTS = 40
const KEYS_MAX = 20
const PRODUCT_SORTS = ['newest', 'oldest', 'updated', 'name', 'price_asc', 'price_desc']
const WORDS = ['red mug', 'a', 'blue shoe with white laces', '4711', 'größe', '赤い', 'mug '.repeat(60)]
/** Allowed statuses of calls about credentials besides success, because these calls have their own budget. */
const OVER_BUDGET = 429

const pick = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item

const toProductId = (n: number): string => pick(['sku', 'größe', 'a b', '~x.y', '%2F'], n) + (n % PRODUCTS)

const metadataOf = (n: number) => ({
  name: pick(WORDS, n).trim(),
  category: pick(['Mugs', 'mugs', 'Schuhe', ''], n),
  price: n % 1_000,
  color_name: pick(['red', 'blue'], n),
  tags: ['x'.repeat(n % 50)],
  in_stock: n % 2 === 0,
  nested: { n: [n, null, { deep: true }] },
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

async function upload({ picture }: Session, seed: number, fields: Record<string, string>): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('image', new File([await picture(seed)], 'picture.png', { type: 'image/png' }))
  return form
}

/** Parameters of a search, some of them. */
function pickParameters([a, b, c]: Numbers): Record<string, unknown> {
  const all: [string, unknown][] = [
    ['limit', 1 + (b % 100)],
    ['offset', c % 20],
    ['threshold', (b % 101) / 100],
    ['category', pick(['MUGS', 'nothing'], c)],
    ['price_min', b % 900],
    ['price_max', 1_000],
    ['color', pick(['Red', 'green'], b)],
    ['cutoff', pick(['none', 'auto'], c)],
    ['category_boost', (c % 51) / 100],
    ['explain', b % 2 === 0],
    ['analytics', c % 2 === 0],
  ]
  return Object.fromEntries(all.filter((_, place) => (a >> place) % 3 === 0))
}

/** Remembers the facts in an answer about a product. */
async function written(session: Session, id: string, request: ValidRequest): Promise<void> {
  const known = session.memory.products.has(id)
  const { status } = await session.ask(request, known ? 200 : 201)
  if (status < 300) session.memory.products.add(id)
}

const search = async (session: Session, request: Omit<ValidRequest, 'method'>): Promise<void> => {
  const { body } = await session.ask({ method: 'POST', as: 'key', ...request }, 200)
  if (typeof body['image_id'] === 'string') session.memory.imageId = body['image_id']
}

const searchBy = (session: Session, numbers: Numbers, source: Record<string, unknown>): Promise<void> =>
  search(session, { path: '/v1/search/url', body: { ...pickParameters(numbers), ...source } })

const someProduct = ({ memory }: Session, n: number): string | undefined => [...memory.products][n % PRODUCTS]

/** All acts of a client, with their frequencies. */
const ACTS = {
  'index a file': [
    8,
    async (session, [a, b]) => {
      const id = toProductId(a)
      const body = await upload(session, b, { product_id: id, metadata: JSON.stringify(metadataOf(b)) })
      await written(session, id, { method: 'POST', path: '/v1/products', as: 'machine', body })
    },
  ],
  'index a data: address': [
    4,
    async (session, [a, b]) => {
      const image_url = `data:image/png;base64,${base64(await session.picture(b))}`
      const body = { product_id: toProductId(a), image_url, metadata: metadataOf(b) }
      await written(session, toProductId(a), { method: 'POST', path: '/v1/products', as: 'person', body })
    },
  ],
  'index an address with further views': [
    4,
    async (session, [a, b, c]) => {
      const further = Array.from({ length: c % 4 }, (_, n) => session.pictureUrl(b + n + 1))
      const body = {
        product_id: toProductId(a),
        image_url: session.pictureUrl(b),
        additional_image_urls: further,
        metadata: metadataOf(c),
        refresh: c % 5 === 0,
      }
      await written(session, toProductId(a), { method: 'POST', path: '/v1/products', as: 'key', body })
    },
  ],
  'index twice under one key': [
    2,
    async (session, [a, b, c]) => {
      const body = { product_id: toProductId(a), image_url: session.pictureUrl(b), metadata: metadataOf(c) }
      const headers = { 'idempotency-key': `valid-${a}-${b}-${c}` }
      const request: ValidRequest = { method: 'POST', path: '/v1/products', as: 'machine', headers, body }
      const first = await session.ask(request, 200, 201)
      if (first.status < 300) session.memory.products.add(toProductId(a))
      const second = await session.ask(request, first.status)
      const isSame = JSON.stringify(first.body) === JSON.stringify(second.body)
      if (first.status < 300 && !isSame)
        throw new Error('the second call with the key got a different answer')
    },
  ],
  'replace a product': [
    3,
    async (session, [a, b]) => {
      const path = `/v1/products/${encodeURIComponent(toProductId(a))}`
      const body = await upload(session, b, { metadata: JSON.stringify(metadataOf(b)) })
      await written(session, toProductId(a), { method: 'PUT', path, as: 'machine', body })
    },
  ],
  'change a product': [
    4,
    async (session, [a, b]) => {
      const path = `/v1/products/${encodeURIComponent(toProductId(a))}`
      const body = { metadata: { price: b % 500, tags: null, name: pick(WORDS, b) } }
      const isKnown = session.memory.products.has(toProductId(a))
      await session.ask({ method: 'PATCH', path, as: 'key', body }, isKnown ? 200 : 404)
    },
  ],
  'delete a product': [
    3,
    async (session, [a]) => {
      const path = `/v1/products/${encodeURIComponent(toProductId(a))}`
      const isKnown = session.memory.products.has(toProductId(a))
      const { status } = await session.ask({ method: 'DELETE', path, as: 'machine' }, isKnown ? 200 : 404)
      if (status === 200) session.memory.products.delete(toProductId(a))
    },
  ],
  'read a product and its picture': [
    5,
    async (session, [a]) => {
      const id = someProduct(session, a) ?? 'none'
      const path = `/v1/products/${encodeURIComponent(id)}`
      const { status, body } = await session.ask(
        { method: 'GET', path, as: 'key' },
        id === 'none' ? 404 : 200,
      )
      const address = String(body['image_url'])
      const kept = address.includes('/pictures/') ? address.slice(address.indexOf('/pictures/')) : undefined
      if (status === 200 && kept) await session.ask({ method: 'GET', path: kept }, 200)
    },
  ],
  'list products': [
    5,
    async (session, [a, b, c]) => {
      const filters = [`limit=${1 + (b % 100)}`, `sort=${pick(PRODUCT_SORTS, c)}`, 'category=Mugs', 'q=a']
      const query = filters.filter((_, place) => (a >> place) % 2 === 0).join('&')
      const { body } = await session.ask({ method: 'GET', path: `/v1/products?${query}`, as: 'machine' }, 200)
      const cursor = body['next_cursor']
      if (typeof cursor !== 'string') return
      const path = `/v1/products?${query}&cursor=${encodeURIComponent(cursor)}`
      await session.ask({ method: 'GET', path, as: 'machine' }, 200)
    },
  ],
  'search for words': [
    8,
    async (session, numbers) => {
      const body = { ...pickParameters(numbers), query: pick(WORDS, numbers[2]) }
      await search(session, { path: '/v1/search/text', body })
    },
  ],
  'search by an upload': [
    5,
    async (session, numbers) => {
      const fields = Object.entries(pickParameters(numbers)).map(([name, value]) => [name, String(value)])
      const body = await upload(session, numbers[1], Object.fromEntries(fields))
      await search(session, { path: '/v1/search', body })
    },
  ],
  'search by an address': [
    4,
    (session, numbers) => searchBy(session, numbers, { image_url: session.pictureUrl(numbers[1]) }),
  ],
  'search by base64': [
    2,
    async (session, numbers) =>
      searchBy(session, numbers, { image: base64(await session.picture(numbers[1])) }),
  ],
  'search by a product': [
    3,
    async (session, numbers) => {
      const product_id = someProduct(session, numbers[0])
      if (product_id !== undefined) await searchBy(session, numbers, { product_id })
    },
  ],
  'search by the last picture': [
    2,
    async (session, numbers) => {
      const { imageId: image_id } = session.memory
      if (image_id !== undefined) await searchBy(session, numbers, { image_id })
    },
  ],
  'search by a vector': [
    3,
    (session, numbers) => {
      const vector = Array.from({ length: session.dimension }, (_, n) => Math.sin(n * (1 + numbers[2])))
      return searchBy(session, numbers, { vector })
    },
  ],
  'install the demo and remove it': [
    0.1,
    async (session) => {
      await session.ask({ method: 'POST', path: '/v1/products/demo', as: 'machine' }, 200)
      await session.ask({ method: 'DELETE', path: '/v1/products/demo', as: 'machine' }, 200)
    },
  ],
  'get a token, refresh and revoke it': [
    0.5,
    async (session) => {
      const { clientId: client_id, clientSecret: client_secret } = session
      const grant = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
      const first = await session.ask({ method: 'POST', path: '/oauth/token', body: grant }, 200, OVER_BUDGET)
      if (first.status !== 200) return
      const headers = { authorization: `Bearer ${first.body['access_token']}` }
      const next = await session.ask({ method: 'POST', path: '/oauth/refresh', headers }, 200, OVER_BUDGET)
      const token = String((next.status === 200 ? next : first).body['access_token'])
      const body = new URLSearchParams({ token })
      await session.ask({ method: 'POST', path: '/oauth/revoke', body }, 200, OVER_BUDGET)
    },
  ],
  'make a key, use it and take it away': [
    1,
    async (session, [a, b]) => {
      const scopes = { products: ['read'], search: 'execute' }
      const body = { name: `valid ${a}`, scopes, expires_in_days: 1 + (b % 3_650) }
      await keyRound(session, '/v1/security/api-keys', session.memory.keys, body, b)
    },
  ],
  'make a widget key and take it away': [
    1,
    async (session, [a, b]) => {
      const body = { name: `valid ${a}`, origins: [`https://shop${a}.example`] }
      await keyRound(session, '/v1/security/public-keys', session.memory.widgetKeys, body, b)
    },
  ],
  'make, use and end a webhook': [
    1,
    async ({ ask }, [a, b]) => {
      const path = '/v1/search/webhooks'
      const body = { url: `https://shop${a}.invalid/hook`, events: ['product.indexed', 'product.deleted'] }
      const as = 'machine'
      // A name that nobody looks up. A program that works offline refuses every address.
      const { status, body: made } = await ask({ method: 'POST', path, as, body }, 200, 409, 422)
      if (status !== 200) return
      const own = `${path}/${made['id']}`
      await ask({ method: 'PATCH', path: own, as, body: { description: pick(WORDS, b) } }, 200, 422)
      await ask({ method: 'POST', path: `${own}/rotate-secret`, as, body: { grace_seconds: b % 60 } }, 200)
      await ask({ method: 'POST', path: `${own}/recover`, as, body: { since: '2020-01-01' } }, 200)
      await ask({ method: 'GET', path: `${own}/deliveries?limit=${1 + (b % 100)}`, as }, 200)
      await ask({ method: 'DELETE', path: own, as }, 200)
    },
  ],
  'follow the changes': [
    2,
    async ({ ask }, [a, b]) => {
      await ask(
        { method: 'GET', path: `/v1/changes?after=${a % 50}&limit=${1 + (b % 1_000)}`, as: 'key' },
        200,
        410,
      )
      await ask({ method: 'GET', path: '/v1/search/webhooks/inbox', as: 'person' }, 200, OVER_BUDGET)
    },
  ],
  'look after security': [
    2,
    async (session, [a]) => {
      const paths = ['ip-whitelist', 'audit', 'overview', '2fa/status', 'api-keys', 'public-keys']
      await session.ask(
        { method: 'GET', path: `/v1/security/${pick(paths, a)}`, as: 'person' },
        200,
        OVER_BUDGET,
      )
    },
  ],
  'list an address of one’s own': [
    0.5,
    async (session) => {
      const body = { ip_address: '127.0.0.0/8', description: 'here' }
      const request: ValidRequest = { method: 'POST', path: '/v1/security/ip-whitelist', as: 'person', body }
      // The entry may still exist, if its deletion exceeded the budget.
      const { status, body: entry } = await session.ask(request, 201, 409, OVER_BUDGET)
      const path = `/v1/security/ip-whitelist/${entry['id']}?force=true`
      // Only a person may force the deletion.
      if (status === 201) await session.ask({ method: 'DELETE', path, as: 'person' }, 200, OVER_BUDGET)
    },
  ],
  'look at oneself': [
    1,
    async (session, [a]) => {
      const path = pick(['/v1/me', '/v1/me/sessions'], a)
      await session.ask({ method: 'GET', path, as: 'person' }, 200, OVER_BUDGET)
    },
  ],
  'read what is open to all': [
    4,
    async (session, [a]) => {
      const paths = [
        '/health',
        '/health/ready',
        '/version',
        '/openapi.json',
        '/docs',
        '/errors',
        '/errors/gone',
      ]
      await session.ask({ method: 'GET', path: pick(paths, a) }, 200)
    },
  ],
} as const satisfies Record<
  string,
  readonly [weight: number, (session: Session, n: Numbers) => Promise<void>]
>

export type ActName = keyof typeof ACTS

/** Creates a key, reads and changes it, and revokes the oldest if there are many. */
async function keyRound(
  session: Session,
  path: string,
  made: string[],
  body: Record<string, unknown>,
  n: number,
): Promise<void> {
  const { status, body: key } = await session.ask(
    { method: 'POST', path, as: 'machine', body },
    201,
    OVER_BUDGET,
  )
  if (status === 201) made.push(String(key['id']))
  const id = made.length > 0 ? pick(made, n) : undefined
  if (id === undefined) return
  const name = { name: `changed ${n}` }
  await session.ask({ method: 'GET', path: `${path}/${id}`, as: 'person' }, 200, OVER_BUDGET)
  await session.ask({ method: 'PATCH', path: `${path}/${id}`, as: 'machine', body: name }, 200, OVER_BUDGET)
  if (made.length < KEYS_MAX) return
  const oldest = String(made[0])
  const gone = await session.ask(
    { method: 'DELETE', path: `${path}/${oldest}`, as: 'machine' },
    200,
    OVER_BUDGET,
  )
  if (gone.status === 200) made.shift()
}

export const act = (session: Session, { name, n }: Act): Promise<void> => ACTS[name][1](session, n)

const number = fc.nat(1_000_000)

/** Any act, with the weights above. */
export const acts: fc.Arbitrary<Act> = fc.record({
  name: fc.oneof(
    ...Object.entries(ACTS).map(([name, [weight]]) => ({
      arbitrary: fc.constant(name as ActName),
      weight: Math.round(weight * 10),
    })),
  ),
  n: fc.tuple(number, number, number),
})
