import { type Browser, type Cookie, chromium, type Page } from 'playwright-core'

/** The result of a visit, and its observations on the way. */
export interface Visit<Result> {
  result: Result
  /** Messages of the console, and uncaught errors. */
  complaints: string[]
  /** Requests that left the page's origin. */
  strangers: string[]
}

/** Widths in pixels and colour schemes: each of both; with `LOOKS=all` each with each. */
export const LOOKS = (
  [
    [360, 'dark'],
    [1280, 'light'],
    [360, 'light'],
    [1280, 'dark'],
  ] as const
).slice(0, process.env['LOOKS'] === 'all' ? 4 : 2)

/** Starts Chromium with an empty profile of its own, which playwright makes and removes. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Containers often have 64 MiB there, and a page that needs more ends in the middle of a test.
      '--disable-dev-shm-usage',
    ],
  })

/** What a page may take, on a busy machine. */
const UNTIL_MS = 15_000

/**
 * Waits until an expression holds in a page. `page.waitForFunction` does so only where it holds at the first look: for the next one
 * it compiles the expression within the page, which the policy of our pages forbids.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  const end = performance.now() + UNTIL_MS
  while (!(await page.evaluate<boolean>(expression))) {
    if (performance.now() > end) throw new Error(`Not true within ${UNTIL_MS} ms: ${expression}`)
    await page.waitForTimeout(20)
  }
}

/** One for all visits: a start costs more than most of them. It ends with the process. */
let shared: Promise<Browser> | undefined

/** Opens an address in a new context of Chromium, which has nothing of earlier visits, and does something there. */
export async function visit<Result>(
  url: string,
  look: {
    width: number
    colorScheme: 'light' | 'dark'
    javaScriptEnabled?: boolean
    /** Language of the browser. */
    locale?: string
    /** Sent with each request. */
    headers?: Record<string, string>
    /** What an earlier visit left in its browser. */
    cookies?: readonly Cookie[] | undefined
  },
  act: (page: Page) => Promise<Result>,
): Promise<Visit<Result>> {
  shared ??= launchChromium()
  const context = await (await shared).newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.colorScheme,
    javaScriptEnabled: look.javaScriptEnabled ?? true,
    ...(look.locale && { locale: look.locale }),
    ...(look.headers && { extraHTTPHeaders: look.headers }),
  })
  try {
    if (look.cookies) await context.addCookies(look.cookies)
    const page = await context.newPage()
    const complaints: string[] = []
    const strangers: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      const target = new URL(request.url())
      if (target.protocol !== 'data:' && target.origin !== new URL(url).origin) strangers.push(target.href)
    })
    await page.goto(url)
    return { result: await act(page), complaints, strangers }
  } finally {
    await context.close()
  }
}
