import { beforeAll, describe, expect, test } from 'bun:test'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  type Person,
  PHONE,
  scrollWidth,
  visitPortal,
} from './world.ts'

const HOSTILE = '<img src=x onerror=alert(1)> فستان'

export function merchandisingTests(): void {
  describe('merchandising', () => {
    let shop: Person
    beforeAll(async () => {
      shop = await createOwner('demo')
      // What the form cannot show must survive a change of the rest.
      await call(shop, 'POST', '/v1/store/rules', {
        name: HOSTILE,
        when: { words: ['zeppelin'], until: '2020-01-01T00:00:01Z' },
        then: [
          { action: 'pin', product_id: 'gone', position: 2 },
          { action: 'bury', filters: { should: [{ field: 'brand', operator: 'eq', value: 'x' }] } },
        ],
      })
      // Searches are written a moment later: the tests that count them come last.
      await call(shop, 'POST', '/v1/search/text', { query: 'zeppelin', threshold: 1 })
      await call(shop, 'POST', '/v1/search/text', { query: 'jeans' })
    }, 60_000)

    test('a rule is made from a product that is chosen by its name, and the preview shows what it moves', async () => {
      const { result, complaints, strangers } = await visitPortal(
        shop,
        '/merchandising',
        DESKTOP,
        async (page) => {
          await page.getByText('Pinned, but not in the store now: gone').waitFor()
          const faults = await findFaults(page)
          await page.getByRole('button', { name: 'New rule' }).click()
          const form = page.getByRole('form', { name: 'New rule' })
          await form.getByLabel('Name', { exact: true }).fill('Red first')
          await form.getByLabel('Words of the query').fill('"mug"')
          await form.getByLabel('Product', { exact: true }).fill('demo-mug-red')
          await form.getByRole('button', { name: 'demo-mug-red', exact: false }).first().click()
          await form.getByRole('button', { name: 'Another action' }).click()
          const second = form.getByRole('group', { name: 'Action 2' })
          await second.getByLabel('What happens').selectOption('hide')
          await second.getByLabel('Field').selectOption('product_id')
          await second.getByLabel('Value').fill('demo-mug-black')
          faults.push(...(await findFaults(page)))
          await form.getByRole('button', { name: 'Save the rule' }).click()
          const card = page.getByRole('article', { name: 'Red first' })
          await card.getByRole('button', { name: 'What it changes' }).click()
          const preview = page.getByRole('region', { name: 'What the rules change' })
          await preview.getByText('The rules change these results.').waitFor()
          const sides = preview.locator('.sides > section')
          const nameOf = (n: number) => sides.nth(n).locator('.name').first().textContent()
          faults.push(...(await findFaults(page)))
          const [withoutRules, withRules] = [await nameOf(0), await nameOf(1)]
          await card.getByRole('button', { name: 'Switch off' }).click()
          await preview.getByText('The rules change nothing here.').waitFor()
          return { faults, differs: withoutRules !== withRules }
        },
      )
      expect(result).toEqual({ faults: [], differs: true })
      expect([own(complaints), strangers]).toEqual([[], []])
      const { rules } = (await call(shop, 'GET', '/v1/store/rules')) as { rules: object[] }
      expect(rules[1]).toMatchObject({
        name: 'Red first',
        active: false,
        when: { words: ['"mug"'] },
        then: [
          { action: 'pin', product_id: 'demo-mug-red', position: 1 },
          {
            action: 'hide',
            filters: [{ field: 'product_id', operator: 'eq', value: 'demo-mug-black' }],
          },
        ],
      })
    }, 60_000)

    test('a change keeps what the form cannot show, and tells of somebody who was faster', async () => {
      const { rules } = (await call(shop, 'GET', '/v1/store/rules')) as { rules: Record<string, unknown>[] }
      const [before] = rules
      const { result } = await visitPortal(shop, '/merchandising', PHONE, async (page) => {
        const card = page.getByRole('article', { name: 'onerror', exact: false })
        await card.getByRole('button', { name: 'Change the rule' }).click()
        const form = page.getByRole('form', { name: 'Change the rule' })
        await form.getByText('This page cannot show this action.').waitFor()
        await call(shop, 'PUT', `/v1/store/rules/${before?.['id']}`, { ...before, name: 'By another' })
        await form.getByLabel('Name', { exact: true }).fill('Mine')
        await form.getByRole('button', { name: 'Save the rule' }).click()
        await form.getByRole('button', { name: 'Show what changed' }).click()
        await form.getByText('By another').waitFor()
        const faults = await findFaults(page)
        const width = await scrollWidth(page)
        await form.getByRole('button', { name: 'Save mine anyway' }).click()
        await page.getByRole('article', { name: 'Mine' }).waitFor()
        return { faults, width }
      })
      expect(result).toEqual({ faults: [], width: PHONE.width })
      const after = await call(shop, 'GET', `/v1/store/rules/${before?.['id']}`)
      expect(after).toMatchObject({ name: 'Mine', when: before?.['when'], then: before?.['then'] })
    }, 60_000)

    test('results of the playground are dragged, moved by keyboard and hidden, and saved as a rule for the words', async () => {
      const { result, complaints } = await visitPortal(
        shop,
        '/playground?q=jeans&view=everything',
        DESKTOP,
        async (page) => {
          const ids = () =>
            page
              .locator('.answer ol.grid > li')
              .evaluateAll((items) => items.map((item) => item.dataset['id'] ?? ''))
          await page.getByRole('button', { name: 'Arrange by hand' }).click()
          const items = page.locator('.answer ol.grid > li')
          await items.nth(4).waitFor()
          const [one, two, three, four] = await ids()
          const faults = await findFaults(page)
          await items.nth(2).dragTo(items.nth(0))
          // The keyboard goes on with the button of the moved result.
          await items.nth(3).locator('[data-act="up"]').focus()
          await page.keyboard.press('Enter')
          await page.keyboard.press('Enter')
          await page.locator(`li[data-id="${one}"] [data-act="hide"]`).click()
          const arranged = (await ids()).slice(0, 3)
          faults.push(...(await findFaults(page)))
          await page.getByRole('button', { name: 'Save as a rule for these words' }).click()
          await page.getByText('The rule acts from now on.').waitFor()
          await page.locator(`.answer ul.grid > li[data-id="${one}"]`).waitFor({ state: 'detached' })
          await page.locator(`.answer ul.grid > li[data-id="${three}"] .why summary`).click()
          await page.getByText('pinned by the rule “jeans”').waitFor()
          return { faults, arranged, expected: [three, four, two], hidden: one, pins: [three, four] }
        },
      )
      expect(result.faults).toEqual([])
      expect(result.arranged).toEqual(result.expected)
      expect(own(complaints)).toEqual([])
      const { rules } = (await call(shop, 'GET', '/v1/store/rules')) as { rules: object[] }
      expect(rules.at(-1)).toMatchObject({
        when: { words: ['"jeans"'] },
        then: [
          ...result.pins.map((product_id, n) => ({ action: 'pin', product_id, position: n + 1 })),
          { action: 'hide', filters: [{ field: 'product_id', operator: 'in', value: [result.hidden] }] },
        ],
      })
    }, 60_000)

    test('the playground tells how words were understood, and takes them as they are on request', async () => {
      const { result } = await visitPortal(
        shop,
        '/playground?q=rote%20Tasse%20unter%2020',
        PHONE,
        async (page) => {
          const chips = page.getByRole('list', { name: 'Understood as' }).getByRole('listitem')
          await chips.first().waitFor()
          const texts = await chips.allTextContents()
          const faults = await findFaults(page)
          const width = await scrollWidth(page)
          await page.getByRole('button', { name: 'Take the words as they are' }).click()
          await chips.first().waitFor({ state: 'detached' })
          return { texts, faults, width, url: new URL(page.url()).search }
        },
      )
      expect(result).toMatchObject({ faults: [], width: PHONE.width })
      expect(result.texts).toEqual(expect.arrayContaining(['up to 20.00', 'rote → red', 'tasse → mug']))
      expect(result.url).toContain('interpret=off')
    }, 60_000)

    test('words without a result become synonyms in one call, and the lists of words are edited together', async () => {
      const { result, complaints } = await visitPortal(shop, '/analytics', DESKTOP, async (page) => {
        await page.getByRole('button', { name: 'Make it a synonym zeppelin' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox').fill('vase, umbrella')
        const faults = await findFaults(page)
        await dialog.getByRole('button', { name: 'Make it a synonym' }).click()
        await page.getByText('Made. The next search obeys.').waitFor()
        await page.getByRole('link', { name: 'Merchandising' }).click()
        await page.getByRole('link', { name: 'Words', exact: true }).click()
        const synonyms = page.getByRole('region', { name: 'Synonyms' })
        const also = synonyms.getByLabel('Also find (may be empty)')
        await also.waitFor()
        const read = [await synonyms.getByLabel('Mean the same').inputValue(), await also.inputValue()]
        const redirects = page.getByRole('region', { name: 'Redirects' })
        await redirects.getByRole('button', { name: 'New redirect' }).click()
        await redirects.getByLabel('Query').fill('returns')
        await redirects.getByLabel('Leads to').fill('javascript:alert(1)')
        await page.getByRole('button', { name: 'Save the words' }).click()
        await page.getByRole('alert').waitFor()
        await redirects.getByLabel('Leads to').fill('/pages/returns')
        const ignored = page.getByRole('region', { name: 'Ignored words' })
        await ignored.getByRole('button', { name: 'New ignored word' }).click()
        await ignored.getByLabel('Word').fill('cheap')
        faults.push(...(await findFaults(page)))
        await page.getByRole('button', { name: 'Save the words' }).click()
        await page.getByText('Saved.').waitFor()
        return { faults, read }
      })
      expect(result).toEqual({ faults: [], read: ['zeppelin', 'vase, umbrella'] })
      expect(own(complaints)).toEqual([])
      expect(await call(shop, 'GET', '/v1/store/words')).toEqual({
        synonyms: [{ words: ['zeppelin'], to: ['vase', 'umbrella'] }],
        redirects: [{ words: 'returns', url: '/pages/returns' }],
        ignore: ['cheap'],
      })
    }, 60_000)

    test('other settings are tried on the last searches, with pictures; sold out is chosen; learning says what it lacks', async () => {
      const { result, complaints } = await visitPortal(
        shop,
        '/merchandising?part=replay',
        PHONE,
        async (page) => {
          await page.getByText('Nothing was tried yet.').waitFor()
          await page.getByLabel('Least similarity').fill('1')
          await page.getByRole('button', { name: 'Start the replay' }).click()
          await page.getByText('Least similarity: 1').waitFor()
          await page.locator('.examples img').first().waitFor()
          const queries = await page.locator('.examples h2').allTextContents()
          const faults = await findFaults(page)
          const width = await scrollWidth(page)
          await page.getByRole('link', { name: 'Sold out & learning' }).click()
          await page.getByRole('combobox', { name: 'Sold-out products' }).selectOption('hide')
          await page.getByRole('button', { name: 'Save the choice' }).click()
          await page.getByText('Saved.').waitFor()
          faults.push(...(await findFaults(page)))
          return {
            ...{ faults, width, queries },
            mayLearn: await page.getByRole('checkbox', { name: 'Learn from clicks' }).isEnabled(),
          }
        },
      )
      expect(result).toEqual({ faults: [], width: PHONE.width, queries: ['jeans'], mayLearn: false })
      expect(own(complaints)).toEqual([])
      expect(await call(shop, 'GET', '/v1/store/settings')).toMatchObject({ sold_out: 'hide' })
    }, 60_000)
  })
}
