import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createClient,
  type LookalikeError,
  pages,
  waitForJob,
} from '../../scripts/clients/typescript/index.ts'

const ROOT = join(import.meta.dir, '../..')
/** Linters and generators that nobody here wrote: the build needs none of their packages, so they are installed here. */
const CLIENTS = join(ROOT, 'dist/clients')
const MAIN = join(ROOT, 'src/main.ts')
const PHOTO = join(ROOT, 'src/features/catalogue/demo/pictures/query-mug.webp')

/** What `five-calls.ts` offers; its types come from a file that is generated first. */
interface FiveCalls {
  makeFiveCalls(
    baseUrl: string,
    credentials: { client_id: string; client_secret: string },
    photo: Uint8Array,
  ): Promise<{ demoProducts: number; words: object[]; indexed: string; picture: object[]; refusal: string }>
}

/** No usage data, no look for updates. */
const SILENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? tmpdir(),
  CI: '1',
  DO_NOT_TRACK: '1',
  SCARF_ANALYTICS: 'false',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

const folder = mkdtempSync(join(tmpdir(), 'lookalike-clients-'))
const documentPath = join(folder, 'openapi.json')
let service: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let address: string
let credentials: { client_id: string; client_secret: string }

async function run(words: string[], env: Record<string, string> = SILENT, cwd = CLIENTS) {
  const child = Bun.spawn([process.execPath, ...words], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, output: `${stdout}${stderr}`, code }
}

const runTool = (tool: string, ...words: string[]) =>
  run(['--bun', join(CLIENTS, 'node_modules/.bin', tool), ...words])

beforeAll(async () => {
  cpSync(join(ROOT, 'test/clients'), CLIENTS, { recursive: true })
  const installed = await run(['install', '--frozen-lockfile'])
  if (installed.code !== 0) throw new Error(installed.output)
  const env = { PATH: SILENT.PATH, DATA_DIR: folder, LOG_LEVEL: 'error', OFFLINE: '1' }
  service = Bun.spawn([process.execPath, MAIN, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await service.stdout.getReader().read()
  address = /^listening on (\S+)$/m.exec(new TextDecoder().decode(value))?.[1] ?? ''
  const setup = ['setup', '--email', 'me@shop.test', '--password', 'kettle drum violin', '--store', 'Shop']
  credentials = JSON.parse((await run([MAIN, ...setup, '--json'], env, folder)).stdout)
  await Bun.write(documentPath, await (await fetch(`${address}/openapi.json`)).text())
}, 300_000)

afterAll(async () => {
  service.kill('SIGTERM')
  await service.exited
  rmSync(folder, { recursive: true, force: true })
}, 30_000)

describe('linters with their recommended rules find nothing', () => {
  test('Redocly', async () => {
    const config = ['--config', join(CLIENTS, 'redocly.yaml'), '--format', 'json']
    const { stdout, code } = await runTool('redocly', 'lint', ...config, documentPath)
    const { totals, problems } = JSON.parse(stdout)
    expect([code, problems, totals]).toEqual([0, [], { errors: 0, warnings: 0, ignored: 0 }])
  }, 300_000)

  test('Spectral', async () => {
    const rules = ['--ruleset', join(CLIENTS, 'spectral.json'), '--fail-severity', 'hint']
    const { output, code } = await runTool('spectral', 'lint', ...rules, documentPath)
    expect([code, output]).toEqual([0, expect.stringContaining('No results with a severity of')])
  }, 300_000)
})

/** Sends every JSON example of a search, and tells how much each one finds. */
async function sendSearchExamples(token: string) {
  const { paths } = (await Bun.file(documentPath).json()) as {
    paths: Record<string, { post?: { tags: string[]; requestBody: { content: Record<string, Example> } } }>
  }
  const sent = Object.entries(paths).flatMap(([path, { post }]) => {
    const isSearch = post?.tags.includes('Search') && !/^\/v1\/search\/(checks|replay)/.test(path)
    const example = isSearch && post?.requestBody.content['application/json']?.example
    return example ? [{ path, example }] : []
  })
  return Promise.all(
    sent.map(async ({ path, example }) => {
      const { status, body } = await send(token, path, example)
      return { path, status, finds: Number(body['count']) > 0 }
    }),
  )
}

const TRIES_MAX = 10

interface Example {
  example?: object
}

async function send(token: string, path: string, body?: object) {
  const post = () =>
    fetch(address + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  let response = await post()
  // A service on a busy machine asks clients to come back.
  for (let tries = 1; response.status === 503 && tries < TRIES_MAX; tries++) {
    await Bun.sleep(1_000 * Number(response.headers.get('retry-after') ?? 1))
    response = await post()
  }
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('the examples of searches find something: beside the example product in a fresh store, and in the demo catalogue', async () => {
  const grant = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
  const granted = await fetch(`${address}/oauth/token`, { method: 'POST', body: grant })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  const { paths } = await Bun.file(documentPath).json()
  const product = paths['/v1/products'].post.requestBody.content['application/json'].example
  expect((await send(token, '/v1/products', product)).status).toBe(201)
  const fresh = await sendSearchExamples(token)
  expect(fresh.length).toBe(8)
  expect(fresh.filter(({ status, finds }) => status !== 200 || !finds)).toEqual([])
  expect((await send(token, '/v1/products/demo')).status).toBe(200)
  const gone = await fetch(`${address}/v1/products/${product.product_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(gone.status).toBe(200)
  const demo = await sendSearchExamples(token)
  expect(demo.filter(({ status, finds }) => status !== 200 || !finds)).toEqual([])
}, 120_000)

describe('our own clients do the five calls of the README', () => {
  const FOUND = {
    demo: 40,
    words: 'demo-mug-red',
    indexed: 'indexed',
    picture: 'A3',
    refusal: 'not_found',
    listed: 41,
    job: 'completed',
  }
  const PROGRAMS = [
    ['Python', '/usr/bin/python3', '-c', 'import httpx', 'five_calls.py'],
    ['PHP', 'php', '-r', "require 'GuzzleHttp/autoload.php';", 'five-calls.php'],
  ] as const

  for (const [name, program, flag, needs, file] of PROGRAMS) {
    const isThere =
      Bun.which(program) !== null && Bun.spawnSync([program, flag, needs], { stderr: 'ignore' }).success
    test.skipIf(!isThere)(
      name,
      async () => {
        const { client_id, client_secret } = credentials
        const script = join(ROOT, 'test/clients', file)
        const env = { PATH: SILENT.PATH, PYTHONDONTWRITEBYTECODE: '1' }
        const child = Bun.spawn([program, script, address, client_id, client_secret, PHOTO], {
          env,
          stdout: 'pipe',
          stderr: 'pipe',
        })
        const [out, problems] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        expect(problems).toBe('')
        expect(JSON.parse(out)).toEqual(FOUND)
      },
      120_000,
    )
  }

  test('TypeScript', async () => {
    const { client_id: clientId, client_secret: clientSecret } = credentials
    const api = createClient({ url: address, clientId, clientSecret })
    const photo = new Blob([await Bun.file(PHOTO).bytes()])
    const demo = await api('POST /v1/products/demo')
    const words = await api('POST /v1/search/text', { body: { query: 'red mug', limit: 5 } })
    const metadata = { name: 'My first product', category: 'mugs', price: 14.5, shelf: 'A3' }
    const product = await api('POST /v1/products', { form: { product_id: 'sku ü', image: photo, metadata } })
    const picture = await api('POST /v1/search', { form: { image: photo, limit: 5, price_max: 50 } })
    const refused = await api('GET /v1/products/{product_id}', { path: { product_id: 'a/b' } }).catch(
      (error: LookalikeError) => error.code,
    )
    const listed = await Array.fromAsync(pages(api, 'GET /v1/products', 'products', { query: { limit: 15 } }))
    await api('DELETE /v1/products/{product_id}', { path: { product_id: 'sku ü' } })
    const image_url = `data:image/webp;base64,${Buffer.from(await photo.arrayBuffer()).toString('base64')}`
    const products = [{ product_id: 'bulk-1', image_url, metadata: { name: 'x' } }]
    const { job_id } = await api('POST /v1/products/bulk', { body: { products } })
    const found = {
      demo: demo.products.length,
      words: words.results[0]?.product_id,
      indexed: product.status,
      picture: picture.results[0]?.metadata?.['shelf'],
      refusal: refused,
      listed: listed.length,
      job: (await waitForJob(api, job_id)).status,
    }
    expect<object>(found).toEqual(FOUND)
  }, 120_000)
})

describe('a client made with openapi-typescript and openapi-fetch', () => {
  test('compiles under strict, and does the five calls of the README', async () => {
    const made = await runTool('openapi-typescript', documentPath, '-o', join(CLIENTS, 'schema.d.ts'))
    expect([made.code, made.output]).toEqual([0, expect.not.stringMatching(/warn/i)])
    expect((await runTool('tsc', '--project', CLIENTS)).output).toBe('')
    const { makeFiveCalls }: FiveCalls = await import(join(CLIENTS, 'five-calls.ts'))
    const found = await makeFiveCalls(address, credentials, await Bun.file(PHOTO).bytes())
    expect(found.demoProducts).toBe(40)
    expect(found.words[0]).toMatchObject({ product_id: 'demo-mug-red' })
    expect(found.indexed).toBe('indexed')
    expect(found.picture[0]).toMatchObject({ product_id: 'sku-1', metadata: { shelf: 'A3' } })
    expect(found.refusal).toBe('not_found')
  }, 300_000)
})
