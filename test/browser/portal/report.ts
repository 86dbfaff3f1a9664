import { describe, expect, test } from 'bun:test'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  PHONE,
  readSample,
  scrollWidth,
  visitPortal,
} from './world.ts'

export function reportTests(): void {
  describe('the catalogue report', () => {
    test.each([DESKTOP, PHONE])('is made on request, and leads to the product, at %o', async (look) => {
      const owner = await createOwner()
      const image_url = await readSample()
      // The same file under three names; the last one has no words.
      for (const [product_id, metadata] of Object.entries({
        boots: { name: 'Boots' },
        lamp: { name: 'Lamp' },
        mute: {},
      }))
        await call(owner, 'POST', '/v1/products', { product_id, image_url, metadata })
      const { result, complaints, strangers } = await visitPortal(owner, '/report', look, async (page) => {
        await page.getByRole('heading', { name: 'No report yet' }).waitFor()
        const faultsBefore = await findFaults(page)
        await page.getByRole('button', { name: 'Check now' }).click()
        await page.getByRole('heading', { name: 'One picture, many products' }).waitFor()
        const [faults, width] = [await findFaults(page), await scrollWidth(page)]
        const mute = page
          .getByRole('list', { name: 'Products without words' })
          .getByRole('link', { name: 'mute' })
        await mute.click()
        await page.getByRole('dialog').waitFor()
        return { faults: [...faultsBefore, ...faults], width, at: new URL(page.url()).search }
      })
      expect(result).toEqual({ faults: [], width: look.width, at: '?product=mute' })
      expect([own(complaints), strangers]).toEqual([[], []])
    })
  })
}
