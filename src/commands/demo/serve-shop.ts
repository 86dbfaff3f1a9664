import { readDemoPicture } from '../../features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS } from '../../features/catalogue/demo/catalogue.ts'
import shopCss from './shop/shop.css' with { type: 'file' }
import shopPage from './shop/shop.html' with { type: 'file' }
import shopScript from './shop/shop.js' with { type: 'file' }
import stubScript from './shop/stub.js' with { type: 'file' }
import thanksPage from './shop/thanks.html' with { type: 'file' }
import thanksScript from './shop/thanks.js' with { type: 'file' }
import { renderShopPage } from './shop-pages.ts'

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const FILES: Readonly<Record<string, readonly [path: string, type: string]>> = {
  '/thanks': [String(thanksPage), HTML],
  '/shop.css': [shopCss, 'text/css; charset=utf-8'],
  '/stub.js': [stubScript, SCRIPT],
  '/shop.js': [shopScript, SCRIPT],
  '/thanks.js': [thanksScript, SCRIPT],
}

interface ShopOptions {
  /** Address of the service, without a slash at its end. */
  service: string
  /** The widget key that lists the shop's origin. */
  key(): string
  /** 0 takes a free one. */
  port: number
}

/**
 * Serves a small shop with the widget on an origin of its own, under the strictest policy that the widget needs.
 *
 * @returns the origin, which the key must list.
 */
export function serveShop({ service, key, port }: ShopOptions) {
  const policy =
    `default-src 'none'; script-src 'self' ${service}; connect-src ${service}; img-src 'self' data: ${service}; ` +
    `style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const main = renderShopPage(pathname)
      const file = main === undefined ? FILES[pathname] : ([String(shopPage), HTML] as const)
      if (!file) return answerPicture(pathname)
      const [path, type] = file
      if (type !== HTML) return new Response(Bun.file(path), { headers: { 'content-type': type } })
      const html = (await Bun.file(path).text())
        .replaceAll('{service}', service)
        .replaceAll('{key}', key())
        .replace('{main}', () => main ?? '')
      return new Response(html, { headers: { 'content-type': type, 'content-security-policy': policy } })
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

/** Answers with the picture of a demo product. */
async function answerPicture(pathname: string): Promise<Response> {
  const name = /^\/pictures\/([\w-]+)\.webp$/.exec(pathname)?.[1]
  if (!DEMO_PRODUCTS.some(({ picture }) => picture === name))
    return new Response('Not found', { status: 404 })
  const picture = await readDemoPicture(String(name))
  return new Response(picture as Uint8Array<ArrayBuffer>, { headers: { 'content-type': 'image/webp' } })
}
