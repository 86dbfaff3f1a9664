import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { visit } from './chromium.ts'
import { startExecutable } from './service.ts'

let service: Awaited<ReturnType<typeof startExecutable>>

beforeAll(async () => {
  service = await startExecutable()
}, 60_000)
afterAll(() => service.stop(), 30_000)

const LOOKS = [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const

describe.each(LOOKS)('at %d px, %s', (width, colorScheme) => {
  test('/docs: shows every tag, calls the service, leaves no trace of another origin, scrolls in one direction', async () => {
    const { result, complaints, strangers } = await visit(
      `${service.address}/docs`,
      { width, colorScheme },
      async (page) => {
        await page.locator('#operations-Operation-getHealth .opblock-summary-control').click()
        await page.getByRole('button', { name: 'Try it out' }).click()
        await page.getByRole('button', { name: 'Execute' }).click()
        await page.locator('.live-responses-table').waitFor()
        return {
          tags: await page
            .locator('.opblock-tag')
            .evaluateAll((tags) => tags.map((tag) => tag.getAttribute('data-tag'))),
          answer: await page.locator('.live-responses-table').textContent(),
          scrollWidth: await page.evaluate<number>('document.documentElement.scrollWidth'),
        }
      },
    )
    expect(result.tags).toEqual([
      ...[
        'Authentication',
        'Account',
        'Security',
        'Products',
        'Feeds',
        'Jobs',
        'Search',
        'Analytics',
        'Widget',
      ],
      ...['Changes and webhooks', 'Store', 'Operation'],
    ])
    expect(result.answer).toContain('"status": "ok"')
    expect(result.scrollWidth).toBe(width)
    expect(complaints).toEqual([])
    expect(strangers).toEqual([])
  }, 60_000)

  test('/errors: leads to a page about each code and back to the API', async () => {
    const { result, complaints, strangers } = await visit(
      `${service.address}/errors`,
      { width, colorScheme },
      async (page) => {
        const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
        await page.getByRole('link', { name: 'image_download_failed' }).click()
        const heading = await page.getByRole('heading', { level: 1 }).textContent()
        await page.getByRole('link', { name: 'API page' }).click()
        await page.locator('.opblock-tag').first().waitFor()
        return { scrollWidth, heading }
      },
    )
    expect(result).toEqual({ scrollWidth: width, heading: 'image_download_failed' })
    expect(complaints).toEqual([])
    expect(strangers).toEqual([])
  }, 60_000)
})
