import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, SETTING_NAMES, Settings } from '../config.ts'
import { systemIds } from '../core/ids.ts'
import { OperatorError } from '../core/operator-error.ts'
import { readDemoPicture } from '../features/catalogue/demo/assets.ts'
import { DEMO_QUERIES } from '../features/catalogue/demo/catalogue.ts'
import type { SetupResult } from '../features/stores/opening/setup.ts'
import type { Command } from './cli/command.ts'
import { createStopSignal, waitForAbort } from './cli/stop-signal.ts'
import { createServiceClient } from './client/service-client.ts'
import { furnishShop } from './demo/furnish-shop.ts'
import { serveShop } from './demo/serve-shop.ts'
import { type Running, startService } from './service/runtime.ts'

const TEXT_QUERY = 'red mug'

/** Longest wait for the model to load. */
const MODEL_MS = 60_000

/** A demo decides on these itself. */
const FIXED: readonly string[] = [
  ...['DATA_DIR', 'BASE_URL', 'JWT_SECRET', 'OFFLINE'],
  ...['DOMAIN', 'HTTP_PORT', 'ACME_DIRECTORY', 'ACME_CA'],
]

/** `lookalike demo`. */
export const demo: Command = {
  name: 'demo',
  summary: 'try Lookalike in a temporary folder: demo catalogue, text search, picture search',
  options: [
    { flag: 'once', meaning: 'stop after the searches' },
    { flag: 'shop', meaning: 'also serve a small shop with the widget, to search in with a browser' },
  ],
  settings: SETTING_NAMES.filter((name) => !FIXED.includes(name)),
  essentials: ['PORT', 'HOST'],
  example: 'lookalike demo --shop',
  findProblems: ({ once, shop }) =>
    once !== undefined && shop !== undefined ? ['--shop needs a demo that goes on: leave --once out'] : [],
  async run({ config, options }) {
    const stop = createStopSignal()
    const folder = await mkdtemp(join(tmpdir(), 'lookalike-demo-'))
    try {
      const service = await startService(
        await configureDemo(config, folder, {
          hasHost: options['host'] !== undefined,
          hasPort: options['port'] !== undefined,
        }),
        stop,
      )
      if (!service) return 0
      try {
        const store = await runDemo(service, stop)
        if (store && !options['once']) {
          const shop = options['shop'] ? await openShop(service, store, stop) : undefined
          if (shop) console.log(`\nShop:     ${shop.origin}`)
          console.log(
            `${shop ? '' : '\n'}API page: ${service.address}/docs\n${formatInvitation(service, store)}`,
          )
          await waitForAbort(stop)
          await shop?.stop()
        }
      } catch (error) {
        if (!stop.aborted) throw error
      } finally {
        await service.stop()
      }
      return 0
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** The demo is offline. Unless --port is given, it takes a free port if the default one is in use. */
async function configureDemo(
  given: Config,
  folder: string,
  { hasHost, hasPort }: { hasHost: boolean; hasPort: boolean },
): Promise<Config> {
  const { HOST, PORT } = Settings.properties
  // A name would put the demo on every address.
  const config =
    given.DOMAIN === ''
      ? given
      : {
          ...given,
          HOST: hasHost ? given.HOST : HOST.default,
          PORT: hasPort ? given.PORT : PORT.default,
        }
  const isFree = hasPort || (await canListen(config.HOST, config.PORT))
  // stdout begins with the address.
  if (!isFree) console.error(`Port ${config.PORT} is in use, so the demo takes a free one.`)
  const quiet = config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL
  return {
    ...config,
    TLS_CERT: '',
    TLS_KEY: '',
    DOMAIN: '',
    DATA_DIR: folder,
    OFFLINE: true,
    BASE_URL: '',
    LOG_LEVEL: quiet,
    PORT: isFree ? config.PORT : 0,
  }
}

const canListen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, host, () => server.close(() => resolve(true)))
  })

/** @returns undefined if the demo is told to stop while the model loads. */
async function runDemo(service: Running, stop: AbortSignal): Promise<SetupResult | undefined> {
  const { app, address } = service
  const store = await app.install.setup.run({
    email: 'demo@lookalike.invalid',
    password: systemIds.secret(24),
    storeName: 'Demo shop',
  })
  console.log(`listening on ${address}`)
  await waitForModel(address, stop)
  if (stop.aborted) return undefined

  const api = connect(address, store, stop)
  const { products } = await api<{ products: string[] }>('POST', '/v1/products/demo')
  console.log(`\n${products.length} demo products are indexed.`)

  const text = await api<Found>('POST', '/v1/search/text', { query: TEXT_QUERY, limit: 5 })
  console.log(`\nSearch by words: "${TEXT_QUERY}"\n${formatTable(text)}`)

  const [query] = DEMO_QUERIES
  if (!query) throw new OperatorError('The demo contains no sample pictures')
  const form = new FormData()
  form.set(
    'image',
    new Blob([(await readDemoPicture(query.picture)) as Uint8Array<ArrayBuffer>]),
    `${query.picture}.webp`,
  )
  form.set('limit', '5')
  const pictures = await api<Found>('POST', '/v1/search', form)
  console.log(`\nSearch by picture: ${query.title} (not in the catalogue)\n${formatTable(pictures)}`)

  return store
}

/** Serves the shop on a free port, with a widget key for it. */
async function openShop(
  { app, address }: Running,
  store: SetupResult,
  stop: AbortSignal,
): Promise<ReturnType<typeof serveShop>> {
  await furnishShop(connect(address, store, stop))
  // A row of what is bought together is there when the first shopper comes.
  await app.chores.find(({ name }) => name === 'counting what shoppers take together')?.run()
  let key = ''
  const shop = serveShop({ service: address, key: () => key, port: 0 })
  key = app.install.widgetKeys.createForOperator(store.store_id, 'Demo shop', [shop.origin]).key
  return shop
}

const formatInvitation = ({ address }: Running, store: SetupResult): string => `
Try it yourself while the demo runs (all data is deleted when it stops):

  TOKEN=$(curl --fail-with-body -sS ${address}/oauth/token -d grant_type=client_credentials \\
    -d client_id=${store.client_id} -d client_secret=${store.client_secret} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')
  curl --fail-with-body -sS ${address}/v1/search/text -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"query":"wooden chair","limit":3}'`

interface Found {
  query_time_ms: number
  results: { product_id: string; similarity_score: number; metadata: Record<string, unknown> }[]
}

type Api = <Answer>(method: 'POST' | 'PUT', path: string, body?: object) => Promise<Answer>

/** Calls the API as the store does. A slow machine may be told to come again, and does. */
function connect(address: string, { client_id, client_secret }: SetupResult, stop: AbortSignal): Api {
  const issueToken = async (): Promise<string> => {
    const grant = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const response = await fetch(`${address}/oauth/token`, { method: 'POST', body: grant, signal: stop })
    if (!response.ok) throw new OperatorError(`No access token: ${await response.text()}`)
    return ((await response.json()) as { access_token: string }).access_token
  }
  const client = createServiceClient(address, issueToken, stop)
  return async <Answer>(method: 'POST' | 'PUT', path: string, body?: object) => {
    const parts =
      body instanceof FormData
        ? { body }
        : { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } }
    return (await (await client.send(method, path, parts)).json()) as Answer
  }
}

async function waitForModel(address: string, stop: AbortSignal): Promise<void> {
  const deadline = performance.now() + MODEL_MS
  while (performance.now() < deadline && !stop.aborted) {
    if ((await fetch(`${address}/health/ready`)).ok) return
    await Bun.sleep(50)
  }
  if (!stop.aborted) throw new OperatorError('The model did not load in time; LOG_LEVEL=info shows why')
}

function formatTable({ results, query_time_ms }: Found): string {
  const rows = results.map(({ product_id, similarity_score, metadata }) => [
    similarity_score.toFixed(2),
    String(metadata['name']),
    `${metadata['price']} ${metadata['currency'] ?? ''}`.trim(),
    product_id,
  ])
  const all = [['score', 'product', 'price', 'product_id'], ...rows]
  const widths = all[0]?.map((_, n) => Math.max(...all.map((row) => (row[n] ?? '').length))) ?? []
  const lines = all.map((row) =>
    `  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ')}`.trimEnd(),
  )
  return `${lines.join('\n')}\n  ${query_time_ms} ms`
}
