import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeJpeg } from '../platform/embedder/pictures.ts'
import { type Install, newInstall, type Service, startService } from '../robustness/service.ts'
import { makeCertificate } from '../support/certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-proxies-'))
const certificate = makeCertificate(folder, 'proxy')
const guide = readFileSync(join(import.meta.dir, '../../src/guide/service.md'), 'utf8')
/** Another address of this machine: the client's, in contrast to the proxy's. */
const CLIENT = '127.0.0.2'
const MB = 1024 * 1024

let install: Install
let service: Service
/** Opens the picture that the job under test waits for. */
const gate = Promise.withResolvers<void>()
let pictures: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  const picture = await encodeJpeg(64, 64)
  pictures = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch() {
      await gate.promise
      return new Response(picture)
    },
  })
  install = await newInstall()
  // No BASE_URL: the portal then knows its page by the host that was asked for.
  service = await startService(install, {
    settings: { TRUSTED_PROXIES: '127.0.0.1', FETCH_ALLOW_CIDRS: '127.0.0.0/8' },
  })
}, 120_000)
afterAll(async () => {
  gate.resolve()
  await service.stop()
  await pictures.stop(true)
  install.remove()
  rmSync(folder, { recursive: true, force: true })
}, 30_000)

/** The configuration that the guide shows, with the ports and files of this test. */
function exampleOf(language: string, port: number, changes: readonly (readonly [string, string])[]): string {
  const example = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''
  const all = [['127.0.0.1:8080', new URL(service.address).host], ...changes] as const
  return all.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`The guide's example has no ${from}`)
      return text.replaceAll(from, to)
    },
    example.replaceAll('PORT', String(port)),
  )
}

const { cert = '', key = '' } = certificate ?? {}
const live = '/etc/letsencrypt/live/search.shop.example'

const PROXIES = {
  nginx(port: number) {
    const server = exampleOf('nginx', port, [
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['server_name search.shop.example', 'server_name localhost'],
      [`${live}/fullchain.pem`, cert],
      [`${live}/privkey.pem`, key],
    ])
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    const path = join(folder, 'nginx.conf')
    writeFileSync(
      path,
      `daemon off; pid ${folder}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${folders.join(' ')}\n${server}}\n`,
    )
    return ['nginx', '-c', path, '-p', folder, '-e', 'stderr']
  },
  caddy(port: number) {
    const site = exampleOf('caddy', port, [
      ['search.shop.example {', `https://localhost:${port} {\n  tls ${cert} ${key}`],
    ])
    const path = join(folder, 'Caddyfile')
    writeFileSync(path, `{\n  admin off\n  auto_https disable_redirects\n  skip_install_trust\n}\n${site}`)
    return ['caddy', 'run', '--config', path, '--adapter', 'caddyfile']
  },
}

const findPort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const isMissing = (name: string): boolean => !certificate || !Bun.which('curl') || !Bun.which(name)

for (const name of ['nginx', 'caddy'] as const) {
  describe.skipIf(isMissing(name))(`behind ${name}, as the guide sets it up`, () => {
    let proxy: Bun.Subprocess
    let address: string

    beforeAll(async () => {
      const port = await findPort()
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder }
      proxy = Bun.spawn(PROXIES[name](port), { env, stdout: 'ignore', stderr: 'ignore' })
      address = `https://localhost:${port}`
      while ((await curl('/health')).code !== 0) {
        if (proxy.exitCode !== null) throw new Error(`${name} ended with ${proxy.exitCode}`)
        await Bun.sleep(50)
      }
    }, 30_000)
    afterAll(async () => {
      proxy.kill()
      await proxy.exited
    })

    /** Asks as a client with an address of its own, which believes the certificate. */
    async function curl(path: string, ...words: string[]) {
      const own = ['-sS', '--cacert', cert, '--interface', CLIENT, '--ipv4', ...words]
      const child = Bun.spawn(['curl', ...own, address + path], { stdout: 'pipe', stderr: 'ignore' })
      const said = await new Response(child.stdout).text()
      return { said, code: await child.exited }
    }

    const authorization = () => ['-H', `Authorization: Bearer ${install.token}`]
    const json = (body: object) => ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)]

    test('the portal knows its own page, and the service the address of its client', async () => {
      const { email, password } = install.account
      const signedIn = await curl('/portal/session', '-H', `Origin: ${address}`, ...json({ email, password }))
      const { access_token } = JSON.parse(signedIn.said) as { access_token: string }
      const forged = ['-H', 'X-Forwarded-For: 203.0.113.9', '-H', `Authorization: Bearer ${access_token}`]
      const { said } = await curl('/v1/me/sessions', ...forged)
      expect(said).toContain(`"ip_address":"${CLIENT}"`)
    }, 30_000)

    test('a picture of 10 MB arrives', async () => {
      const path = join(folder, 'large.jpg')
      const picture = await encodeJpeg(64, 64)
      writeFileSync(path, Buffer.concat([picture, Buffer.alloc(10 * MB - picture.length)]))
      const form = ['-F', `product_id=large-${name}`, '-F', `image=@${path};type=image/jpeg`]
      const { said } = await curl(
        '/v1/products',
        ...authorization(),
        ...form,
        '-o',
        '-',
        '-w',
        ' %{http_code}',
      )
      expect(said).toMatch(/ 20[01]$/)
    }, 30_000)

    test('an event arrives while its job still waits', async () => {
      const image_url = `http://127.0.0.1:${pictures.port}/${name}.jpg`
      const body = { products: [{ product_id: `waiting-${name}`, image_url }] }
      const { said } = await curl('/v1/products/bulk', ...authorization(), ...json(body))
      const { job_id } = JSON.parse(said) as { job_id: string }
      const words = ['-sSN', '--cacert', cert, ...authorization(), `${address}/v1/jobs/${job_id}/events`]
      const events = Bun.spawn(['curl', ...words], { stdout: 'pipe', stderr: 'ignore' })
      // The job cannot end: its picture is behind the gate.
      const { value } = await events.stdout.getReader().read()
      expect(new TextDecoder().decode(value)).toContain('event: progress')
      events.kill()
      await events.exited
    }, 30_000)
  })
}
