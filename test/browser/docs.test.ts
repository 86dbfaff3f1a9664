import { beforeAll, describe, expect, test } from 'bun:test'
import { LOOKS, visit } from './chromium.ts'
import { installDemo, openService } from './service.ts'

const service = openService()
let credentials: { client_id: string; client_secret: string }

beforeAll(async () => {
  const account = ['--email', 'me@shop.test', '--password', 'kettle drum violin', '--store', 'Shop']
  credentials = JSON.parse(await service.run('setup', ...account, '--json'))
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
  const granted = await fetch(`${service.address}/oauth/token`, { method: 'POST', body })
  const { access_token } = (await granted.json()) as { access_token: string }
  await installDemo(service.address, access_token)
}, 120_000)

describe.each(LOOKS)('at %d px, %s', (width, colorScheme) => {
  test('/docs: fetches its own token and finds something with the next click, leaves no trace of another origin, scrolls in one direction', async () => {
    const { result, complaints, strangers } = await visit(
      `${service.address}/docs`,
      { width, colorScheme },
      async (page) => {
        await page.locator('.btn.authorize').first().click()
        const grant = page.locator('.auth-container').filter({ hasText: 'clientCredentials' })
        await grant.getByLabel('client_id:').fill(credentials.client_id)
        await grant.getByLabel('client_secret:').fill(credentials.client_secret)
        await grant.locator('button.authorize').click()
        await grant.locator('button', { hasText: 'Logout' }).waitFor()
        await page.getByRole('button', { name: 'Close' }).first().click()
        const search = page.locator('#operations-Search-searchByText')
        await search.getByRole('button', { name: 'Execute' }).click()
        await search.locator('.live-responses-table').waitFor()
        return {
          tags: await page
            .locator('.opblock-tag')
            .evaluateAll((tags) => tags.map((tag) => tag.getAttribute('data-tag'))),
          open: await page
            .locator('.opblock-tag[data-is-open=true]')
            .evaluateAll((tags) => tags.map((tag) => tag.getAttribute('data-tag'))),
          answer: await search.locator('.live-responses-table').textContent(),
          scrollWidth: await page.evaluate<number>('document.documentElement.scrollWidth'),
        }
      },
    )
    expect(result.tags).toEqual([
      ...['Search', 'Products', 'Jobs', 'Feeds', 'Analytics', 'Merchandising', 'Widget'],
      ...['Changes and webhooks', 'Store'],
      ...['Authentication', 'Account', 'Security', 'Team', 'Billing', 'Operator', 'Nodes', 'Operation'],
    ])
    expect(result.open).toEqual(['Search', 'Products'])
    expect(result.answer).toContain('"product_id": "demo-mug-red"')
    expect(result.scrollWidth).toBe(width)
    // The dialog is the library's, and Chromium remarks on its field for the secret.
    expect(complaints.filter((text) => !text.startsWith('[DOM] Password field'))).toEqual([])
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
        await page.getByRole('link', { name: 'API', exact: true }).click()
        await page.waitForURL('**/docs', { waitUntil: 'commit' })
        return { scrollWidth, heading }
      },
    )
    expect(result).toEqual({ scrollWidth: width, heading: 'image_download_failed' })
    expect(complaints).toEqual([])
    expect(strangers).toEqual([])
  }, 60_000)
})
