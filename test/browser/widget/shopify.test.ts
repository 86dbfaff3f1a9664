import { describe, expect, test } from 'bun:test'
import { openTheme } from '../../plugins/liquid.ts'
import { KEY } from './service.ts'
import { opener, openWidgetPage, run } from './shop.ts'

const shop = openWidgetPage()
const theme = openTheme(() => '')
/** A theme has code of its own in its pages. */
const POLICY = "default-src * data: 'unsafe-inline'"
const PRODUCT = { id: 5, handle: 'sku-1', variants: [{ id: 7 }, { id: 8 }] }

/** The section with the settings that it begins with, some changed. */
async function searchSection(changed: Record<string, unknown> = {}, scope: object = {}): Promise<string> {
  const { settings } = await theme.schemaOf('lookalike')
  const begun = Object.fromEntries(settings.map((one) => [one.id, one.default ?? '']))
  return theme.section('lookalike', {
    section: { settings: { ...begun, service: `${shop.service.address}/`, key: ` ${KEY} `, ...changed } },
    request: { design_mode: false },
    ...scope,
  })
}

const rowSection = (row: string) =>
  theme.section('lookalike-row', { product: PRODUCT, section: { settings: { row } } })

/** Shopify’s banner for cookies, as its Customer Privacy API tells of it. */
const privacy = (isAllowed: boolean) => `<script>
  window.Shopify = { customerPrivacy: { analyticsProcessingAllowed: () => ${isAllowed} }, loadFeatures: (_, then) => setTimeout(then, 20) }
</script>`
const FORMS = `<form action="/en/cart/add" id="own"><input name="id" value="8"><button>Add</button></form>
  <form action="/cart/add" id="other"><input name="id" value="9"><input name="product-id" value="6"><button>Add other</button></form>
  <form action="/cart/add"><input name="id" value="300"><input name="product-id" value="5"><button>Add rare variant</button></form>
  <script>for (const form of document.forms) form.addEventListener('submit', (event) => event.preventDefault())</script>`

const feedback = () => shop.service.callsOf('feedback').map(({ body }) => body)

describe('the sections for a Shopify theme', () => {
  test('put the camera into the search field of the shop and rows onto the page of a product', async () => {
    const tag = `<form action="/search"><input name="q"></form>${await rowSection('similar')}${await rowSection('together')}${await searchSection({ consent: false }, { product: PRODUCT })}`
    const { console } = await shop.visit({ tag, policy: POLICY }, {}, async (page) => {
      await opener(page).waitFor()
      await page.locator('[part=row]').nth(1).waitFor()
      expect(await page.locator('[part=row] h2').allTextContents()).toEqual([
        'Similar products',
        'Often bought together',
      ])
    })
    expect(console).toEqual([])
  }, 60_000)

  test('tell of what goes into the cart on the page of a product, of this product alone', async () => {
    const tag = FORMS + (await searchSection({ consent: false }, { product: PRODUCT }))
    await shop.visit({ tag, policy: POLICY }, {}, async (page) => {
      await page.getByText('Add other').click()
      await page.getByText('Add', { exact: true }).click()
      await page.getByText('Add rare variant').click()
      await shop.service.arrived('feedback', 2)
    })
    const told = { action: 'add_to_cart', result_product_id: 'sku-1', session_id: expect.any(String) }
    expect(feedback()).toEqual([told, told])
  }, 60_000)

  test('store nothing until the banner for cookies allows analytics, and go on then', async () => {
    const tag = privacy(false) + FORMS + (await searchSection({}, { product: PRODUCT }))
    await shop.visit({ tag, policy: POLICY }, {}, async (page) => {
      await opener(page)
        .or(page.locator('script[data-consent=required]'))
        .first()
        .waitFor({ state: 'attached' })
      await page.getByText('Add', { exact: true }).click()
      await page.waitForTimeout(300)
      expect(await run<number>(page, 'localStorage.length')).toBe(0)
      await run(
        page,
        `document.dispatchEvent(new CustomEvent('visitorConsentCollected', { detail: { analyticsAllowed: true } }))`,
      )
      await page.getByText('Add', { exact: true }).click()
      await page.waitForFunction('localStorage.length > 0')
    })
    const allowed = privacy(true) + FORMS + (await searchSection({}, { product: PRODUCT }))
    await shop.visit({ tag: allowed, policy: POLICY }, {}, async (page) => {
      await page.waitForTimeout(100)
      await page.getByText('Add', { exact: true }).click()
      await page.waitForFunction('localStorage.length > 0')
    })
  }, 60_000)

  test('show nothing to shoppers before they are filled in, and a line to the merchant', async () => {
    for (const changed of [{ service: '' }, { service: 'search.test' }, { key: '' }, { key: 'sk_live_1' }]) {
      expect((await searchSection(changed)).trim()).toBe('')
      const seen = await searchSection(changed, { request: { design_mode: true } })
      expect(seen).toContain('fill in the address of the service')
      expect(seen).not.toContain('sk_live_1')
    }
    expect((await theme.section('lookalike-row', { section: { settings: { row: 'similar' } } })).trim()).toBe(
      '',
    )
  })
})
