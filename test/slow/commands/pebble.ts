import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CertificateFiles, makeCertificate } from '../../support/certificate.ts'

/** Whether this machine has Pebble, a certificate authority for tests (Debian's package `pebble`). */
export const hasPebble = ['pebble', 'pebble-challtestsrv', 'openssl'].every(
  (name) => Bun.which(name) !== null,
)

export interface Pebble {
  /** Its ACME directory. */
  directory: string
  /** The file with the certificate that it is reached by. */
  ca: string
  /** The port at which it asks for proofs instead of 80. */
  httpPort: number
  /** Reads the certificate that those it gives come from. */
  readRoot(): Promise<string>
  /** Lets a name lead to an address; all others lead to 127.0.0.1. */
  lead(name: string, address: string): Promise<void>
  stop(): Promise<void>
}

/** A port that is free now. */
function findPort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}

/** Starts Pebble and a name server that it asks. */
export async function startPebble(folder: string): Promise<Pebble> {
  const { cert, key } = makeCertificate(folder, 'pebble') as CertificateFiles
  const [acme, management, dns, names, httpPort] = [0, 0, 0, 0, 0].map(findPort) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const settings = {
    listenAddress: `127.0.0.1:${acme}`,
    managementListenAddress: `127.0.0.1:${management}`,
    ...{ certificate: cert, privateKey: key, httpPort, tlsPort: acme },
  }
  const config = join(folder, 'pebble.json')
  writeFileSync(config, JSON.stringify({ pebble: settings }))
  const start = (...words: string[]) =>
    Bun.spawn(words, {
      env: { PATH: process.env['PATH'] ?? '', PEBBLE_VA_NOSLEEP: '1' },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
  const children = [
    start(
      ...['pebble-challtestsrv', '-defaultIPv6', '', '-dns01', `127.0.0.1:${dns}`],
      ...['-management', `127.0.0.1:${names}`, '-http01', '', '-https01', '', '-tlsalpn01', ''],
    ),
    start('pebble', '-config', config, '-dnsserver', `127.0.0.1:${dns}`),
  ]
  const ask = async (url: string, init: BunFetchRequestInit = {}) =>
    (await fetch(url, { ...init, tls: { rejectUnauthorized: false } })).text()
  const directory = `https://127.0.0.1:${acme}/dir`
  for (const url of [directory, `http://127.0.0.1:${names}/`]) await untilAnswer(() => ask(url))
  return {
    directory,
    ca: cert,
    httpPort,
    readRoot: () => ask(`https://127.0.0.1:${management}/roots/0`),
    async lead(host, address) {
      await ask(`http://127.0.0.1:${names}/clear-a`, { method: 'POST', body: JSON.stringify({ host }) })
      const body = JSON.stringify({ host, addresses: [address] })
      await ask(`http://127.0.0.1:${names}/add-a`, { method: 'POST', body })
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map(({ exited }) => exited))
    },
  }
}

async function untilAnswer(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      await ask()
      return
    } catch {
      await Bun.sleep(25)
    }
  }
  throw new Error('Pebble does not answer')
}
