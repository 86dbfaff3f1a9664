import { describe, expect, test } from 'bun:test'
import { LOOKS, visit } from './chromium.ts'
import { openService } from './service.ts'

const service = openService()

describe.each(LOOKS)('at %d px, %s', (width, colorScheme) => {
  test('/docs/guide: leads to a document and to a section of it, and scrolls in one direction', async () => {
    const { result, complaints, strangers } = await visit(
      `${service.address}/docs/guide`,
      { width, colorScheme },
      async (page) => {
        const scrollWidths: Record<string, number> = {}
        const measure = async (name: string) => {
          // A page has its width once its styles are there.
          await page.waitForLoadState()
          scrollWidths[name] = await page.evaluate<number>('document.documentElement.scrollWidth')
        }
        await measure('index')
        const documents = page.getByRole('navigation', { name: 'Guide' })
        for (const name of ['Access', 'Operating', 'Reference', 'Maintaining', 'Changelog', 'Contract']) {
          await documents.getByRole('link', { name, exact: true }).click()
          await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
          await measure(name)
        }
        await page
          .getByRole('navigation', { name: 'On this page' })
          .getByRole('link', { name: '4. Credentials' })
          .click()
        const heading = page.getByRole('heading', { name: /^4\. Credentials/ })
        return {
          scrollWidths,
          path: new URL(page.url()).pathname + new URL(page.url()).hash,
          top: Math.round((await heading.boundingBox())?.y ?? -1),
        }
      },
    )
    expect(Object.values(result.scrollWidths)).toEqual(Array(7).fill(width))
    expect(result.path).toBe('/docs/guide/contract#4-credentials')
    expect(result.top).toBeWithin(0, 60)
    expect(complaints).toEqual([])
    expect(strangers).toEqual([])
  }, 60_000)
})

test('examples name the address of this service, and are copied with a button', async () => {
  const { result, complaints } = await visit(
    `${service.address}/docs/guide/access`,
    { width: 360, colorScheme: 'light' },
    async (page) => {
      const sample = page.locator('.sample').first()
      await sample.getByRole('button', { name: 'Copy' }).click()
      await sample.getByRole('button', { name: /^(Copied|Selected)$/ }).waitFor()
      return {
        first: await sample.locator('code').textContent(),
        all: await page.locator('article').textContent(),
      }
    },
  )
  expect(result.first).toContain(new URL(service.address).host)
  expect(result.all).not.toContain('localhost:8080')
  expect(complaints).toEqual([])
}, 60_000)

test('with scripts switched off the guide is all there', async () => {
  const { result } = await visit(
    `${service.address}/docs/guide/access`,
    { width: 360, colorScheme: 'light', javaScriptEnabled: false },
    async (page) => page.locator('article').textContent(),
  )
  expect(result).toContain('Two-factor authentication')
}, 60_000)

describe.each(LOOKS)('the search at %d px, %s', (width, colorScheme) => {
  test('finds a section by its words, leads to it, and says when nothing has them', async () => {
    const { result, complaints, strangers } = await visit(
      `${service.address}/docs/guide`,
      { width, colorScheme },
      async (page) => {
        const field = page.getByRole('searchbox', { name: 'Search the guide' })
        const found = page.getByRole('list', { name: 'Found in the guide' })
        await field.fill('qqqq')
        await page.getByText('Nothing in the guide has all these words.').waitFor()
        await field.fill('LATER go back')
        const first = found.getByRole('link').first()
        await first.waitFor()
        const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
        const name = await first.textContent()
        await first.click()
        await page.getByRole('heading', { name: /^Go back later/ }).waitFor()
        return { name, scrollWidth, path: new URL(page.url()).pathname + new URL(page.url()).hash }
      },
    )
    expect(result).toEqual({
      name: 'Upgrade: Go back later',
      scrollWidth: width,
      path: '/docs/guide/upgrading#go-back-later',
    })
    expect(complaints).toEqual([])
    expect(strangers).toEqual([])
  }, 60_000)
})
