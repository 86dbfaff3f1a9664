import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilIdle } from '../../scripts/bench/parts/idle.ts'
import { seedStore } from '../../scripts/bench/parts/seed.ts'
import { MODEL_DIR } from '../platform/embedder/bundled.ts'
import { recordBar } from './bars.ts'
import { type Client, createClient } from './client.ts'
import { readCpu } from './figures.ts'
import { readRepetitions } from './random.ts'
import { productForm, readMemory, type Service, startService } from './service.ts'

const FEW = 5_000
const MANY = readRepetitions('GROWTH_PRODUCTS', 20_000)
const CALLS = 200
/** The first calls of a process are slower. */
const WARM_UP = 100
const ROUNDS = 3
/** A cost may differ by so much. */
const RATIO_MAX = 1.2
/** The system counts in hundredths of a second: a difference of so little, in ms a call, is none. */
const RESOLUTION_MS = 0.07
const PICTURES = 20

const folders: string[] = []
const services: Service[] = []
afterAll(async () => {
  for (const service of services) await service.crash()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Shop {
  service: Service
  client: Client
  products: number
  startMs: number
}

async function shop(products: number): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-growth-'))
  folders.push(folder)
  const credentials = await seedStore(folder, MODEL_DIR, products)
  const begin = performance.now()
  const service = await startService({ dataDir: folder })
  services.push(service)
  const startMs = performance.now() - begin
  await untilIdle(service.pid)
  const grant = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
  const { body } = await createClient(service.address)('POST', '/oauth/token', grant)
  return { service, client: createClient(service.address, String(body['access_token'])), products, startMs }
}

let fresh = 0

/** What is measured, by the parts of the bar. */
const CALLS_OF: Record<string, (shop: Shop, n: number) => ReturnType<Client>> = {
  write: async ({ client }, n) =>
    client('POST', '/v1/products', await productForm(`new-${n % PICTURES}`, n % PICTURES, { version: n })),
  // Its picture is one that the store has, so the service looks for it, and the model has no work.
  'new product': async ({ client }, n) =>
    client('POST', '/v1/products', await productForm(`fresh-${fresh++}`, n % PICTURES)),
  page: ({ client }) => client('GET', '/v1/products?limit=20&sort=newest'),
  GET: ({ client, products }, n) => client('GET', `/v1/products/sku-${1 + ((n * 7_919) % products)}`),
  'token check': ({ client }) => client('GET', '/v1/products/none'),
}

/** Processor time of the program itself for one call, in ms; what its model takes is not counted. */
async function cost(shop: Shop, send: (shop: Shop, n: number) => ReturnType<Client>): Promise<number> {
  const before = readCpu(shop.service.pid)
  for (let n = 0; n < CALLS; n++) {
    const { status, text } = await send(shop, n)
    if (![200, 201, 404].includes(status)) throw new Error(`answered ${status}: ${text}`)
  }
  return (readCpu(shop.service.pid) - before) / CALLS
}

test.skipIf(process.platform !== 'linux')(
  `a write, a new product, a page, a GET and a token check at ${FEW} products and at ${MANY}`,
  async () => {
    const [few, many] = [await shop(FEW), await shop(MANY)]
    let measuredCalls = 0
    for (const [part, send] of Object.entries(CALLS_OF)) {
      // Rounds alternate, and the cheapest of each counts.
      for (const each of [few, many]) for (let n = 0; n < WARM_UP; n++) await send(each, n)
      const costs = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY }
      for (let round = 0; round < ROUNDS; round++) {
        costs.few = Math.min(costs.few, await cost(few, send))
        costs.many = Math.min(costs.many, await cost(many, send))
        measuredCalls += 2 * CALLS
      }
      const measured = `CPU ${costs.few.toFixed(2)} ms a call at ${FEW} products, ${costs.many.toFixed(2)} ms at ${MANY}`
      const isMet = costs.many <= costs.few * RATIO_MAX + RESOLUTION_MS
      recordBar({ bar: 37, part, on: 'program', n: MANY, measured, isMet })
    }
    const inWords = ({ service, startMs }: Shop) =>
      `${startMs.toFixed(0)} ms, ${readMemory(service.pid).now.toFixed(0)} MB`
    const measured = `until ready, memory of the program: ${inWords(few)} at ${FEW}; ${inWords(many)} at ${MANY}`
    recordBar({ bar: 37, part: 'start', on: 'program', n: MANY, measured, isMet: true })
    expect(measuredCalls).toBe(Object.keys(CALLS_OF).length * ROUNDS * 2 * CALLS)
  },
  7_200_000,
)
