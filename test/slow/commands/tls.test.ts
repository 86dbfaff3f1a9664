import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { makeCertificate } from '../../support/certificate.ts'
import { ENV, PROGRAM } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-tls-'))
const first = makeCertificate(folder, 'first')
const second = makeCertificate(folder, 'second')
const files = { cert: join(folder, 'used.crt'), key: join(folder, 'used.key') }

function use(certificate: typeof first): void {
  copyFileSync(certificate?.cert ?? '', files.cert)
  copyFileSync(certificate?.key ?? '', files.key)
}

describe.skipIf(!first)('https without a proxy', () => {
  let child: ReturnType<typeof start>
  let address = ''
  let log = ''
  const start = () =>
    Bun.spawn([...PROGRAM, 'serve', '--port', '0'], {
      cwd: folder,
      env: { ...ENV, DATA_DIR: join(folder, 'data'), TLS_CERT: files.cert, TLS_KEY: files.key },
      stdout: 'pipe',
      stderr: 'pipe',
    })

  beforeAll(async () => {
    use(first)
    child = start()
    void (async () => {
      for await (const chunk of child.stderr) log += new TextDecoder().decode(chunk)
    })()
    const { value } = await child.stdout.getReader().read()
    address = /^listening on (https:\/\/127\.0\.0\.1:\d+)\n$/.exec(new TextDecoder().decode(value))?.[1] ?? ''
  }, 60_000)
  afterAll(async () => {
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    rmSync(folder, { recursive: true, force: true })
  }, 30_000)

  const ask = (path: string, init: BunFetchRequestInit = {}) =>
    fetch(address + path, {
      ...init,
      tls: { ca: [first, second].map((each) => readFileSync(each?.cert ?? '', 'utf8')) },
    })

  /** The name in the certificate that a new connection gets. */
  const findName = () =>
    new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: Number(new URL(address).port), rejectUnauthorized: false }
      const socket = connect(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      }).on('error', reject)
    })

  /** Sends SIGHUP and waits for a line of the log. */
  async function reload(line: string): Promise<void> {
    child.kill('SIGHUP')
    while (!log.includes(line)) await Bun.sleep(20)
  }

  test('answers with the certificate, and takes 10 MB', async () => {
    expect((await ask('/health')).status).toBe(200)
    const upload = await ask('/oauth/token', { method: 'POST', body: new Uint8Array(10_000_000) })
    expect(((await upload.json()) as { request_id: string }).request_id).toBeString()
  })

  test('commands of this machine reach the service, whose certificate has another name', async () => {
    const check = Bun.spawn([...PROGRAM, 'doctor', '--json'], {
      cwd: folder,
      env: { ...ENV, DATA_DIR: join(folder, 'data'), TLS_CERT: files.cert, TLS_KEY: files.key },
    })
    expect(await new Response(check.stdout).text()).toContain(`It runs at ${address}`)
  }, 30_000)

  test('SIGHUP changes the certificate, and keeps it where the new one cannot be used', async () => {
    writeFileSync(files.cert, readFileSync(second?.cert ?? ''))
    await reload('the earlier one stays')
    expect(log).toContain('is not that of the certificate')
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
})
