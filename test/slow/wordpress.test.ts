import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killGroup } from '../robustness/service.ts'

const ROOT = join(import.meta.dir, '../..')
const MAIN = join(ROOT, 'src/main.ts')
const PICTURES = join(ROOT, 'src/features/catalogue/demo/pictures')
/** Debian's packages `wordpress`, `mariadb-server` and `php-mysql`, which nothing else needs: without them there is nothing to try. */
const WORDPRESS = '/usr/share/wordpress'
const isThere =
  existsSync(WORDPRESS) &&
  [Bun.which('php'), Bun.which('mariadbd'), Bun.which('mariadb-install-db')].every(Boolean) &&
  Bun.spawnSync(['php', '-r', "exit(extension_loaded('mysqli') ? 0 : 1);"]).success

const PERSON = { email: 'me@shop.test', password: 'kettle drum violin' }

describe.skipIf(!isThere)(
  'the plugin for WooCommerce, in WordPress with MariaDB and a stand-in for WooCommerce',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-wordpress-'))
    const site = join(folder, 'site')
    const children: Bun.Subprocess[] = []
    let php: Bun.Subprocess | undefined
    let shop: string
    let service: string
    let credentials: { client_id: string; client_secret: string }
    let widgetKey: string
    let token: string
    let cookie: string

    beforeAll(async () => {
      ;[service, shop] = await Promise.all([startService(), startWordPress()])
      credentials = JSON.parse(
        await run([
          process.execPath,
          MAIN,
          'setup',
          '--email',
          PERSON.email,
          '--password',
          PERSON.password,
          '--store',
          'Shop',
          '--json',
        ]),
      )
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
      token = (await askService<{ access_token: string }>('/oauth/token', { method: 'POST', body }))
        .access_token
      const made = await askService<{ key: string }>('/v1/security/public-keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Shop', origins: [shop] }),
      })
      widgetKey = made.key
      await tell('activate', ['woocommerce/woocommerce.php', 'lookalike/lookalike.php'])
      cookie = await signIn()
    }, 300_000)

    afterAll(async () => {
      for (const child of children) child.kill('SIGTERM')
      await Promise.all(children.map((child) => child.exited))
      // Its workers outlive it.
      if (php) killGroup(php.pid)
      rmSync(folder, { recursive: true, force: true })
    }, 60_000)

    const env = {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'error',
      OFFLINE: '1',
      FETCH_ALLOW_CIDRS: '127.0.0.0/8',
    }

    async function run(words: string[]): Promise<string> {
      const child = Bun.spawn(words, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
      const [out, problems, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ])
      if (code !== 0 || problems.includes('PHP ')) throw new Error(`${words.join(' ')}: ${out}${problems}`)
      return out
    }

    const tell = async (command: string, input?: unknown) =>
      JSON.parse(
        await run([
          'php',
          join(ROOT, 'test/plugins/wordpress-driver.php'),
          site,
          command,
          JSON.stringify(input ?? null),
        ]),
      )

    async function startService(): Promise<string> {
      const child = Bun.spawn([process.execPath, MAIN, 'serve', '--port', '0'], {
        cwd: folder,
        env,
        stdout: 'pipe',
        stderr: 'inherit',
      })
      children.push(child)
      const { value } = await child.stdout.getReader().read()
      return /^listening on (\S+)$/m.exec(new TextDecoder().decode(value))?.[1] ?? ''
    }

    async function startWordPress(): Promise<string> {
      const [data, socket] = [join(folder, 'mariadb'), join(folder, 'mariadb.sock')]
      const asRoot = [
        '--no-defaults',
        `--datadir=${data}`,
        ...(process.getuid?.() === 0 ? ['--user=root'] : []),
      ]
      await run([
        'mariadb-install-db',
        ...asRoot,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ])
      children.push(
        Bun.spawn(['mariadbd', ...asRoot, `--socket=${socket}`, '--skip-networking'], {
          stdout: 'ignore',
          stderr: 'ignore',
        }),
      )
      cpSync(WORDPRESS, site, {
        recursive: true,
        dereference: true,
        filter: (path) => !/\/wp-content\/languages|wp-config\.php$/.test(path),
      })
      const plugins = join(site, 'wp-content/plugins')
      mkdirSync(join(plugins, 'woocommerce'), { recursive: true })
      cpSync(join(ROOT, 'test/plugins/woocommerce-stub.php'), join(plugins, 'woocommerce/woocommerce.php'))
      cpSync(join(ROOT, 'scripts/plugins/woocommerce'), join(plugins, 'lookalike'), { recursive: true })
      const theme = join(site, 'wp-content/themes/plain')
      mkdirSync(theme, { recursive: true })
      writeFileSync(join(theme, 'style.css'), '/* Theme Name: Plain */')
      writeFileSync(
        join(theme, 'index.php'),
        '<!doctype html><html><head><?php wp_head(); ?></head><body><input id="s" type="search" name="s"><?php while (have_posts()) { the_post(); the_content(); } wp_footer(); ?></body></html>',
      )
      const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
      const address = `http://127.0.0.1:${probe.port}`
      await probe.stop(true)
      const constants = {
        ...{
          DB_NAME: 'shop',
          DB_USER: 'root',
          DB_PASSWORD: '',
          DB_HOST: `localhost:${socket}`,
          DB_CHARSET: 'utf8mb4',
          DB_COLLATE: '',
        },
        ...{
          WP_HOME: address,
          WP_SITEURL: address,
          DISABLE_WP_CRON: true,
          WP_HTTP_BLOCK_EXTERNAL: true,
          WP_ACCESSIBLE_HOSTS: '127.0.0.1',
        },
        ...{
          WP_DEBUG: true,
          WP_DEBUG_DISPLAY: false,
          WP_DEBUG_LOG: join(folder, 'debug.log'),
          WP_CONTENT_DIR: join(site, 'wp-content'),
          AUTH_KEY: 'a',
          SECURE_AUTH_KEY: 'b',
          LOGGED_IN_KEY: 'c',
          NONCE_KEY: 'd',
        },
      }
      const lines = Object.entries(constants).map(
        ([name, value]) => `define('${name}', ${typeof value === 'string' ? `'${value}'` : value});`,
      )
      writeFileSync(
        join(site, 'wp-config.php'),
        `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\nif (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }\nrequire_once ABSPATH . 'wp-settings.php';\n`,
      )
      for (let n = 0; n < 100 && !existsSync(socket); n++) await Bun.sleep(200)
      await run([
        'mariadb',
        '--no-defaults',
        `--socket=${socket}`,
        '-u',
        'root',
        '-e',
        'CREATE DATABASE shop',
      ])
      php = Bun.spawn(['php', '-S', address.slice(7), '-t', site], {
        env: { ...env, PHP_CLI_SERVER_WORKERS: '4' },
        stdout: 'ignore',
        stderr: 'ignore',
        detached: true,
      })
      children.push(php)
      const form = new URLSearchParams({
        weblog_title: 'Shop',
        user_name: 'admin',
        admin_email: PERSON.email,
        admin_password: PERSON.password,
        admin_password2: PERSON.password,
        pw_weak: '1',
        blog_public: '0',
        language: '',
      })
      for (let n = 0; ; n++) {
        const answer = await fetch(`${address}/wp-admin/install.php?step=2`, {
          method: 'POST',
          body: form,
        }).catch(() => undefined)
        if (answer?.ok && (await answer.text()).includes('wp-login.php')) return address
        if (n > 50) throw new Error('WordPress does not install itself')
        await Bun.sleep(200)
      }
    }

    async function askService<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
      const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(init.headers as object) }
      const answer = await fetch(service + path, { ...init, headers })
      if (!answer.ok) throw new Error(await answer.text())
      return (await answer.json()) as Answer
    }

    async function signIn(): Promise<string> {
      const body = new URLSearchParams({ log: 'admin', pwd: PERSON.password, testcookie: '1' })
      const headers = { cookie: 'wordpress_test_cookie=WP%20Cookie%20check' }
      const answer = await fetch(`${shop}/wp-login.php`, {
        method: 'POST',
        body,
        headers,
        redirect: 'manual',
      })
      return answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
    }

    const see = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(shop + path, { ...init, headers: { ...(init.headers as object), cookie } })
      return { status: answer.status, text: await answer.text() }
    }
    /** The hidden fields of the form that has a text. */
    const readForm = (page: string, has: string): Record<string, string> => {
      const form = page.split('<form').find((part) => part.includes(has)) ?? ''
      const fields = [
        ...form.matchAll(/<input type=["']hidden["'][^>]*name=["']([^"']+)["'][^>]*value=["']([^"']*)["']/g),
      ]
      return Object.fromEntries(
        fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
      )
    }
    const save = async (settings: Record<string, string>) => {
      const hidden = readForm((await see('/wp-admin/admin.php?page=lookalike')).text, 'option_page')
      const fields = Object.entries(settings).map(([name, value]) => [`lookalike_settings[${name}]`, value])
      return await see('/wp-admin/options.php', {
        method: 'POST',
        body: new URLSearchParams({ ...hidden, ...Object.fromEntries(fields) }),
      })
    }
    const press = async (action: string) => {
      const hidden = readForm((await see('/wp-admin/admin.php?page=lookalike')).text, `value="${action}"`)
      return await see('/wp-admin/admin-post.php', { method: 'POST', body: new URLSearchParams(hidden) })
    }
    const listProducts = async () => {
      const { products } = await askService<{
        products: { product_id: string; metadata: Record<string, unknown> }[]
      }>('/v1/products?limit=100')
      return products.sort((one, other) => one.product_id.localeCompare(other.product_id))
    }
    const ids = async () => (await listProducts()).map(({ product_id }) => product_id)

    let mug: number

    test('before it has settings it shows nothing and sends nothing', async () => {
      expect((await see('/')).text).not.toContain('widget.js')
      await tell('add', { name: 'Too early', picture: join(PICTURES, 'mug-red.webp') })
      expect(await tell('waiting')).toEqual([])
      const { status, text } = await see('/wp-admin/admin.php?page=lookalike')
      expect([status, text.includes('Address of the service')]).toEqual([200, true])
    }, 60_000)

    test('the page keeps what is right, refuses what is dangerous, and never shows the secret', async () => {
      const all = {
        service: `${service}/`,
        ...credentials,
        widget_key: widgetKey,
        pages: 'all',
        camera: '#s',
        sync: '1',
      }
      expect((await save(all)).text).toContain('Settings saved')
      expect(await tell('options')).toMatchObject({
        service,
        client_id: credentials.client_id,
        widget_key: widgetKey,
        sync: true,
      })
      const wrong = await save({
        ...all,
        service: 'http://elsewhere.example',
        widget_key: 'sk_live_secret',
        client_secret: '',
      })
      expect(wrong.text).toContain('must begin with https://')
      expect(wrong.text).toContain('A key that begins with sk_ is secret')
      expect(await tell('options')).toMatchObject({
        service,
        widget_key: widgetKey,
        client_secret: credentials.client_secret,
      })
      const page = (await see('/wp-admin/admin.php?page=lookalike')).text
      expect(page).not.toContain(credentials.client_secret)
      expect((await press('lookalike_try')).text).toContain(
        'The service answers. The store is &quot;Shop&quot;.',
      )
    }, 60_000)

    test('somebody without the right sees and changes nothing, and a form without its token is refused', async () => {
      const answer = await fetch(`${shop}/wp-admin/admin.php?page=lookalike`, { redirect: 'manual' })
      expect(answer.status).toBe(302)
      const forged = await see('/wp-admin/admin-post.php', {
        method: 'POST',
        body: new URLSearchParams({ action: 'lookalike_sync' }),
      })
      expect(forged.status).toBe(403)
    }, 60_000)

    test('a full run sends what shoppers may find, and says what it left out', async () => {
      mug = await tell('add', {
        ...{
          name: 'Red mug',
          sku: 'MUG-1',
          price: '14.50',
          sale: '12',
          color: 'Red, Blue',
          categories: ['Kitchen', 'Mugs &amp; cups'],
        },
        ...{ description: '<p>A <b>mug</b>.</p>', picture: join(PICTURES, 'mug-red.webp') },
      })
      const plain = await tell('add', {
        name: 'Handbag',
        sku: 'a/b',
        picture: join(PICTURES, 'handbag-red.webp'),
      })
      await tell('add', { name: 'No picture' })
      await tell('add', { name: 'Hidden', visibility: 'hidden', picture: join(PICTURES, 'mug-red.webp') })
      await tell('add', { name: 'Draft', status: 'draft', picture: join(PICTURES, 'mug-red.webp') })
      await press('lookalike_sync')
      expect(await tell('actions')).not.toContainEqual(expect.stringContaining('failed'))
      const found = await waitUntil(listProducts, (products) => products.length === 3)
      expect(found.find(({ product_id }) => product_id === 'MUG-1')?.metadata).toMatchObject({
        ...{
          name: 'Red mug',
          category: 'Mugs & cups',
          category_path: ['Kitchen', 'Mugs & cups'],
          price: 14.5,
          sale_price: 12,
        },
        ...{ currency: 'EUR', in_stock: true, sku: 'MUG-1', color_name: 'Red', description: 'A mug.' },
        url: expect.stringContaining(shop),
      })
      // A SKU with a slash is no id of the service.
      expect(found.map(({ product_id }) => product_id)).toContain(String(plain))
      expect(await tell('state')).toMatchObject({ state: 'done', sent: 3, skipped: 2, error: '' })
      expect((await see('/wp-admin/admin.php?page=lookalike')).text).toContain(
        'The last full run is done. 3 products were sent, 2 were left out',
      )
    }, 120_000)

    test('a change is sent once, another SKU takes the former product out, and so does the bin', async () => {
      await tell('set', { id: mug, post: { post_title: 'Crimson mug' } })
      await tell('set', { id: mug, meta: { _stock_status: 'outofstock' } })
      expect(await tell('waiting')).toHaveLength(1)
      await tell('actions')
      const changed = (await listProducts()).find(({ product_id }) => product_id === 'MUG-1')
      expect(changed?.metadata).toMatchObject({ name: 'Crimson mug', in_stock: false })
      await tell('set', { id: mug, meta: { _sku: 'MUG-2' } })
      await tell('actions')
      expect(await ids()).toContain('MUG-2')
      expect(await ids()).not.toContain('MUG-1')
      await tell('set', { id: mug, meta: { _visibility: 'hidden' } })
      await tell('actions')
      expect(await ids()).not.toContain('MUG-2')
      await tell('set', { id: mug, meta: { _visibility: 'visible' } })
      await tell('actions')
      expect(await ids()).toContain('MUG-2')
      await tell('trash', mug)
      await tell('actions')
      expect(await ids()).not.toContain('MUG-2')
    }, 120_000)

    test('what changes while it is sent is sent again, and a full run takes out what was hidden while nothing was sent', async () => {
      const id = await tell('add', { name: 'Vase', sku: 'VASE', picture: join(PICTURES, 'handbag-red.webp') })
      await tell('actions')
      expect(await tell('while running', id)).toEqual(['lookalike_send_changed'])
      await tell('actions')
      await tell('option', { sync: false })
      await tell('set', { id, meta: { _visibility: 'hidden' } })
      expect(await tell('waiting')).toEqual([])
      expect(await ids()).toContain('VASE')
      await tell('option', { sync: true })
      await press('lookalike_sync')
      await press('lookalike_sync')
      await tell('actions')
      expect(await ids()).not.toContain('VASE')
      expect(await tell('state')).toMatchObject({ state: 'done', error: '' })
    }, 120_000)

    test('the widget is on the pages that the settings name, with consent where it is asked for', async () => {
      const front = (await see('/')).text
      expect(front).toContain(`src="${service}/widget.js"`)
      expect(front).toContain('data-attach="#s"')
      expect(front).not.toContain('data-consent')
      await tell('option', { pages: 'chosen', needs_consent: true })
      expect((await see('/')).text).not.toContain('widget.js')
      const page = await tell('page', '[lookalike]')
      const inline = (await see(`/?page_id=${page}`)).text
      expect(inline).toMatch(/widget\.js"[^>]*data-consent="required"[^>]*data-mode="inline"/)
      const row = await tell('page', '<!-- wp:lookalike/search {"similarTo":"MUG-\\u0022>1"} /-->')
      expect((await see(`/?page_id=${row}`)).text).toContain('data-similar-to="MUG-&quot;&gt;1"')
      await tell('option', { pages: 'all', needs_consent: false })
    }, 60_000)

    test('while the service is away an action tries again later, and the page says why', async () => {
      await tell('option', { service: 'http://127.0.0.1:9' })
      const id = await tell('add', { name: 'Later', picture: join(PICTURES, 'mug-red.webp') })
      const said = (await tell('actions')) as string[]
      // Seven times it waits; then somebody must look.
      expect(said.slice(0, 7)).toEqual(Array(7).fill('lookalike_send_changed done'))
      expect(said[7]).toStartWith('lookalike_send_changed failed: ')
      expect((await tell('state')).error).toBeTruthy()
      await tell('option', { service })
      await tell('set', { id })
      await tell('actions')
      expect(await ids()).toContain(String(id))
    }, 120_000)

    test('deleted, it leaves nothing in WordPress', async () => {
      expect(await tell('uninstall')).toEqual([])
      const said = existsSync(join(folder, 'debug.log'))
        ? await Bun.file(join(folder, 'debug.log')).text()
        : ''
      expect(said.split('\n').filter((line) => line.includes('plugins/lookalike'))).toEqual([])
    }, 60_000)
  },
)

async function waitUntil<Value>(
  read: () => Promise<Value>,
  isRight: (value: Value) => boolean,
): Promise<Value> {
  for (let n = 0; ; n++) {
    const value = await read()
    if (isRight(value) || n > 100) return value
    await Bun.sleep(200)
  }
}
