import { afterAll, beforeAll } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import { KEY, type Service, startService } from './service.ts'

export interface Look {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  hasTouch?: boolean
  locale?: string
}

/** One page of the shop. */
export interface ShopPage {
  /** Attributes of the tag, besides `src`. */
  data?: Record<string, string>
  head?: string
  body?: string
  lang?: string
  /** In place of the tag at the end of the body. */
  tag?: string
  policy?: string
}

/** The policy of a strict shop: everything that the guide asks to add, and nothing else. */
export const strictPolicy = (service: string) =>
  `default-src 'none'; script-src ${service}; connect-src ${service}; img-src 'self' ${service}; style-src 'self'; ` +
  `base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`

const quote = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

export const tagOf = (service: string, data: Record<string, string> = { 'data-key': KEY }) =>
  `<script src="${service}/widget.js" ${Object.entries(data)
    .map(([name, value]) => `${name}="${quote(value)}"`)
    .join(' ')} async></script>`

const STYLE = `body{font:16px/1.5 Georgia,serif;margin:0;padding:16px;background:#fbfaf7;color:#222}
h1{font-size:26px;margin:0 0 12px}header{display:flex;gap:12px;align-items:center;flex-wrap:wrap;min-height:48px}
.list{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:16px;margin-top:20px}
.list img{width:100%;display:block}input{font:inherit;padding:10px;width:240px;max-width:100%;box-sizing:border-box}
@media(prefers-color-scheme:dark){body{background:#111;color:#eee}}`

/** A shop on an origin of its own, the stand-in for the service, and a browser. */
async function startShop() {
  let current: ShopPage = {}
  const service: Service = startService(() => [origin])
  const shop = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/style.css') return new Response(STYLE, { headers: { 'content-type': 'text/css' } })
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      const { data, head = '', body = '', lang = 'en', tag, policy = strictPolicy(service.address) } = current
      const html = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>
<link rel="stylesheet" href="/style.css">${head}</head>
<body><h1>Harbour &amp; Sons</h1><main>${body}${tag ?? tagOf(service.address, { 'data-key': KEY, ...data })}</main></body></html>`
      return new Response(html, {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
      })
    },
  })
  const origin = `http://127.0.0.1:${shop.port}`
  const browser = await launchChromium()

  /** Opens a page of the shop in a fresh profile. */
  async function visit<Result>(
    shown: ShopPage,
    look: Look,
    act: (page: Page, context: BrowserContext) => Promise<Result>,
    from: { path?: string; host?: string } = {},
  ): Promise<{ result: Result; console: string[]; violations: string[] }> {
    current = shown
    service.reset()
    const { width = 1280, height = 900, ...rest } = look
    const context = await browser.newContext({
      viewport: { width, height },
      permissions: ['clipboard-read', 'clipboard-write'],
      ...rest,
    })
    try {
      const page = await context.newPage()
      page.setDefaultTimeout(10_000)
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(String(error)))
      await page.addInitScript(`window.violations = [];
        document.addEventListener('securitypolicyviolation', (e) => violations.push(e.effectiveDirective + ' ' + e.blockedURI))
        window.heard = [];
        for (const name of ['open', 'results', 'select', 'error'])
          document.addEventListener('service:' + name, (e) => heard.push([name, e.detail]))`)
      await page.goto((from.host ? origin.replace('127.0.0.1', from.host) : origin) + (from.path ?? '/'))
      const result = await act(page, context)
      const violations = page.isClosed() ? [] : await page.evaluate<string[]>('window.violations ?? []')
      return { result, console: said, violations }
    } finally {
      await context.close()
    }
  }

  return {
    origin,
    service,
    visit,
    async stop() {
      await browser.close()
      await service.stop()
      await shop.stop(true)
    },
  }
}

type Shop = Awaited<ReturnType<typeof startShop>>

/** Gives the tests of a file one shop, which runs from the first test to the last; each visit opens a page of its own. */
export function openWidgetPage(): Omit<Shop, 'stop'> {
  let shop: Shop
  beforeAll(async () => {
    shop = await startShop()
  }, 60_000)
  afterAll(() => shop.stop(), 30_000)
  return {
    get origin() {
      return shop.origin
    },
    get service() {
      return shop.service
    },
    get visit() {
      return shop.visit
    },
  }
}

/** The button that opens the dialog. */
export const opener = (page: Page) => page.getByRole('button', { name: 'Search by picture' })
export const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Find it by picture' })
export const statusOf = (page: Page) => page.locator('[part=status]')
export const headlineOf = (page: Page) => page.locator('[part=headline]')
export const cardsOf = (page: Page) => page.locator('[part=card]')

/** Opens the dialog by the button. */
export async function open(page: Page): Promise<void> {
  await opener(page).click()
  await dialogOf(page).waitFor()
}

/** Chooses a picture in the open dialog. */
export const choose = (page: Page, buffer: Uint8Array, name = 'IMG_0001.jpg', mimeType = 'image/jpeg') =>
  page.locator('input[data-way=choose]').setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) })

/** Waits for what screen readers are told. */
export const said = (page: Page, text: string) =>
  statusOf(page).filter({ hasText: text }).waitFor({ state: 'attached' })

export async function searchWords(page: Page, words: string): Promise<void> {
  await page.getByRole('searchbox').fill(words)
  await page.getByRole('searchbox').press('Enter')
}

/** Waits until the page has heard of so many answers. */
export const heardResults = (page: Page, count: number) =>
  page.evaluate(`new Promise((done) => {
    const look = () => heard.filter(([name]) => name === 'results').length >= ${count} && done()
    document.addEventListener('service:results', look)
    look()
  })`)

/** Calls that the page itself makes. */
export const run = <Result = unknown>(page: Page, code: string) => page.evaluate<Result>(code)

/** Gives a file to the page as a browser does that drops or pastes it. */
export const transfer = (type: 'drop' | 'paste', bytes: Buffer) => `(() => {
  const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (one) => one.charCodeAt(0))
  const data = new DataTransfer()
  data.items.add(new File([bytes], 'a.jpg', { type: 'image/jpeg' }))
  const make = (name) => name === 'paste'
    ? new ClipboardEvent(name, { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true })
  if ('${type}' === 'paste') return document.activeElement.dispatchEvent(make('paste'))
  document.body.dispatchEvent(make('dragenter'))
  const isShown = document.querySelector('[data-service-widget]')?.shadowRoot.querySelector('[part=drop]')?.checkVisibility()
  document.body.dispatchEvent(make('dragover'))
  return [isShown, document.body.dispatchEvent(make('drop'))]
})()`

/** Waits until the service has answered once more, and so has seen everything that the page sent before. */
export const fence = (page: Page, service: string) =>
  page.evaluate(`fetch('${service}/product/1.svg', { mode: 'no-cors' })`)
