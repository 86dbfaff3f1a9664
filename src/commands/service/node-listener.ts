import type { AnyElysia } from 'elysia'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { NODE_PREFIX } from '../../features/nodes/protocol.ts'
import type { NodeDoor } from '../../features/nodes/trust/door.ts'
import { fingerprintOf, type NodeCertificate } from '../../platform/nodes/certificate.ts'
import { BODY_BYTES_MAX } from '../../server.ts'
import { explainListening } from './addresses.ts'

const IDLE_SECONDS = 60

interface MainListener {
  /** The public address. */
  baseUrl: string
  /** The certificate that it shows now; undefined where it speaks http. */
  readCertificate(): { cert: string } | undefined
}

/**
 * How other nodes reach this one: where it speaks https itself, as everybody does; otherwise through a listener of their own, with
 * a certificate of its own, that serves nothing else.
 *
 * @param ownCertificate makes that certificate, where it is needed.
 */
export function openNodeDoor(config: Config, main: MainListener, ownCertificate: () => NodeCertificate) {
  const peers = new WeakMap<Request, string>()
  const isMainTls = config.TLS_CERT !== '' || config.DOMAIN !== ''
  const own = !isMainTls && config.NODE_PORT !== 0 ? ownCertificate() : undefined
  const ownPrint = own && fingerprintOf(own.cert)
  let server: ReturnType<typeof Bun.serve> | undefined

  const door: NodeDoor = {
    isSecure: (request) => isMainTls || peers.has(request),
    findPeer: (request) => peers.get(request),
    readFingerprint() {
      const shown = main.readCertificate()
      return shown ? fingerprintOf(shown.cert) : ownPrint
    },
    readAddress() {
      if (isMainTls) return main.baseUrl
      // The name under which people reach it is the best guess of how a node does.
      const { hostname } = new URL(main.baseUrl)
      return `https://${hostname}:${server?.port ?? config.NODE_PORT}`
    },
  }

  return {
    door,
    /** Begins to listen where that is set. @throws OperatorError */
    listen(http: Pick<AnyElysia, 'handle'>): void {
      if (!own) return
      const { NODE_HOST: hostname, NODE_PORT: port } = config
      try {
        server = Bun.serve({
          ...{ hostname, port, idleTimeout: IDLE_SECONDS, reusePort: false },
          tls: { cert: own.cert, key: own.key },
          maxRequestBodySize: BODY_BYTES_MAX,
          error: () => new Response(null, { status: 500 }),
          fetch(request, listener) {
            if (!isForNodes(request.url)) return new Response(null, { status: 404 })
            peers.set(request, listener.requestIP(request)?.address ?? 'unknown')
            return http.handle(request)
          },
        })
      } catch (error) {
        throw new OperatorError(
          `Cannot listen for other nodes on ${hostname}:${port}: ${explainListening(error, port)}`,
        )
      }
    },
    /** Where it listens; undefined where it does not. */
    port: () => server?.port,
    async close(): Promise<void> {
      await server?.stop(true)
    },
  }
}

/** Whether a request asks for what nodes need, however its path is written. */
export function isForNodes(url: string): boolean {
  const at = url.indexOf('/', url.indexOf('://') + 3)
  const isInside = (path: string) => path.startsWith(`${NODE_PREFIX}/`)
  return at >= 0 && isInside(url.slice(at)) && isInside(URL.parse(url)?.pathname ?? '')
}
