import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { untilTrue } from '../chromium.ts'
import { makeLargeFile } from './looks.ts'
import { asFile, FILE, makeExport } from './shop-file.ts'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  type Person,
  PHONE,
  readSample,
  scrollWidth,
  visitPortal,
} from './world.ts'

export function importTests(): void {
  describe('import, jobs and feeds', () => {
    let sample = ''
    let shop: Person
    /** A web server of the shop: its pictures, of which one is missing for now, and its file. */
    const web = { file: '', hasLast: false, pictures: new Uint8Array() as Uint8Array<ArrayBuffer> }
    /** Pictures of `/held.webp` arrive once it resolves. */
    const held = Promise.withResolvers<void>()
    let server: ReturnType<typeof Bun.serve>
    const at = (path: string) => `http://127.0.0.1:${server.port}${path}`

    beforeAll(async () => {
      sample = await readSample()
      web.pictures = new Uint8Array(Buffer.from(sample.slice(sample.indexOf(',') + 1), 'base64'))
      server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        async fetch({ url, headers }) {
          const { pathname } = new URL(url)
          if (pathname === '/products.csv') return new Response(web.file)
          if (pathname === '/private.csv')
            return headers.get('authorization') === `Basic ${btoa('anna@shop:p/w')}`
              ? new Response(web.file)
              : new Response('', { status: 401 })
          if (pathname === '/held.webp') await held.promise
          if (pathname === '/last.webp' && !web.hasLast) return new Response('', { status: 404 })
          return new Response(web.pictures, {
            headers: { 'content-type': sample.slice(5, sample.indexOf(';')) },
          })
        },
      })
      shop = await createOwner()
    }, 60_000)
    afterAll(() => server.stop(true))

    test('a German export from a phone: pictures, what is lost, the run, failed rows, one tried again, then all', async () => {
      const file = makeExport('German', 23, (row) => at(row >= 21 ? '/last.webp' : '/front.webp'))
      const look = { ...PHONE, locale: 'de-DE' }
      const { result, complaints, strangers } = await visitPortal(shop, '/products', look, async (page) => {
        await page.getByRole('link', { name: 'Eigene Produkte aus einer Datei importieren' }).click()
        await page.locator(FILE).setInputFiles(asFile('wc-export.csv', file))
        await page.locator('.findings .tile img').nth(19).waitFor()
        const seen = {
          sentence: await page.locator('.rows li', { hasText: 'Bilder' }).first().locator('p').textContent(),
          cards: await page.locator('.findings .tile').count(),
          faults: await findFaults(page),
          width: await scrollWidth(page),
        }
        // Nothing is lost that one wants to keep; the file is not sent again for it.
        const again = page.waitForRequest('**/v1/products/import')
        await page.getByRole('button', { name: 'Behalten Material X' }).click()
        const body = (await again).postDataJSON() as Record<string, unknown>
        await page.getByText('bleibt als „material_x“ erhalten').waitFor()
        await page.getByRole('button', { name: '23 Produkte importieren' }).click()
        await page.locator('.outcome').waitFor({ timeout: 40_000 })
        const outcome = await page.locator('.outcome').textContent()
        await page.reload()
        const row = page.locator('.failed li')
        await row.nth(1).waitFor()
        const why = await row.first().locator('p').allTextContents()
        const jobFaults = [...(await findFaults(page)), await scrollWidth(page)]
        web.hasLast = true
        await row.first().getByRole('button').click()
        await row.nth(1).waitFor({ state: 'detached', timeout: 20_000 })
        await page.getByRole('button', { name: 'Alle noch einmal versuchen' }).click()
        await page.locator('.failed').waitFor({ state: 'detached', timeout: 20_000 })
        await page.getByText('Fertig 23 von 23').waitFor()
        const written = await page.locator('.figures dd').first().textContent()
        return { ...seen, body, outcome, why, jobFaults, written }
      })
      expect(result.sentence).toContain('Bilder ist wohl das Bild')
      expect(result.sentence).toContain(at('/front.webp'))
      expect(result).toMatchObject({ cards: 20, faults: [], width: 360, jobFaults: [360], written: '23' })
      expect(result.body).toMatchObject({
        upload_id: expect.any(String),
        mapping: { 'metadata.material_x': ['Material X'] },
      })
      expect(result.outcome).toBe('Fertig 23 von 23')
      expect(result.why).toEqual([
        'W-22',
        'Das Bild ließ sich nicht laden: Der Server antwortete 404.',
        at('/last.webp'),
      ])
      expect([own(complaints), strangers]).toEqual([[], []])
    }, 120_000)

    test('French and Russian exports need no choice of a column; every wrong file is told in a sentence', async () => {
      const anna = await createOwner()
      const { result } = await visitPortal(anna, '/products/import', DESKTOP, async (page) => {
        const ready: string[] = []
        for (const language of ['French', 'Russian'] as const) {
          await page.locator(FILE).setInputFiles(
            asFile(
              'a.csv',
              makeExport(language, 2, () => sample),
            ),
          )
          await page.getByRole('button', { name: 'Import 2 products' }).waitFor()
          ready.push((await page.locator('.rows em').first().textContent()) ?? '')
          await page.getByRole('button', { name: 'Choose another file' }).last().click()
        }
        const told: (string | null)[] = []
        const wrong = [asFile('none.csv', ''), asFile('old.xlsx', 'PK'), asFile('a.pdf', '%PDF-1.7 and more')]
        for (const file of wrong) {
          await page.locator(FILE).setInputFiles(file)
          await page.locator('.failure', { hasText: /./ }).waitFor()
          told.push(await page.locator('.failure strong').textContent())
        }
        // A table without a picture: the wizard asks which column has it.
        await page.locator(FILE).setInputFiles(asFile('b.csv', `number,foo\n7,"${sample}"\n`))
        await page.getByText('No column gives the picture').waitFor()
        await page.getByLabel('Column for the picture').selectOption('foo')
        await page.getByLabel('Column for the product number').selectOption('number')
        await page.getByRole('button', { name: 'Import 1 product', disabled: false }).waitFor()
        // The upload ends; the choice stays.
        await page.route('**/v1/products/import', (route) =>
          route.request().postData()?.startsWith('{')
            ? route.fulfill({ status: 404, json: { error: 'not_found', message: 'gone' } })
            : route.continue(),
        )
        await page.getByRole('button', { name: 'Import 1 product' }).click()
        await page.getByRole('button', { name: 'Send “b.csv” again' }).click()
        await page.locator('.failure').waitFor({ state: 'detached' })
        await page.unroute('**/v1/products/import')
        await page.getByRole('button', { name: 'Import 1 product' }).click()
        await page.getByText('Done 1 of 1').waitFor({ timeout: 20_000 })
        return { ready, told }
      })
      expect(result.ready).toEqual(['Images', 'Изображения'])
      expect(result.told).toEqual([
        'This file is empty.',
        'This is a spreadsheet, not a table of text.',
        'This file cannot be read.',
      ])
    }, 120_000)

    test('an upload tells how far it is, a file that is too large is not sent, and a running job is cancelled', async () => {
      const anna = await createOwner()
      const { result } = await visitPortal(anna, '/products/import', DESKTOP, async (page) => {
        const large = makeLargeFile('large.csv', 101)
        const sent: string[] = []
        page.on('request', (request) => {
          if (request.method() === 'POST') sent.push(request.url())
        })
        await page.locator(FILE).setInputFiles(large.path)
        const told = await page.locator('.failure strong').textContent()
        const sentLarge = sent.length
        large.remove()

        const network = await page.context().newCDPSession(page)
        const limit = { offline: false, latency: 0, downloadThroughput: -1 }
        await network.send('Network.emulateNetworkConditions', { ...limit, uploadThroughput: 300_000 })
        // The preview fetches the first twenty pictures.
        const pictureOf = (row: number) => at(row < 20 ? `/${row}.webp` : '/held.webp')
        const rows = Array.from({ length: 60 }, (_, n) => `${n},${pictureOf(n)},${'x'.repeat(5_000)}\n`)
        await page.locator(FILE).setInputFiles(asFile('a.csv', `id,image,description\n${rows.join('')}`))
        await untilTrue(
          page,
          `(({ value = 0 } = {}) => value > 0 && value < 1)(document.querySelector('progress[value]') ?? undefined)`,
        )
        await network.send('Network.emulateNetworkConditions', { ...limit, uploadThroughput: -1 })
        await page.getByRole('button', { name: 'Import 60 products' }).click({ timeout: 40_000 })
        await page.getByRole('button', { name: 'Cancel the job' }).click()
        const question = await page.getByRole('dialog').textContent()
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
        held.resolve()
        await page.getByText(/^Cancelled/).waitFor({ timeout: 20_000 })
        const left = await page.locator('.figures div', { hasText: 'Not begun' }).locator('dd').textContent()
        return { told, sentLarge, question, left: Number(left), faults: await findFaults(page) }
      })
      expect(result).toMatchObject({
        ...{ told: 'This file is larger than 100 MB.', sentLarge: 0, faults: [] },
        question: expect.stringMatching(/\d+ products will not be written/),
      })
      expect(result.left).toBeGreaterThan(0)
    }, 90_000)

    test('a feed with a login is made, read, stopped, started and deleted; its runs are told in words', async () => {
      const anna = await createOwner()
      web.file = `id,name,image\n1,One,${at('/a.webp')}\n2,Two,${at('/b.webp')}\n`
      const { result } = await visitPortal(anna, '/feeds', PHONE, async (page) => {
        await page.getByRole('button', { name: 'Add a feed' }).click()
        await page.getByLabel('Address of the file').fill('http://10.1.2.3/products.csv')
        await page.getByRole('button', { name: 'Read it now' }).click()
        const refused = await page.locator('.failure code').first().textContent()
        await page.getByLabel('Address of the file').fill(at('/private.csv'))
        await page.getByRole('button', { name: 'Read it now' }).click()
        await page.locator('.run-error').waitFor({ timeout: 40_000 })
        const locked = await page.locator('.run-error').textContent()
        await page.getByRole('button', { name: 'Change', exact: true }).click()
        await page.getByLabel('Login for the address').selectOption('new')
        await page.getByLabel('User name').fill('anna@shop')
        await page.getByLabel('Password').fill('p/w')
        await page.getByRole('button', { name: 'Save the feed' }).click()
        await page.getByText('with a login').waitFor()
        await page.getByRole('button', { name: 'Run now' }).click()
        await page.getByText('Read: 2 new').waitFor({ timeout: 40_000 })
        const shown = await page.locator('main').textContent()
        const runs = await page.locator('.runs-strip li').count()
        const faults = await findFaults(page)
        await page.getByRole('button', { name: 'Stop' }).click()
        await page.getByText('Stopped').waitFor()
        const stopped = ((await call(anna, 'GET', '/v1/feeds')) as { feeds: { paused: boolean }[] }).feeds
        await page.getByRole('button', { name: 'Start' }).click()
        await page.getByText('Every 24 hours').waitFor()
        await page.getByRole('button', { name: 'Delete the feed' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the feed' }).click()
        await page.getByRole('heading', { name: 'No feed yet' }).waitFor()
        const seen = { refused, runs, faults, width: await scrollWidth(page), stopped: stopped[0]?.paused }
        return { ...seen, locked, tellsPassword: shown?.includes('p/w') || shown?.includes('p%2Fw') }
      })
      expect(result).toEqual({
        ...{ refused: 'url_not_allowed', runs: 2, faults: [], width: 360, stopped: true },
        ...{ locked: expect.stringContaining('401'), tellsPassword: false },
      })
    }, 90_000)

    test('the 20 % brake of a feed is told in words, and one person says that they are gone', async () => {
      const anna = await createOwner()
      const rows = (count: number) =>
        Array.from({ length: count }, (_, n) => `${n + 1},P${n + 1},${at(`/${n}.webp`)}\n`).join('')
      web.file = `id,name,image\n${rows(4)}`
      await call(anna, 'POST', '/v1/feeds', { url: at('/products.csv'), delete_missing: true })
      const { result } = await visitPortal(anna, '/feeds', DESKTOP, async (page) => {
        await page.getByText('Read: 4 new').waitFor({ timeout: 40_000 })
        web.file = `id,name,image\n${rows(1)}`
        await page.getByRole('button', { name: 'Run now' }).click()
        await page.getByRole('button', { name: 'They are really gone' }).click({ timeout: 40_000 })
        const brake = await page.locator('.run-error p').first().textContent()
        await page.getByRole('button', { name: 'Delete 3 products' }).click()
        await page.getByText('Read: 3 deleted').waitFor({ timeout: 40_000 })
        return {
          brake,
          signs: (await page.locator('.runs-strip li').allTextContents()).map(([sign]) => sign),
        }
      })
      expect(result.brake).toStartWith('3 of 4 products are missing in the file, more than 20 %.')
      expect(result.signs).toEqual(['✓', '!', '✓'])
    }, 120_000)
  })
}
