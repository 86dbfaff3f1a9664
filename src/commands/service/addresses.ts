import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Server } from 'bun'
import type { AnyElysia } from 'elysia'
import { type Config, Settings } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { BODY_BYTES_MAX } from '../../server.ts'
import type { Certificate } from './certificate.ts'
import { toLocalHost } from './local-host.ts'

/** Idle connections are closed after this time; the longest download takes less. */
const IDLE_SECONDS = 60

/** A program that answers HTTP. */
type Http = Pick<AnyElysia, 'listen' | 'server'>

/** What Bun is asked for to answer requests. */
export type Answering = Parameters<Server<unknown>['reload']>[0]

/** Starts listening, with a certificate by https. @throws OperatorError */
export function listen(http: Http, { HOST, PORT }: Config, certificate?: Certificate): void {
  try {
    // Otherwise a second service could share the port and receive half of the requests.
    http.listen({
      ...{ hostname: HOST, port: PORT, idleTimeout: IDLE_SECONDS, reusePort: false },
      // Both limits stay those of the first program that listens.
      maxRequestBodySize: BODY_BYTES_MAX,
      ...(certificate && shareable(HOST, PORT, certificate)),
    })
  } catch (error) {
    throw new OperatorError(`Cannot listen on ${HOST}:${PORT}: ${explainListening(error, PORT)}`)
  }
}

/** The socket of another certificate takes the place of this one on the same port, which nobody else may have yet. */
function shareable(hostname: string, port: number, { cert, key }: Certificate) {
  if (port !== 0) {
    // A port that others share would let us in without a word.
    const probe = Bun.listen({ hostname, port, exclusive: true, socket: { data() {} } })
    probe.stop(true)
  }
  return { tls: { cert, key }, reusePort: true }
}

/**
 * Listens with another certificate on the port of a server, which ends with its requests. Bun cannot change the certificate of a
 * server. A connection that is being opened in this very moment may be reset, and clients open another.
 */
export function replaceServer(
  server: Server<unknown>,
  answering: Answering,
  { cert, key }: Certificate,
): Server<unknown> {
  const { hostname, port } = server
  const options = {
    hostname,
    port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: BODY_BYTES_MAX,
    reusePort: true,
  }
  return Bun.serve({ ...answering, ...options, tls: { cert, key } } as Parameters<typeof Bun.serve>[0])
}

/**
 * Lets the requests that one program received go to another, on the same socket: no connection is refused or cut. Elysia
 * only knows how to make a server, so for this one call the server that it asks Bun for is the one that listens already.
 *
 * @returns what that server answers with from now on.
 */
export function handOver(from: Http, to: Http): Answering {
  const { server } = from
  let answering: Answering | undefined
  if (!server) throw new Error('nothing listens')
  const { serve } = Bun
  Bun.serve = ((options: Parameters<typeof server.reload>[0]) => {
    answering = options
    server.reload(options)
    return server
  }) as typeof serve
  try {
    to.listen({})
  } finally {
    Bun.serve = serve
  }
  // It would stop the server when the process ends.
  from.server = null
  if (!answering) throw new Error('nothing took over')
  return answering
}

/** Ports below this one need a privilege. */
const FIRST_FREE_PORT = 1024

/** Bun's codes for an address that this machine does not have, that is malformed, or whose name is unknown. */
const FOREIGN: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EINVAL', 'ENOENT', 'ENOTFOUND'])

/** Why the system refuses an address, by its error code, and what to do. */
export function explainListening(error: unknown, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return 'the port is in use. Choose another with --port, or a free one with --port 0.'
  if (code === 'EACCES' && port < FIRST_FREE_PORT) {
    return `ports below ${FIRST_FREE_PORT} need the capability CAP_NET_BIND_SERVICE. Put a proxy in front, or choose another with --port.`
  }
  return FOREIGN.has(code ?? '') ? 'that is not an address of this machine. Choose one with --host.' : message
}

/** Where a program that listens is reached. */
export const buildAddress = ({ server }: Http, config: Listening): string =>
  formatAddress({ ...config, PORT: server?.port ?? config.PORT })

type Listening = Pick<Config, 'HOST' | 'PORT' | 'TLS_CERT' | 'DOMAIN'>

/** The address of a service with these settings. */
export const formatAddress = ({ HOST, PORT, TLS_CERT, DOMAIN }: Listening): string =>
  `${TLS_CERT || DOMAIN ? 'https' : 'http'}://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${PORT}`

/** Where programs on this machine reach it, past every proxy. */
export const buildLocalAddress = (http: Http, config: Listening): string =>
  buildAddress(http, { ...config, HOST: toLocalHost(config.HOST) })

/** File in the data folder that contains the public and the local address while the service runs. */
export const ADDRESS_FILE = 'address'

/** Publishes the addresses to commands that run beside the service. @returns a function that removes them. */
export function publishAddress(dataDir: string, address: string, local: string): () => void {
  const path = join(dataDir, ADDRESS_FILE)
  writeFileSync(path, `${address}\n${local}\n`)
  return () => rmSync(path, { force: true })
}

/** Finds the address where the service of a data folder answers, or would answer with these settings. */
export function findAddress(config: Config): string {
  const [published] = readAddresses(config.DATA_DIR)
  // A port of 0 is only known once the service listens.
  const PORT = config.PORT || Settings.properties.PORT.default
  return published || config.BASE_URL || formatAddress({ ...config, PORT })
}

/** Reads the public and the local address of the service that runs on a data folder; nothing if none runs. */
export function readAddresses(dataDir: string): string[] {
  const path = join(dataDir, ADDRESS_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

/** The flag that names the data folder in a command to copy; nothing for the default one. */
export const formatFolderFlag = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  DATA_DIR === Settings.properties.DATA_DIR.default ? '' : ` --data-dir ${quote(DATA_DIR)}`

/** Quotes a word for a shell where it needs that. */
const quote = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
