import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { DAY_MS } from '../../../src/core/clock.ts'
import { openAcmeFiles } from '../../../src/platform/acme/files.ts'
import { makeKey, makeOwnCertificate } from '../../../src/platform/acme/requests.ts'
import { type Install, newInstall, type Service, startService } from '../../robustness/service.ts'
import { hasPebble, type Pebble, startPebble } from './pebble.ts'
import { ENV, PROGRAM } from './program.ts'

const DOMAIN = 'search.shop.test'
const folder = mkdtempSync(join(tmpdir(), 'lookalike-acme-'))

describe.skipIf(!hasPebble)('a certificate by ACME', () => {
  let pebble: Pebble
  let install: Install
  let service: Service
  let settings: Record<string, string>
  let log: string[] = []

  async function start(): Promise<void> {
    log = []
    service = await startService(install, {
      settings,
      onLog: (line) => void log.push(line),
      untilReady: false,
    })
  }

  const until = async (line: string) => {
    while (!log.some((said) => said.includes(line))) await Bun.sleep(20)
  }

  /** The certificate that a new connection gets. */
  const look = (ca?: string) =>
    new Promise<PeerCertificate>((resolve, reject) => {
      const port = Number(new URL(service.address).port)
      const trust = ca === undefined ? { rejectUnauthorized: false } : { ca }
      const socket = connect({ host: '127.0.0.1', port, servername: DOMAIN, ...trust }, () => {
        resolve(socket.getPeerCertificate())
        socket.destroy()
      }).on('error', reject)
    })

  beforeAll(async () => {
    pebble = await startPebble(folder)
    install = await newInstall()
    settings = {
      DOMAIN,
      HTTP_PORT: String(pebble.httpPort),
      ACME_DIRECTORY: pebble.directory,
      ACME_CA: pebble.ca,
      FETCH_ALLOW_CIDRS: '127.0.0.0/8',
      LOG_LEVEL: 'info',
    }
  }, 60_000)
  afterAll(async () => {
    await service?.stop()
    await pebble.stop()
    install.remove()
    rmSync(folder, { recursive: true, force: true })
  }, 30_000)

  test('one that is due stays while the name leads elsewhere, and is renewed when that was mended', async () => {
    const key = makeKey()
    const now = Date.now()
    const old = makeOwnCertificate(DOMAIN, key, now - 70 * DAY_MS, now + 20 * DAY_MS)
    openAcmeFiles(install.dataDir, DOMAIN).write({ cert: old, key })
    await pebble.lead(DOMAIN, '127.0.0.9')
    await start()
    await until('the earlier one stays')
    expect(log.join('')).toContain(`did not find this service at ${DOMAIN}`)
    expect((await look()).issuer.CN).toBe(DOMAIN)
    const doctor = Bun.spawn([...PROGRAM, 'doctor', '--json'], {
      cwd: folder,
      env: { ...ENV, ...settings, DATA_DIR: install.dataDir },
    })
    expect(await new Response(doctor.stdout).text()).toContain(`ends in 19 days. Last try, `)

    await pebble.lead(DOMAIN, '127.0.0.1')
    service.process.kill('SIGHUP')
    await until('there is a new certificate')
    const shown = await look(await pebble.readRoot())
    expect(shown.subjectaltname).toBe(`DNS:${DOMAIN}`)
    expect((await fetch(`http://127.0.0.1:${pebble.httpPort}/docs`, { redirect: 'manual' })).status).toBe(308)
  }, 60_000)

  test('it is there again after a crash, without another order', async () => {
    const before = await look()
    await service.crash()
    await start()
    await until('index loaded')
    expect((await look(await pebble.readRoot())).serialNumber).toBe(before.serialNumber)
    // It would have been asked for before these requests were answered.
    await fetch(`${service.address}/health`, { tls: { rejectUnauthorized: false } })
    expect(log.join('')).not.toContain('a certificate is asked for')
  }, 60_000)
})
