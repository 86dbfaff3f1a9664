import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { encodeJpeg } from '../../platform/embedder/pictures.ts'
import { type Install, newInstall, type Service, startService } from '../../robustness/service.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { ENV, PROGRAM } from './program.ts'

const MB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'lookalike-tls-'))
const first = makeCertificate(folder, 'first')
const second = makeCertificate(folder, 'second')
const files = { cert: join(folder, 'used.crt'), key: join(folder, 'used.key') }

function use(certificate: typeof first): void {
  copyFileSync(certificate?.cert ?? '', files.cert)
  copyFileSync(certificate?.key ?? '', files.key)
}

describe.skipIf(!first)('https without a proxy', () => {
  let install: Install
  let service: Service
  const log: string[] = []

  beforeAll(async () => {
    use(first)
    install = await newInstall()
    service = await startService(install, {
      settings: { TLS_CERT: files.cert, TLS_KEY: files.key, LOG_LEVEL: 'info' },
      onLog: (line) => void log.push(line),
      untilReady: false,
    })
  }, 60_000)
  afterAll(async () => {
    expect(await service.stop()).toBe(0)
    install.remove()
    rmSync(folder, { recursive: true, force: true })
  }, 30_000)

  const ask = (path: string, init: BunFetchRequestInit = {}) =>
    fetch(service.address + path, {
      ...init,
      tls: { ca: [first, second].map((each) => readFileSync(each?.cert ?? '', 'utf8')) },
    })

  /** The name in the certificate that a new connection gets. */
  const findName = () =>
    new Promise<string>((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: Number(new URL(service.address).port),
        rejectUnauthorized: false,
      }
      const socket = connect(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      }).on('error', reject)
    })

  /** Sends SIGHUP and waits for a line of the log. */
  async function reload(line: string): Promise<void> {
    service.process.kill('SIGHUP')
    while (!log.some((said) => said.includes(line))) await Bun.sleep(20)
  }

  test('answers with the certificate: a picture of 10 MB, and events', async () => {
    expect(service.address).toStartWith('https://127.0.0.1:')
    const headers = { authorization: `Bearer ${install.token}` }
    const picture = await encodeJpeg(64, 64)
    const form = new FormData()
    form.set('product_id', 'large')
    form.set(
      'image',
      new File([picture, new Uint8Array(10 * MB - picture.length)], 'large.jpg', { type: 'image/jpeg' }),
    )
    const upload = await ask('/v1/products', { method: 'POST', headers, body: form })
    expect([200, 201]).toContain(upload.status)
    const image_url = `data:image/jpeg;base64,${Buffer.from(picture).toString('base64')}`
    const bulk = await ask('/v1/products/bulk', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ products: [{ product_id: 'small', image_url }] }),
    })
    const { job_id } = (await bulk.json()) as { job_id: string }
    const events = await ask(`/v1/jobs/${job_id}/events`, { headers })
    expect(await events.text()).toContain('event: completed')
  }, 60_000)

  test('commands of this machine reach the service, whose certificate has another name', async () => {
    const check = Bun.spawn([...PROGRAM, 'doctor', '--json'], {
      cwd: folder,
      env: { ...ENV, DATA_DIR: install.dataDir, TLS_CERT: files.cert, TLS_KEY: files.key },
    })
    expect(await new Response(check.stdout).text()).toContain(`It runs at ${service.address}`)
  }, 30_000)

  test('SIGHUP changes the certificate, and keeps it where the new one cannot be used', async () => {
    writeFileSync(files.cert, readFileSync(second?.cert ?? ''))
    await reload('the earlier one stays')
    expect(log.join('')).toContain('is not that of the certificate')
    expect(await findName()).toBe('first')
    use(second)
    // A request that is under way ends with its answer.
    const { promise: more, resolve: sendMore } = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('grant_type='))
        await more
        controller.enqueue(new TextEncoder().encode('none'))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const underWay = ask('/oauth/token', { method: 'POST', body, headers })
    await ask('/health')
    await reload('the certificate was read again')
    expect(await findName()).toBe('second')
    sendMore()
    expect((await underWay).status).toBe(400)
    expect((await ask('/health')).status).toBe(200)
  }, 30_000)

  test('SIGHUP before the service is ready ends nothing, and the certificate is read again', async () => {
    use(first)
    const early = await newInstall()
    const settings = { DATA_DIR: early.dataDir, PORT: String(findFreePort()) }
    const child = Bun.spawn([...PROGRAM, 'serve'], {
      cwd: folder,
      env: { ...ENV, ...settings, TLS_CERT: files.cert, TLS_KEY: files.key, LOG_LEVEL: 'info' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    while (child.exitCode === null && !(await isOpen(Number(settings.PORT)))) await Bun.sleep(2)
    child.kill('SIGHUP')
    let said = ''
    for await (const chunk of child.stderr) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('the certificate was read again')) break
    }
    expect(said).toContain('the certificate was read again')
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    early.remove()
  }, 60_000)
})

function findFreePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}

const isOpen = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
    (socket) => {
      socket.end()
      return true
    },
    () => false,
  )
