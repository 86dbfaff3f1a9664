/**
 * Creates the picture at the top of README.md: the executable runs two real searches of the demo catalogue.
 *
 *     bun build.ts && bun scripts/readme-picture.ts     # needs Chromium, writes .github/search.webp
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { DEMO_PRODUCTS } from '../src/features/catalogue/demo/catalogue.ts'
import { buildPicturePath } from './demo/render.ts'

const root = join(import.meta.dir, '..')
const executable = join(root, 'dist/lookalike')

interface Result {
  product_id: string
  similarity_score: number
  metadata: { name: string; price: number }
}

/** Starts the service with the demo catalogue and runs one search by picture and one by words. */
async function search(
  pictureName: string,
  query: string,
): Promise<{ byPicture: Result[]; byWords: Result[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-readme-'))
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' }
  const account = ['--email', 'me@shop.test', '--password', 'a long password', '--store', 'Shop', '--json']
  const { client_id, client_secret } = await Bun.$`${executable} setup ${account}`.env(env).json()
  const service = Bun.spawn([executable, 'serve'], { env, stdout: 'pipe', stderr: 'inherit' })
  try {
    const { value } = await service.stdout.getReader().read()
    const address = /^listening on (\S+)$/m.exec(new TextDecoder().decode(value))?.[1]
    while (!(await fetch(`${address}/health/ready`)).ok) await Bun.sleep(100)
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const token = (await (await fetch(`${address}/oauth/token`, { method: 'POST', body })).json()) as {
      access_token: string
    }
    const post = async (path: string, init: RequestInit) => {
      const headers = {
        ...(init.headers as Record<string, string>),
        authorization: `Bearer ${token.access_token}`,
      }
      return (await (await fetch(address + path, { ...init, method: 'POST', headers })).json()) as {
        results: Result[]
      }
    }
    await post('/v1/products/demo', {})
    const form = new FormData()
    form.set('image', Bun.file(buildPicturePath(pictureName)))
    form.set('limit', '3')
    const json = {
      body: JSON.stringify({ query, limit: 3 }),
      headers: { 'content-type': 'application/json' },
    }
    return {
      byPicture: (await post('/v1/search', { body: form })).results,
      byWords: (await post('/v1/search/text', json)).results,
    }
  } finally {
    service.kill('SIGTERM')
    await service.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

const toDataUri = async (name: string) =>
  `data:image/webp;base64,${Buffer.from(await Bun.file(buildPicturePath(name)).bytes()).toString('base64')}`

async function renderCard({ product_id, similarity_score, metadata }: Result): Promise<string> {
  const picture = DEMO_PRODUCTS.find((product) => product.product_id === product_id)?.picture ?? ''
  return `<figure><img src="${await toDataUri(picture)}"><figcaption><b>${similarity_score.toFixed(2)}</b> ${metadata.name}</figcaption></figure>`
}

const STYLE = `
  body { margin: 0; padding: 28px; background: #fff; color: #1c2022; font: 17px system-ui, sans-serif; width: 1144px }
  section { display: grid; grid-template-columns: 260px 40px repeat(3, 1fr); gap: 20px; align-items: center }
  section + section { margin-top: 24px }
  img { width: 100%; border-radius: 10px; display: block; border: 1px solid #e3e5e4 }
  figure { margin: 0 } figcaption { padding-top: 8px } b { color: #0b6e5f; padding-right: 6px }
  .arrow { font-size: 34px; color: #0b6e5f; text-align: center }
  .words { border: 1px solid #c7ccca; border-radius: 999px; padding: 16px 22px; font-size: 20px }`

const { byPicture, byWords } = await search('query-mug', 'brown leather handbag')
const renderCards = async (results: Result[]) => (await Promise.all(results.map(renderCard))).join('')
const html = `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
  <section><img src="${await toDataUri('query-mug')}"><div class="arrow">→</div>${await renderCards(byPicture)}</section>
  <section><div class="words">brown leather handbag</div><div class="arrow">→</div>${await renderCards(byWords)}</section>`

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ],
})
const page = await browser.newPage({ viewport: { width: 1200, height: 400 } })
await page.setContent(html)
const png = await page.screenshot({ fullPage: true })
await browser.close()
await sharp(png).webp({ quality: 86 }).toFile(join(root, '.github/search.webp'))
