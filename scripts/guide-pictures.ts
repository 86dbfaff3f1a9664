/**
 * Takes the pictures of the guide, `src/guide/pictures/*.webp`: what each option of the widget looks like in the demo shop.
 *
 *     bun scripts/guide-pictures.ts     # needs Chromium
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'

const root = join(import.meta.dir, '..')
const target = join(root, 'src/guide/pictures')
/** What one picture may take of the executable. */
const BYTES_MAX = 12 * 1024
const WIDTH = 560

interface Shot {
  name: string
  path?: string
  /** Attributes of the tag in place of those of the demo shop. */
  tag?: string
  /** Makes visible what the picture shows. */
  act(page: Page): Promise<unknown>
  height?: number
  isDark?: boolean
}

const words = async (page: Page, query: string) => {
  await page.locator('#q').fill(query)
  await page.keyboard.press('Enter')
  await page.locator('dialog [part=card]').first().waitFor()
}
const camera = (page: Page) => page.getByRole('button', { name: 'Search by picture' })
const scrollTo = async (page: Page, selector: string) => {
  await page.locator(`${selector} [part=row]`).waitFor()
  await page.locator(selector).evaluate((element) => element.scrollIntoView())
}

const SHOTS: readonly Shot[] = [
  { name: 'attach', act: (page) => camera(page).waitFor(), height: 200 },
  { name: 'modal', act: (page) => camera(page).click(), height: 420 },
  {
    name: 'inline',
    tag: 'data-mode="inline" data-target="main"',
    act: async (page) => {
      await camera(page).click()
      await page.locator('main > :not([data-service-widget])').evaluateAll((all) => {
        for (const one of all) one.remove()
      })
    },
    height: 480,
  },
  {
    name: 'similar',
    act: async (page) => {
      await page.locator('.service-similar').first().waitFor()
      await page.locator('#products').evaluate((list) => list.scrollIntoView())
    },
    height: 280,
  },
  {
    name: 'search',
    act: async (page) => {
      await page.locator('#q').pressSequentially('mu')
      await page.getByRole('option').first().waitFor()
    },
    height: 330,
  },
  {
    name: 'facets',
    act: async (page) => {
      await words(page, 'mug')
      await page.locator('dialog summary.tool').click()
    },
    height: 460,
  },
  {
    name: 'similar-to',
    path: '/p/demo-mug-red',
    act: (page) => scrollTo(page, '[data-similar-to]'),
    height: 290,
  },
  {
    name: 'together',
    path: '/p/demo-mug-red',
    act: (page) => scrollTo(page, '[data-together]'),
    height: 330,
  },
  { name: 'dark', act: (page) => words(page, 'black t-shirt'), height: 440, isDark: true },
]

async function shoot(
  browser: Browser,
  shop: string,
  { name, path = '/', tag, act, height = 400, isDark }: Shot,
) {
  const context = await browser.newContext({
    viewport: { width: WIDTH, height },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(8_000)
  if (tag) {
    const html = await (await fetch(shop + path)).text()
    const body = html.replace(/data-search=\S+\s+data-similar="[^"]*"/, tag)
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    await page.route(shop + path, (route) => route.fulfill({ headers, body }))
  }
  await page.goto(shop + path)
  await act(page)
  await page.waitForLoadState('networkidle')
  const png = await page.screenshot()
  await context.close()
  for (const quality of [70, 60, 50, 40, 30, 20]) {
    const webp = await sharp(png).webp({ quality, effort: 6 }).toBuffer()
    if (webp.length > BYTES_MAX) continue
    await Bun.write(join(target, `widget-${name}.webp`), webp)
    console.log(`widget-${name}.webp: ${webp.length} bytes, quality ${quality}`)
    return
  }
  throw new Error(`${name} does not fit into ${BYTES_MAX} bytes`)
}

const demo = Bun.spawn([process.execPath, join(root, 'src/main.ts'), 'demo', '--shop', '--port', '0'], {
  stdout: 'pipe',
  stderr: 'inherit',
})
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    // A page that this script answers is of no known network, and could not load the widget.
    '--disable-features=LocalNetworkAccessChecks',
  ],
})
try {
  let said = ''
  let shop: string | undefined
  for await (const chunk of demo.stdout) {
    said += new TextDecoder().decode(chunk)
    shop = /^Shop: +(\S+)$/m.exec(said)?.[1]
    if (shop) break
  }
  if (!shop) throw new Error(`The demo has no shop:\n${said}`)
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const shot of SHOTS) await shoot(browser, shop, shot)
} finally {
  await browser.close()
  demo.kill('SIGTERM')
}
