/**
 * Serves the shop of `shop.html` on an origin of its own, under the strictest policy that the widget needs:
 * `bun scripts/examples/shop.ts --service http://127.0.0.1:8080 --key pk_live_… [--port 8090]`.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const FILES: Readonly<Record<string, string>> = {
  '/': 'shop.html',
  '/thanks': 'thanks.html',
  '/shop.css': 'shop.css',
  '/stub.js': 'stub.js',
  '/shop.js': 'shop.js',
  '/thanks.js': 'thanks.js',
}

interface ShopOptions {
  /** Address of the service, without a slash at its end. */
  service: string
  /** A widget key that lists the shop's origin. */
  key: string
  /** 0 takes a free one. */
  port: number
}

/** Starts the shop. The address of the result is the origin that the key must list. */
export function serveShop({ service, key, port }: ShopOptions) {
  const policy =
    `default-src 'none'; script-src 'self' ${service}; connect-src ${service}; img-src 'self' data: ${service}; ` +
    `style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      // Each product has a page; this shop shows the same one for all.
      const name = pathname.startsWith('/p/') ? 'shop.html' : FILES[pathname]
      if (!name) return new Response('Not found', { status: 404 })
      const file = Bun.file(join(import.meta.dir, name))
      if (!name.endsWith('.html')) return new Response(file)
      const html = (await file.text()).replaceAll('{service}', service).replaceAll('{key}', key)
      return new Response(html, {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
      })
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      service: { type: 'string', default: 'http://127.0.0.1:8080' },
      key: { type: 'string', default: '' },
      port: { type: 'string', default: '8090' },
    },
  })
  const { origin } = serveShop({
    service: values.service.replace(/\/+$/, ''),
    key: values.key,
    port: Number(values.port),
  })
  console.log(`The shop is at ${origin}; its widget key must list this origin.`)
}
