import type { Server } from 'bun'
import type { AnyElysia } from 'elysia'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import {
  createStartingServer,
  type StandbyFacts,
  type StartingDeps,
  type StartPhase,
} from '../../http/starting.ts'
import { version } from '../../version.ts'
import { type Answering, buildAddress, handOver, listen, replaceServer } from './addresses.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { readDomainCertificate } from './domain-certificate.ts'

const PHASES = {
  migrating: { doing: 'the database is being migrated', retryAfterSeconds: 5 },
  loading: { doing: 'the products are being loaded', retryAfterSeconds: 1 },
} as const satisfies Record<string, StartPhase>

/**
 * Listens from the first moment, and answers what can be answered before the service has started.
 *
 * @throws OperatorError if the port cannot be had, or the certificate cannot be used.
 */
export function openListener(config: Config, deps: Pick<StartingDeps, 'clock' | 'ids'> & { log: Logger }) {
  let phase: StartPhase = PHASES.loading
  const isOwn = config.DOMAIN !== ''
  const now = deps.clock.now()
  const certificate = isOwn ? readDomainCertificate(config, now) : readCertificate(config, now)
  // The service renews its own, and says when it cannot.
  if (certificate && !isOwn) tellEnd(certificate, deps)
  let shown = certificate
  const address = () => buildAddress(http, config)
  const http = createStartingServer({
    ...deps,
    version,
    baseUrl: () => config.BASE_URL || address(),
    readPhase: () => phase,
  })
  listen(http, config, certificate)
  let serving: { http: AnyElysia; answering: Answering } | undefined
  /** Whether the certificate is to be read again once the routes answer. */
  let isAsked = false
  // Servers of earlier certificates. Each ends with its requests.
  const retired: Server<unknown>[] = []

  function show(next: Certificate): void {
    const { server } = serving?.http ?? {}
    if (!serving || !server) return
    serving.http.server = replaceServer(server, serving.answering, next)
    shown = next
    retired.push(server)
    void server.stop()
  }

  return {
    address: address(),
    enter(name: keyof typeof PHASES): void {
      phase = PHASES[name]
    },
    /** Tells that this node waits for another one to fail. */
    wait(standby: StandbyFacts): void {
      phase = { doing: 'another node serves until it fails', retryAfterSeconds: 5, standby }
    },
    /** From now on these routes answer. */
    handOver(routes: AnyElysia): void {
      serving = { http: routes, answering: handOver(http, routes) }
      if (isAsked) this.renewCertificate()
    },
    /** The certificate that new connections are shown; undefined where it speaks http. */
    readShown: () => shown,
    /** Shows this certificate to all new connections. */
    show,
    /** Reads the certificate again. One that cannot be used changes nothing. */
    renewCertificate(): void {
      isAsked = true
      if (!serving) return
      try {
        const next = readCertificate(config, deps.clock.now())
        if (!next) return
        show(next)
        deps.log.info({ ends: new Date(next.endsAt).toISOString() }, 'the certificate was read again')
        tellEnd(next, deps)
      } catch (error) {
        deps.log.error(
          { reason: (error as Error).message },
          'the certificate was not read again; the earlier one stays',
        )
      }
    },
    /** All that answers requests, as one server that is about to stop: no certificate joins it any more. */
    whole: (): Pick<Server<unknown>, 'pendingRequests' | 'stop'> => {
      const servers = [...retired, ...(serving?.http.server ? [serving.http.server] : [])]
      serving = undefined
      return {
        get pendingRequests() {
          return servers.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0)
        },
        stop: async (isForced) => void (await Promise.all(servers.map((server) => server.stop(isForced)))),
      }
    },
    /** Stops listening, unless the routes of the service have taken over. */
    close: async (): Promise<void> => {
      await http.server?.stop(true)
    },
  }
}

/** Clients refuse a certificate from its end on: whoever renews it may need some days. */
const SOON_MS = 14 * 86_400_000

function tellEnd(
  { startsAt, endsAt }: Certificate,
  { clock, log }: Pick<StartingDeps, 'clock'> & { log: Logger },
): void {
  // Refused it is not: a machine whose clock is set late would not start.
  if (startsAt > clock.now())
    log.warn(
      { begins: new Date(startsAt).toISOString() },
      'no client accepts the certificate yet: look at the clock',
    )
  if (endsAt - clock.now() < SOON_MS)
    log.warn({ ends: new Date(endsAt).toISOString() }, 'the certificate ends soon')
}
