/**
 * Measures the portal in Chromium on the executable: how long results take from the API's answer to the screen (by the clock: let nothing else run), and what
 * scrolling through many products costs.
 *
 *     bun scripts/bench/portal.ts [products, 10000] [factor by which the processor is slowed down, 1]
 *
 * The products are copies of the drawn ones with their vectors, so that no model runs for them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../../test/browser/chromium.ts'
import { startServing } from './parts/process.ts'

const [products = 10_000, slowdown = 1] = Bun.argv.slice(2).map(Number)
const EXECUTABLE = join(import.meta.dir, '../../dist/lookalike')
const OWNER = { email: 'owner@shop.test', password: 'correct horse battery' }
const WORDS = ['red dress', 'mug', 'umbrella', 'blue shoes', 'lamp', 'a green chair', 'bag', 'watch']

const folder = mkdtempSync(join(tmpdir(), 'lookalike-portal-'))
const env = { ...process.env, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' } as Record<string, string>

/** Runs in the page before its own scripts. */
const WATCH = `
  const seen = { cards: 0, shown: [] }
  window.seen = seen
  new MutationObserver(() => {
    seen.cards = Math.max(seen.cards, document.querySelectorAll('.list li .tile').length)
    if (!document.querySelector('.answer [aria-busy="false"] .tile')) return
    const changed = performance.now()
    // After the frame that shows it.
    requestAnimationFrame(() => setTimeout(() => seen.shown.push({ changed, painted: performance.now() })))
  }).observe(document, { childList: true, subtree: true, characterData: true, attributeFilter: ['aria-busy'] })`

/** From the last answer to a search to the end of the frame that shows it, in ms. */
const FROM_ANSWER = `(() => {
  const calls = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/search/text'))
  const answeredAt = calls.at(-1).responseEnd
  return seen.shown.find(({ changed }) => changed >= answeredAt).painted - answeredAt
})()`

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** The processor time of each task of the page, in ms: what else the machine does counts for nothing. */
function readTasks(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as {
    traceEvents: { name: string; tid: number; pid: number; tdur?: number; args?: { name?: string } }[]
  }
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000)
}

/** Searches in the playground. @returns ms from the answer to the frame that shows it, one for each search. */
async function measureSearches(page: Page): Promise<number[]> {
  const times: number[] = []
  for (const words of WORDS) {
    const answered = page.waitForResponse((response) => response.url().includes('/v1/search/text'))
    await page.getByLabel('Words', { exact: true }).fill(words)
    await page.keyboard.press('Enter')
    await answered
    await page.waitForTimeout(1_000)
    times.push(await page.evaluate<number>(FROM_ANSWER))
  }
  return times
}

/** Scrolls to the end of the list and back. */
async function scrollAll(page: Page): Promise<void> {
  await page.locator('.list .tile').first().waitFor()
  for (let still = 0; still < 20; ) {
    const before = await page.evaluate<number>('window.scrollY')
    await page.mouse.wheel(0, 1_500)
    await page.waitForTimeout(50)
    still = (await page.evaluate<number>('window.scrollY')) === before ? still + 1 : 0
  }
  while ((await page.evaluate<number>('window.scrollY')) > 0) {
    await page.mouse.wheel(0, -3_000)
    await page.waitForTimeout(30)
  }
}

/** Fills the store with copies of the drawn products. */
async function fill(
  address: string,
  call: (method: string, path: string, init?: RequestInit) => Promise<Response>,
) {
  await call('POST', '/v1/products/demo')
  const text = await (await call('GET', '/v1/products/export?vectors=true&thumbnails=true')).text()
  const lines = text.trim().split('\n')
  const file = Array.from({ length: products }, (_, n) => {
    const { is_demo, ...product } = JSON.parse(lines[n % lines.length] ?? '{}')
    return JSON.stringify({ ...product, product_id: `copy-${n}` })
  })
  const form = new FormData()
  form.set('file', new File([file.join('\n')], 'copies.ndjson'))
  const { job_id } = (await (await call('POST', '/v1/products/import', { body: form })).json()) as {
    job_id: string
  }
  for (;;) {
    const job = (await (await call('GET', `/v1/jobs/${job_id}`)).json()) as { status: string; failed: number }
    if (job.status === 'processing' || job.status === 'pending') await Bun.sleep(500)
    else {
      if (job.status !== 'completed')
        throw new Error(`The import at ${address} ended as ${JSON.stringify(job)}`)
      return
    }
  }
}

const secret = join(folder, 'password')
writeFileSync(secret, OWNER.password)
const setup = ['setup', '--email', OWNER.email, '--password-file', secret, '--store', 'Shop', '--json']
const made = JSON.parse(await new Response(Bun.spawn([EXECUTABLE, ...setup], { env }).stdout).text())
await using service = await startServing([EXECUTABLE, 'serve'], env)
const browser = await launchChromium()
try {
  const login = await fetch(`${service.address}/oauth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  })
  const { access_token } = (await login.json()) as { access_token: string }
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${access_token}`, 'x-service-active-tenant': String(made.slug) }
    const answer = await fetch(service.address + path, { ...init, method, headers })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  await fill(service.address, call)
  console.log(`${products} products are there`)

  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await page.addInitScript({ content: WATCH })
  await page.goto(`${service.address}/login#/${made.slug}/portal/playground`)
  await page.locator('input[type="email"]').fill(OWNER.email)
  await page.locator('input[type="password"]').fill(OWNER.password)
  await page.locator('button[type="submit"].primary').click()
  await page.waitForURL((url) => url.pathname.endsWith('/playground'))
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.locator('.answer .tile').first().waitFor({ timeout: 30_000 })
  const times = await measureSearches(page)
  console.log(
    `answer to screen: median ${median(times).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms (bar: 100)`,
  )

  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  await page.goto(`${service.address}/${made.slug}/portal/products`)
  await scrollAll(page)
  const cards = await page.evaluate<number>('seen.cards')
  const tasks = readTasks(await browser.stopTracing())
  const long = tasks.filter((ms) => ms > 50)
  console.log(`cards in the document while scrolling through ${products}: at most ${cards} (bar: 200)`)
  console.log(
    `tasks over 50 ms of processor: ${long.length} of ${tasks.length}, longest ${Math.max(0, ...tasks).toFixed(0)} ms, slowed ${slowdown} times`,
  )
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
