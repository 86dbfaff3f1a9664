import { afterAll, beforeAll, expect, test } from 'bun:test'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { recordBar } from './bars.ts'
import { type Client, createClient, pictureForm } from './client.ts'
import { readRepetitions, seededRandom } from './random.ts'
import { type Install, newInstall, productForm, type Service, smallPicture, startService } from './service.ts'

const REQUESTS = readRepetitions('ISOLATION_PROGRAM_REQUESTS', 600)
const SEED = readRepetitions('ISOLATION_SEED', 51)
const CLIENTS = 4
const PRODUCTS = 16
const OWN = 'zanzibar'
const FOREIGN = 'timbuktu'

let install: Install
let service: Service
let own: Client
const log: string[] = []
/** What names something of the other store: ids and addresses that were told to it alone. */
const foreign = { imageIds: [] as string[], addresses: [] as string[] }
const random = seededRandom(SEED)

/** Products of a store, with the very same pictures as the other's. */
async function fill(client: Client, word: string): Promise<void> {
  for (let n = 0; n < PRODUCTS; n++) {
    const form = await productForm(`${word}-${n}`, n, { name: `${word} ${n}`, category: 'mugs', price: n })
    expect((await client('POST', '/v1/products', form)).status).toBe(201)
  }
}

async function getToken(clientId: string, clientSecret: string): Promise<string> {
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { body } = await createClient(service.address)('POST', '/oauth/token', new URLSearchParams(grant))
  return String(body['access_token'])
}

beforeAll(async () => {
  install = await newInstall()
  const second = { email: 'other@shop.test', password: 'a long password', storeName: 'Other' }
  const other = await withInstall(loadConfig({}, { 'data-dir': install.dataDir }), ({ setup }) =>
    setup.run(second),
  )
  service = await startService(install, {
    settings: { LOG_LEVEL: 'trace' },
    onLog: (line) => void log.push(line),
  })
  own = createClient(service.address, await getToken(install.account.clientId, install.account.clientSecret))
  const theirs = createClient(service.address, await getToken(other.client_id, other.client_secret))
  await fill(own, OWN)
  await fill(theirs, FOREIGN)
  const { body } = await theirs('GET', '/v1/products?limit=100')
  foreign.addresses = (body['products'] as { image_url: string }[]).map(({ image_url }) => image_url)
  for (let n = 0; n < 4; n++) {
    const answer = await theirs('POST', '/v1/search', pictureForm(await smallPicture(n)))
    foreign.imageIds.push(String(answer.body['image_id']))
  }
}, 120_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

/** A request of the one store that has every reason to meet something of the other. */
async function request(n: number): ReturnType<Client> {
  const headers = { 'x-request-id': `plain-${n}` }
  const naming = { 'x-request-id': `naming-${n}` }
  const theirs = `${FOREIGN}-${random.below(PRODUCTS)}`
  const limit = { limit: 1 + random.below(100), category_boost: 0 }
  switch (random.below(10)) {
    case 0:
      return own(
        'POST',
        '/v1/search',
        pictureForm(await smallPicture(random.below(PRODUCTS)), { limit: '100' }),
        headers,
      )
    case 1:
      return own('POST', '/v1/search/text', { query: `mug ${random.below(PRODUCTS)}`, ...limit }, headers)
    case 2:
      return own('POST', '/v1/search/text', { query: FOREIGN, ...limit, analytics: false }, naming)
    case 3:
      return own('POST', '/v1/search/url', { image_url: random.pick(foreign.addresses), ...limit }, naming)
    case 4:
      return own('POST', '/v1/search/url', { image_id: random.pick(foreign.imageIds), ...limit }, naming)
    case 5:
      return own('POST', '/v1/search/url', { product_id: theirs, ...limit }, naming)
    case 6:
      return own('GET', `/v1/products/${theirs}`, undefined, naming)
    case 7:
      return own('DELETE', `/v1/products/${theirs}`, undefined, naming)
    case 8:
      return own('GET', `/v1/products?limit=100&q=${FOREIGN}`, undefined, naming)
    default:
      return own('GET', `/v1/products?limit=${1 + random.below(100)}`, undefined, headers)
  }
}

test(`${REQUESTS} requests of one store show nothing of another with the very same pictures`, async () => {
  const leaks: string[] = []
  const begin = log.length
  let sent = 0
  let asked = 0
  let answered = 0
  const worker = async () => {
    for (let n = ++sent; n <= REQUESTS; n = ++sent) {
      const { status, body, text } = await request(n)
      asked++
      expect(status).toBeLessThan(500)
      if (status === 200) answered++
      // Both repeat words of the request.
      const shown = JSON.stringify({ ...body, warnings: undefined, interpreted: undefined })
      if (shown.includes(FOREIGN) || foreign.addresses.some((address) => shown.includes(address)))
        leaks.push(text)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, worker))
  const plain = log.slice(begin).filter((line) => line.includes('"plain-'))
  leaks.push(...plain.filter((line) => line.includes(FOREIGN)))
  const measured = `${leaks.length} answers or log lines with anything of the other store; ${answered} answered with 200, ${plain.length} lines read`
  recordBar({ bar: 24, part: 'in the program', on: 'program', n: asked, measured, isMet: leaks.length === 0 })
  expect(leaks).toEqual([])
  expect(asked).toBe(REQUESTS)
  expect(answered).toBeGreaterThan(REQUESTS / 4)
  expect(plain.length).toBeGreaterThan(REQUESTS / 10)
}, 3_600_000)
