import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyModel } from '../../platform/embedder/bundled.ts'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

test('a demo whose model does not come up stops when it is told to, and leaves nothing behind', async () => {
  using model = copyModel()
  writeFileSync(join(model.dir, 'onnx/vision_model_quantized.onnx'), 'no model')
  const temporary = join(mkdtempSync(join(tmpdir(), 'lookalike-demo-test-')), 'tmp')
  mkdirSync(temporary)
  const child = Bun.spawn([process.execPath, MAIN, 'demo', '--model-dir', model.dir, '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: temporary },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes('listening on')) child.kill('SIGTERM')
  }
  expect(await child.exited).toBe(0)
  expect(said).not.toContain('demo products')
  expect(readdirSync(temporary).filter((name) => name.startsWith('lookalike-demo-'))).toEqual([])
  rmSync(join(temporary, '..'), { recursive: true })
}, 30_000)

test('the shop of the demo has a widget key for its origin, a policy that names the service, orders, and words that lead to a page', async () => {
  const child = Bun.spawn([process.execPath, MAIN, 'demo', '--shop', '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let said = ''
  const decoder = new TextDecoder()
  const answered: Record<string, unknown> = { shop: 0 }
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true })
    const [, service] = /^listening on (\S+)$/m.exec(said) ?? []
    const [, shop] = /^Shop: +(\S+)$/m.exec(said) ?? []
    if (answered['shop'] !== 0 || service === undefined || shop === undefined) continue
    const page = await fetch(shop)
    answered['shop'] = page.status
    answered['policy'] = page.headers.get('content-security-policy')
    const key = /data-key="(pk_live_\w+)"/.exec(await page.text())?.[1] ?? ''
    const search = (origin: string, query = 'red mug') =>
      fetch(`${service}/v1/widget/search/text`, {
        method: 'POST',
        headers: { 'x-service-key': key, origin, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
    answered['search'] = (await search(shop)).status
    answered['stranger'] = (await search('https://shop.test')).status
    answered['returns'] = ((await (await search(shop, 'returns')).json()) as Record<string, unknown>)[
      'redirect_url'
    ]
    const row = await fetch(`${service}/v1/widget/together?product_id=demo-mug-red`, {
      headers: { 'x-service-key': key, origin: shop },
    })
    answered['basis'] = ((await row.json()) as Record<string, unknown>)['basis']
    answered['picture'] = (await fetch(`${shop}/pictures/mug-red.webp`)).headers.get('content-type')
    answered['none'] = (await fetch(`${shop}/pictures/none.webp`)).status
    expect(answered['policy']).toContain(`connect-src ${service};`)
    child.kill('SIGTERM')
  }
  expect(await child.exited).toBe(0)
  expect(answered).toMatchObject({
    ...{ shop: 200, search: 200, stranger: 403 },
    ...{ returns: '/returns', basis: 'purchases', picture: 'image/webp', none: 404 },
  })
}, 60_000)

test('a shop needs a demo that goes on', async () => {
  const child = Bun.spawn([process.execPath, MAIN, 'demo', '--shop', '--once'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect(await child.exited).toBe(2)
  expect(await new Response(child.stderr).text()).toStartWith('--shop needs a demo that goes on')
}, 30_000)
