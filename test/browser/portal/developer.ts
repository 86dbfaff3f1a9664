import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { invite } from './store-pages.ts'
import { createOwner, DESKTOP, findFaults, own, service, visitPortal } from './world.ts'

/** Runs code of the portal as its reader would: in a file of their own, with their token. @returns its last results and its status. */
async function runScript(code: string, token: string): Promise<{ status: number; found: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-copied-'))
  try {
    const file = join(folder, 'search.mjs')
    const report = 'console.log(JSON.stringify({ status: response.status, found: results?.length ?? 0 }))'
    await Bun.write(file, `const token = process.env.TOKEN\n${code}\n${report}\n`)
    const child = Bun.spawn([process.execPath, file], { env: { TOKEN: token }, stderr: 'inherit' })
    return JSON.parse(await new Response(child.stdout).text())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function grant(body: Record<string, string>): Promise<{ status: number; token: string }> {
  const answer = await fetch(`${service.address}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...body }),
  })
  const { access_token } = (await answer.json()) as { access_token?: string }
  return { status: answer.status, token: access_token ?? '' }
}

/** Makes a new client secret on the page of the keys, and takes it along. */
async function rotateSecret(page: Page): Promise<{ client_id: string; client_secret: string }> {
  await page.getByRole('button', { name: /^Open / }).click()
  await page.getByRole('button', { name: 'Make a new client secret' }).click()
  const question = page.getByRole('dialog', { name: 'Make a new client secret?' })
  await question.getByRole('button', { name: 'Make a new client secret' }).click()
  const made = page.locator('.asked').filter({ hasText: 'It is shown this once' }).locator('.copied code')
  await made.nth(1).waitFor()
  const [client_id = '', client_secret = ''] = await made.allTextContents()
  await page.getByRole('button', { name: 'I have kept it' }).click()
  return { client_id, client_secret }
}

export function developerTests(): void {
  test('a developer: “I will use the API” → a secret → copied code runs, is broken on purpose, and each call is found again → the inbox → a viewer sees why less is there', async () => {
    const dev = await createOwner('demo')
    const { result, complaints } = await visitPortal(dev, '/start?step=2', DESKTOP, async (page) => {
      await page.getByText('Show the first call').click()
      await page.getByRole('link', { name: 'Make a new secret' }).click()
      const first = await rotateSecret(page)
      const credentials = await rotateSecret(page)
      const grants = [(await grant(first)).status]
      const { status, token } = await grant(credentials)
      grants.push(status)

      await page.goto(`${service.address}/${dev.slug}/portal/playground?q=red+mug&view=everything`)
      await page.locator('.answer .tile').nth(12).waitFor()
      await page.getByLabel('Lowest score').fill('0.3')
      await page.getByText('The same search by the API').click()
      await page.getByRole('button', { name: 'JavaScript', exact: true }).click()
      const code = (await page.locator('.code pre').textContent()) ?? ''
      const shown = await page.locator('.answer .tile').count()
      const runs = [
        await runScript(code, token),
        await runScript(code.replace('"query"', '"qery"'), token),
        await runScript(code.replace('"threshold":0.3', '"threshold":3'), token),
        await runScript(code, 'not a token'),
      ]
      // A message, which nobody receives: the drawn product becomes one of the shop.
      const changed = await fetch(`${service.address}/v1/products/demo-mug-red`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name: 'Red mug <b>' } }),
      })

      await page.goto(`${service.address}/${dev.slug}/portal/keys`)
      await page.getByRole('button', { name: /^Open / }).click()
      const rows = page.getByRole('table', { name: 'Last calls' }).locator('tbody tr')
      await rows.nth(3).waitFor()
      const calls = (await rows.allTextContents()).map(
        (text) => /(POST|PATCH) \S+?(?=\d{3})\d{3}/.exec(text)?.[0],
      )
      const faults = await findFaults(page)
      await page.goto(`${service.address}/${dev.slug}/portal/webhooks`)
      await page.locator('.inbox summary').first().click()
      const message = await page.locator('.inbox li').first().textContent()
      return { grants, code, shown, runs, changed: changed.status, calls, message, faults }
    })
    expect(result.grants).toEqual([401, 200])
    expect(result.runs.map(({ status }) => status)).toEqual([200, 422, 422, 401])
    expect(result.runs[0]?.found).toBe(result.shown)
    expect(result.calls).toEqual([
      'PATCH /v1/products/demo-mug-red200',
      ...['POST /v1/search/text422', 'POST /v1/search/text422', 'POST /v1/search/text200'],
    ])
    expect(result.message).toContain('product.indexed')
    expect(result.message).toContain('not sent: no endpoint asks for it')
    expect(result.message).toContain('demo-mug-red')
    expect([result.faults, own(complaints)]).toEqual([[], []])

    const viewer = await invite(dev, 'viewer')
    const { result: seen } = await visitPortal(viewer, '/keys', DESKTOP, async (page) => {
      await page.getByText('You may not see the keys of this store.').waitFor()
      await page.goto(`${service.address}/${dev.slug}/portal/webhooks`)
      await page.getByText('You may look, and not change anything here.').waitFor()
      return page.getByRole('button', { name: 'New endpoint' }).count()
    })
    expect(seen).toBe(0)
  }, 90_000)
}
