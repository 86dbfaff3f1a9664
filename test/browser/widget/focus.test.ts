import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { plain } from './pictures.ts'
import { cardsOf, choose, dialogOf, heardResults, open, opener, openWidgetPage, run, said } from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(800, 600)
const close = async (page: Page) => {
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'hidden' })
}
/** The id of what has the focus in the page, and the text of what has it in the widget. */
const focused = (page: Page) =>
  run(
    page,
    `[document.activeElement.id, document.querySelector('[data-service-widget]').shadowRoot.activeElement?.textContent]`,
  )

describe('the focus goes back', () => {
  test('to the field of the shop from which a call opened the dialog', async () => {
    const { result } = await shop.visit({ body: '<input id="own">' }, {}, async (page) => {
      await opener(page).waitFor()
      await page.locator('#own').focus()
      await run(page, 'ServiceWidget.open()')
      await dialogOf(page).waitFor()
      await close(page)
      return focused(page)
    })
    expect(result).toEqual(['own', undefined])
  }, 60_000)

  test('to the button on a picture', async () => {
    const { result } = await shop.visit(
      {
        data: { 'data-similar': 'img' },
        body: `<img alt="Mug" data-product-id="sku-1" width="150" height="150" src="${shop.service.address}/product/1.svg">`,
      },
      {},
      async (page) => {
        await page.getByRole('button', { name: 'Find similar: Mug' }).click()
        await said(page, '8 products found')
        await close(page)
        return run(page, 'document.activeElement.ariaLabel')
      },
    )
    expect(result).toBe('Find similar: Mug')
  }, 60_000)

  test('to where it was first, if the page opens the open dialog again', async () => {
    const { result } = await shop.visit({ body: '<input id="own">' }, {}, async (page) => {
      await opener(page).waitFor()
      await page.locator('#own').focus()
      await run(page, 'ServiceWidget.open()')
      await dialogOf(page).waitFor()
      await run(page, `ServiceWidget.open({ query: 'mug' })`)
      await said(page, '12 products found')
      await close(page)
      return focused(page)
    })
    expect(result).toEqual(['own', undefined])
  }, 60_000)
})

describe('the focus stays', () => {
  test('on the category that was chosen, while the answer takes its place', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.getByRole('button', { name: 'bowls' }).focus()
      await page.keyboard.press('Enter')
      await heardResults(page, 2)
      return [await focused(page), await page.locator('.bar [aria-pressed=true]').allTextContents()]
    })
    expect(result).toEqual([['', 'bowls'], ['bowls']])
  }, 60_000)
})

describe('the history of the page', () => {
  test('has no entry of the dialog; a product leads on, and back leads to the shop', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      const length = () => run<number>(page, 'history.length')
      const before = await length()
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.getByRole('button', { name: 'Region 1' }).click()
      await heardResults(page, 2)
      await close(page)
      await open(page)
      const added = (await length()) - before
      await cardsOf(page).first().click()
      await page.waitForURL('**/p/sku-1')
      await page.goBack()
      await opener(page).waitFor()
      await open(page)
      return [added, page.url() === `${shop.origin}/`]
    })
    expect(result).toEqual([0, true])
    expect(shop.service.callsOf('feedback')).toHaveLength(1)
  }, 60_000)
})
