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
          await form.getByLabel('Name', { exact: true }).fill('Blue first')
          await form.getByLabel('Words of the query').fill('"mug"')
          await form.getByLabel('Product', { exact: true }).fill('demo-mug-blue')
          await form.getByRole('button', { name: 'demo-mug-blue', exact: false }).first().click()
          await form.getByRole('button', { name: 'Another action' }).click()
          const second = form.getByRole('group', { name: 'Action 2' })
          await second.getByLabel('What happens').selectOption('hide')
          await second.getByLabel('Field').selectOption('product_id')
          await second.getByLabel('Value').fill('demo-mug-red')
          faults.push(...(await findFaults(page)))
          await form.getByRole('button', { name: 'Save the rule' }).click()
          const card = page.getByRole('article', { name: 'Blue first' })
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
        name: 'Blue first',
        active: false,
        when: { words: ['"mug"'] },
        then: [
          { action: 'pin', product_id: 'demo-mug-blue', position: 1 },
          {
            action: 'hide',
            filters: [{ field: 'product_id', operator: 'eq', value: 'demo-mug-red' }],
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
  })
}
