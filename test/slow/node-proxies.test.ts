import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { connect } from '../../src/platform/db/open.ts'
import { PROGRAM, productForm, type Service, startService, UNPACK_DIR, until } from '../robustness/service.ts'
import { makeCertificate } from '../support/certificate.ts'

/*
 * Two nodes behind each proxy with exactly the configuration of the guide. Their data folders hold the same stores with the same
 * ids and keys, as after a move; the products of each tell which node answers. `tables` lives at A, `chairs` at B, and `lamps` moves
 * from A to B.
 */

const MAP_TOKEN = 'what-the-proxies-show'
const ORIGIN = 'https://shop.test'
/** Another address of this machine: the client's, in contrast to the proxy's. */
const CLIENT = '127.0.0.2'
const MB = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'lookalike-nodes-'))
const certificate = makeCertificate(folder, 'proxy', 'DNS:search.example,DNS:*.search.example')
const { cert = '', key = '' } = certificate ?? {}
const guide = readFileSync(join(import.meta.dir, '../../src/guide/nodes.md'), 'utf8')

const NAMES = ['haproxy', 'nginx', 'caddy'] as const
type Name = (typeof NAMES)[number]
const SLUGS = ['lamps', 'chairs', 'tables'] as const
type Slug = (typeof SLUGS)[number]
type Letter = 'a' | 'b'

const isMissing = (name: string): boolean => !certificate || !Bun.which('curl') || !Bun.which(name)
const here = NAMES.filter((name) => {
  if (isMissing(name)) console.log(`skipped: ${name}, openssl or curl is not installed`)
  return !isMissing(name)
})

interface Store {
  clientId: string
  secret: string
  widgetKey: string
}

interface Proxy {
  name: Name
  port: number
  map: string
  child: Bun.Subprocess
  reload(): Promise<void>
}

const dirs = { a: join(folder, 'a'), b: join(folder, 'b') }
const account = { email: 'owner@shop.test', password: 'a long password' }
const stores = {} as Record<Slug, Store>
const nodes = {} as Record<Letter, Service>
const proxies: Proxy[] = []

const urlOf = (letter: Letter): string => `https://node-${letter}.search.example`

const findPort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const start = (letter: Letter) =>
  startService(
    { dataDir: dirs[letter] },
    { settings: { BASE_URL: urlOf(letter), MAP_TOKEN, TRUSTED_PROXIES: '127.0.0.1' } },
  )

/** Lets a store go from node A, as the last step of a move does. */
const leave = (slug: Slug) =>
  withInstall(loadConfig({}, { 'data-dir': dirs.a }), ({ stores: service }) =>
    service.setMoveState(service.requireBySlug(slug).id, 'moved', urlOf('b')),
  )

/** Hides stores at node B, whose rows are there already, or shows them. */
function setHidden(slugs: readonly Slug[], isHidden: boolean): void {
  const db = connect(dirs.b)
  const now = isHidden ? Date.now() : null
  for (const slug of slugs) {
    db.prepare(
      'UPDATE stores SET move_state = ?, moved_to = ?, moved_at = ?, erasing_at = ?, suspended_at = ? WHERE slug = ?',
    ).run(isHidden ? 'moved' : null, isHidden ? urlOf('a') : null, now, now, now, slug)
  }
  db.close()
}

/** Runs a program to its end. */
async function run(words: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...words], {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, LOOKALIKE_UNPACK_DIR: UNPACK_DIR, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { said, complaints, code }
}

/** Writes the map of a proxy as the guide's script does. */
async function writeMap({ name, map }: Pick<Proxy, 'name' | 'map'>) {
  const joined = [nodes.a, nodes.b].flatMap(({ address }) => ['--join', address])
  const words = ['--keep', join(folder, 'kept'), '--format', name, '--hosts', 'search.example', '--out', map]
  const { said, complaints, code } = await run([...PROGRAM, 'node', 'map', ...joined, ...words], {
    MAP_TOKEN,
  })
  if (code !== 0) throw new Error(complaints)
  return { said, complaints }
}

/** The configuration that the guide shows, with the addresses and files of this test. */
async function exampleOf(name: Name, map: string, changes: readonly (readonly [string, string])[]) {
  const example = new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''
  const all = [
    ['10.0.0.1:8080', new URL(nodes.a.address).host],
    ['10.0.0.2:8080', new URL(nodes.b.address).host],
    // The standby, which is not ready.
    ['10.0.0.3:8080', `127.0.0.1:${await findPort()}`],
    [`/etc/${name}/stores.map`, map],
    ...changes,
  ] as const
  return all.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The guide's example has no ${from}`)
    return text.replaceAll(from, to)
  }, example)
}

const SETUPS: Record<Name, (port: number, map: string) => Promise<Pick<Proxy, 'child' | 'reload'>>> = {
  async haproxy(port, map) {
    const both = join(folder, 'haproxy.pem')
    writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
    const example = await exampleOf('haproxy', map, [
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/haproxy/search.example.pem', both],
    ])
    const path = join(folder, 'haproxy.cfg')
    // What Debian's file begins with.
    const head =
      'global\n  maxconn 200\ndefaults\n  mode http\n  timeout connect 5000\n  timeout client 50000\n  timeout server 50000\n'
    writeFileSync(path, `${head}\n${example}`)
    const child = spawn(['haproxy', '-W', '-S', join(folder, 'haproxy.sock'), '-f', path])
    return { child, reload: async () => void child.kill('SIGUSR2') }
  },
  async nginx(port, map) {
    const example = await exampleOf('nginx', map, [
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['/etc/nginx/search.example.pem', cert],
      ['/etc/nginx/search.example.key', key],
    ])
    const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const path = join(folder, 'nginx.conf')
    writeFileSync(
      path,
      // The workers of a root's nginx are nobody, who may not write into this folder.
      `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${folder}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${temps.join(' ')}\n${example}}\n`,
    )
    const child = spawn(['nginx', '-c', path, '-p', folder, '-e', 'stderr'])
    return { child, reload: async () => void child.kill('SIGHUP') }
  },
  async caddy(port, map) {
    const example = await exampleOf('caddy', map, [
      [
        'search.example, *.search.example {',
        `https://search.example:${port}, https://*.search.example:${port} {\n  bind 127.0.0.1`,
      ],
      ['/etc/caddy/search.example.pem', cert],
      ['/etc/caddy/search.example.key', key],
    ])
    const path = join(folder, 'Caddyfile')
    const socket = `unix/${join(folder, 'caddy.sock')}`
    writeFileSync(
      path,
      `{\n  admin ${socket}\n  auto_https disable_redirects\n  skip_install_trust\n}\n${example}`,
    )
    const words = ['--config', path, '--adapter', 'caddyfile']
    const child = spawn(['caddy', 'run', ...words])
    return {
      child,
      async reload() {
        const { code, complaints } = await run(['caddy', 'reload', ...words, '--address', socket])
        if (code !== 0) throw new Error(complaints)
      },
    }
  },
}

const spawn = (words: string[]) =>
  Bun.spawn(words, {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    stdout: 'ignore',
    stderr: Bun.file(join(folder, `${words[0]}.log`)),
  })

/** Asks a proxy as a client with an address of its own, which believes the certificate. */
async function curl({ port }: Proxy, host: string, path: string, ...words: string[]) {
  const own = ['-sS', '--cacert', cert, '--interface', CLIENT, '--resolve', `${host}:${port}:127.0.0.1`]
  const { said, code } = await run([
    ...['curl', ...own, ...words, '-w', '\n%{http_code}', `https://${host}:${port}${path}`],
  ])
  const lines = said.split('\n')
  return { status: Number(lines.at(-1)), said: lines.slice(0, -1).join('\n'), code }
}

const json = (body: object) => ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)]

async function tokenOf(proxy: Proxy, slug: Slug): Promise<string> {
  const { clientId, secret } = stores[slug]
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret }
  const form = ['-d', String(new URLSearchParams(body))]
  const { said, status } = await curl(proxy, `${slug}.search.example`, '/oauth/token', ...form)
  if (status !== 200) throw new Error(`${proxy.name} answers ${status}: ${said}`)
  return String((JSON.parse(said) as { access_token: string }).access_token)
}

/** Which node answers: its product is called after it. */
const nodeOf = (said: string): string => [...new Set(said.match(/at-[ab]/g))].join()

/** Searches as the widget on a page of the shop does. */
const searchAsWidget = (proxy: Proxy, slug: Slug, ...more: string[]) =>
  curl(
    ...([proxy, 'search.example', '/v1/widget/search/text', ...json({ query: 'anything' })] as const),
    ...['-H', `X-Service-Key: ${stores[slug].widgetKey}`, '-H', `Origin: ${ORIGIN}`, ...more],
  )

const KINDS = {
  host: async (proxy: Proxy, slug: Slug, token: string) =>
    curl(proxy, `${slug}.search.example`, '/v1/products', '-H', `Authorization: Bearer ${token}`),
  header: async (proxy: Proxy, slug: Slug, token: string) =>
    curl(
      ...([proxy, 'search.example', '/v1/products', '-H', `Authorization: Bearer ${token}`] as const),
      ...['-H', `X-Service-Active-Tenant: ${slug}`],
    ),
  'widget key': (proxy: Proxy, slug: Slug) => searchAsWidget(proxy, slug),
} as const

async function expectAt(proxy: Proxy, slug: Slug, letter: Letter): Promise<void> {
  const token = await tokenOf(proxy, slug)
  for (const [kind, ask] of Object.entries(KINDS)) {
    const { status, said } = await ask(proxy, slug, token)
    expect([proxy.name, kind, status, nodeOf(said)]).toEqual([proxy.name, kind, 200, `at-${letter}`])
  }
}

beforeAll(async () => {
  if (here.length === 0) return
  const config = loadConfig({}, { 'data-dir': dirs.a })
  await withInstall(
    config,
    async ({ setup, widgetKeys }) => {
      for (const slug of SLUGS) {
        const made = await setup.run({ ...account, storeName: slug, slug, isAnother: true })
        const { key: widgetKey } = widgetKeys.createForOperator(made.store_id, 'shop', [ORIGIN])
        stores[slug] = { clientId: made.client_id, secret: made.client_secret, widgetKey }
      }
    },
    { mayMake: true },
  )
  cpSync(dirs.a, dirs.b, { recursive: true })
  await leave('chairs')
  for (const letter of ['a', 'b'] as const) {
    nodes[letter] = await start(letter)
    for (const slug of ['lamps', letter === 'a' ? 'tables' : 'chairs'] as const) {
      const { clientId, secret } = stores[slug]
      const granted = await fetch(`${nodes[letter].address}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
        }),
      })
      const { access_token } = (await granted.json()) as { access_token: string }
      const { status } = await fetch(`${nodes[letter].address}/v1/products`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}` },
        body: await productForm(`at-${letter}`, 1),
      })
      if (status !== 201) throw new Error(`node ${letter} answers ${status}`)
    }
  }
  setHidden(['lamps', 'tables'], true)
  for (const name of here) {
    mkdirSync(join(folder, name))
    const [port, map] = [await findPort(), join(folder, name, 'stores.map')]
    await writeMap({ name, map })
    proxies.push({ name, port, map, ...(await SETUPS[name](port, map)) })
  }
  for (const proxy of proxies) {
    await until(`${proxy.name} serves both nodes`, async () => {
      if (proxy.child.exitCode !== null) {
        throw new Error(readFileSync(join(folder, `${proxy.name}.log`), 'utf8'))
      }
      const answers = await Promise.all(
        ['node-a', 'node-b'].map((node) => curl(proxy, `${node}.search.example`, '/health/ready')),
      )
      return answers.every(({ status }) => status === 200)
    })
  }
}, 300_000)

afterAll(async () => {
  for (const { child } of proxies) {
    child.kill()
    await child.exited
  }
  for (const letter of ['a', 'b'] as const) await nodes[letter]?.crash()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

describe.skipIf(here.length === 0)('two nodes behind each proxy, as the guide sets it up', () => {
  test('each kind of request reaches the node of its store', async () => {
    for (const proxy of proxies) {
      await expectAt(proxy, 'lamps', 'a')
      await expectAt(proxy, 'chairs', 'b')
    }
  }, 120_000)

  test('the command writes the map of its own node, whose service runs', async () => {
    const own = (format: string) =>
      run([...PROGRAM, 'node', 'map', '--format', format], { DATA_DIR: dirs.a, BASE_URL: urlOf('a') })
    const { said } = await own('prometheus')
    expect((JSON.parse(said) as { targets: string[] }[]).map(({ targets }) => targets)).toEqual([
      ['node-a.search.example:443'],
      ['node-b.search.example:443'],
    ])
    const lines = (await own('haproxy')).said.split('\n')
    expect(lines).toContain(`${stores.lamps.widgetKey} node-a.search.example`)
    expect(lines).toContain('/chairs node-b.search.example')
  }, 60_000)

  test('HAProxy also reads the store of a token, and of the Authorization of a token request', async () => {
    for (const proxy of proxies.filter(({ name }) => name === 'haproxy')) {
      for (const [slug, letter] of [
        ['lamps', 'a'],
        ['chairs', 'b'],
      ] as const) {
        const { clientId, secret } = stores[slug]
        // More than once: a request that names no store goes to any node.
        for (let n = 0; n < 3; n++) {
          const granted = await curl(
            ...([proxy, 'search.example', '/oauth/token', '-u', `${clientId}:${secret}`] as const),
            ...['-d', 'grant_type=client_credentials'],
          )
          expect(granted.status).toBe(200)
          const { access_token } = JSON.parse(granted.said) as { access_token: string }
          const listed = await curl(
            ...([
              proxy,
              'search.example',
              '/v1/products',
              '-H',
              `Authorization: Bearer ${access_token}`,
            ] as const),
          )
          expect([listed.status, nodeOf(listed.said)]).toEqual([200, `at-${letter}`])
        }
      }
    }
  }, 60_000)

  test('what names no store is served by any node', async () => {
    for (const proxy of proxies) {
      for (const path of ['/widget.js', '/health', '/docs']) {
        expect([proxy.name, path, (await curl(proxy, 'search.example', path)).status]).toEqual([
          proxy.name,
          path,
          200,
        ])
      }
      const preflight = await curl(
        ...([proxy, 'search.example', '/v1/widget/search/text', '-X', 'OPTIONS'] as const),
        ...['-H', `Origin: ${ORIGIN}`, '-H', 'Access-Control-Request-Method: POST'],
        ...['-H', 'Access-Control-Request-Headers: x-service-key,content-type'],
      )
      expect([proxy.name, preflight.status]).toEqual([proxy.name, 204])
    }
  }, 60_000)

  test('the portal of a store knows its page, and the node the address of its client', async () => {
    for (const proxy of proxies) {
      const host = 'lamps.search.example'
      const origin = ['-H', `Origin: https://${host}:${proxy.port}`]
      const signedIn = await curl(proxy, host, '/portal/session', ...origin, ...json(account))
      const { access_token } = JSON.parse(signedIn.said) as { access_token: string }
      const { said } = await curl(
        ...([proxy, host, '/v1/me/sessions', '-H', 'X-Forwarded-For: 203.0.113.9'] as const),
        ...['-H', `Authorization: Bearer ${access_token}`],
      )
      expect(said).toContain(`"ip_address":"${CLIENT}"`)
      expect((await curl(proxy, 'search.example', '/lamps/portal')).status).toBe(200)
    }
  }, 60_000)

  test('a picture of 10 MB arrives', async () => {
    const path = join(folder, 'large.png')
    const picture = Buffer.from(await ((await productForm('x', 2)).get('image') as File).arrayBuffer())
    writeFileSync(path, Buffer.concat([picture, Buffer.alloc(10 * MB - picture.length)]))
    for (const proxy of proxies) {
      const token = await tokenOf(proxy, 'lamps')
      const { status } = await curl(
        ...([proxy, 'lamps.search.example', '/v1/products', '-H', `Authorization: Bearer ${token}`] as const),
        ...['-F', `product_id=at-a-large-${proxy.name}`, '-F', `image=@${path};type=image/png`],
      )
      expect([proxy.name, [200, 201].includes(status)]).toEqual([proxy.name, true])
    }
  }, 60_000)

  test('with a map that is behind, the proxy finds the node that a 421 names', async () => {
    await leave('lamps')
    setHidden(['lamps'], false)
    await until('node a says where lamps is', async () => {
      const asked = await fetch(`${nodes.a.address}/v1/widget/search/text`, {
        method: 'POST',
        headers: {
          'x-service-key': stores.lamps.widgetKey,
          origin: ORIGIN,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: 'anything' }),
      })
      return asked.status === 421
    })
    for (const proxy of proxies) {
      const { widgetKey } = stores.lamps
      const search = (...more: string[]) => searchAsWidget(proxy, 'lamps', ...more)
      const similar = (...more: string[]) =>
        curl(
          ...([proxy, 'search.example', '/v1/widget/similar?product_id=at-b', ...more] as const),
          ...['-H', `X-Service-Key: ${widgetKey}`, '-H', `Origin: ${ORIGIN}`],
        )
      if (proxy.name === 'caddy') {
        expect((await similar()).status).toBe(200)
        const refused = await search('-i')
        expect(refused.status).toBe(421)
        expect(refused.said.toLowerCase()).toContain(`x-lookalike-node: ${urlOf('b')}`)
      } else if (proxy.name === 'haproxy') {
        const first = await search('-i')
        expect(first.status).toBe(307)
        expect(first.said.toLowerCase()).toContain('location: /v1/widget/search/text')
        // A page of another origin may follow.
        expect(first.said.toLowerCase()).toContain('access-control-allow-origin: ')
        // The map is right from there on.
        expect((await search()).status).toBe(200)
        expect((await similar()).status).toBe(200)
      } else {
        const found = await search()
        expect([found.status, nodeOf(found.said)]).toEqual([200, 'at-b'])
        expect((await similar()).status).toBe(200)
      }
    }
  }, 60_000)

  test('a new map is read without a connection being dropped', async () => {
    for (const proxy of proxies) {
      const token = await tokenOf(proxy, 'chairs')
      // Takes five seconds.
      const slow = curl(
        ...([
          proxy,
          'chairs.search.example',
          '/v1/products',
          '-H',
          `Authorization: Bearer ${token}`,
        ] as const),
        ...['--limit-rate', '2M', '-F', `product_id=at-b-slow-${proxy.name}`],
        ...['-F', `image=@${join(folder, 'large.png')};type=image/png`],
      )
      expect((await writeMap(proxy)).said).toStartWith('written: ')
      await proxy.reload()
      await until(`${proxy.name} has the new map`, () =>
        tokenOf(proxy, 'lamps').then(
          () => true,
          () => false,
        ),
      )
      await expectAt(proxy, 'lamps', 'b')
      const { status, code } = await slow
      expect([proxy.name, code, [200, 201].includes(status)]).toEqual([proxy.name, 0, true])
      expect((await writeMap(proxy)).said).toStartWith('unchanged: ')
    }
  }, 120_000)

  test('a node that dies takes its own stores alone, and its map stays', async () => {
    await nodes.b.crash()
    for (const proxy of proxies) {
      const { said, complaints } = await writeMap(proxy)
      expect(said).toStartWith('unchanged: ')
      expect(complaints).toContain('does not tell its map')
      const dark = await Promise.all([
        curl(proxy, 'lamps.search.example', '/v1/products'),
        curl(proxy, 'search.example', '/chairs/portal'),
        // With HTTP/2 curl takes Caddy's refusal of a body that was not read for a fault of the line.
        searchAsWidget(proxy, 'lamps', '--http1.1'),
      ])
      for (const { status } of dark)
        expect([proxy.name, status]).toEqual([proxy.name, status === 503 ? 503 : 502])
      await expectAt(proxy, 'tables', 'a')
      expect((await curl(proxy, 'search.example', '/tables/portal')).status).toBe(200)
      await until(`${proxy.name} serves what names no store`, async () => {
        return (await curl(proxy, 'search.example', '/widget.js')).status === 200
      })
    }
  }, 120_000)
})
