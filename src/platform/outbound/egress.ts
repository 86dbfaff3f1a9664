import type { Socket } from 'node:net'
import { type Clock, systemClock } from '../../core/clock.ts'
import type { Cidr } from '../../core/networks.ts'
import { openConnection } from './connection.ts'
import {
  checkWithoutLookup,
  type Destination,
  type DestinationRules,
  findDestination,
  findTrustedDestination,
  readServer,
  type Server,
} from './destination.ts'
import { exchange, type OutboundRequest, type OutboundResponse } from './exchange.ts'
import { OutboundError } from './failure.ts'
import { createOwnAddresses } from './own-addresses.ts'
import { type Lookup, lookupHost } from './resolver.ts'

/** The only connection from this program to other servers. */
export interface Egress {
  /**
   * Sends one request to a URL that a customer named: resolves the host, checks every address, and connects to a
   * checked address. Follows no redirect: send another request to the target, which is checked in turn.
   *
   * @param url from {@link parseHttpUrl} or {@link findRedirectTarget}.
   * @throws OutboundError for every failure on the way; and the errors of `request.read`.
   */
  send<Body>(url: URL, request: OutboundRequest<Body>): Promise<OutboundResponse<Body>>

  /**
   * Sends one request to a URL of a server that the operator named, under the rules of {@link Egress.connect}.
   *
   * @throws OutboundError for every failure on the way; and the errors of `request.read`.
   */
  sendToOwn<Body>(url: URL, request: OutboundRequest<Body>): Promise<OutboundResponse<Body>>

  /**
   * Sends one request to another node under the rules of {@link Egress.connect}, over TLS, and only if it shows one certificate,
   * for which nobody has to vouch.
   *
   * @param fingerprint the beginning of the SHA-256 of that certificate in DER.
   * @throws OutboundError for every failure on the way; and the errors of `request.read`.
   */
  sendToPinned<Body>(
    url: URL,
    fingerprint: Uint8Array,
    request: OutboundRequest<Body>,
  ): Promise<OutboundResponse<Body>>

  /**
   * Checks a URL that a customer named before anything is sent there. A host name is looked up only when it is used.
   *
   * @throws OutboundError `blocked_address`, `url_not_allowed`.
   */
  check(url: URL): void

  /**
   * Checks a URL that a customer named, host name included, as if something were sent there now.
   *
   * @throws OutboundError `blocked_address`, `url_not_allowed`, `dns`, or `timeout` when the signal aborts.
   */
  resolve(url: URL, signal: AbortSignal): Promise<void>

  /**
   * Connects to a server that the operator named, which may be private unless the install is offline.
   *
   * @param signal cancels the attempt.
   * @returns an open socket, which the caller must destroy.
   * @throws OutboundError `blocked_address`, `dns`, `connect`, `tls`, or `timeout` when the signal aborts.
   */
  connect(server: Server, signal: AbortSignal): Promise<Socket>
}

export interface EgressOptions {
  /** Networks that are reachable although they are not public, on any port. */
  allowCidrs: readonly Cidr[]
  /** Whether nothing outside `allowCidrs` is reachable (`OFFLINE`). */
  isOffline: boolean
  /** Whether `http:` is refused outside `allowCidrs`. */
  isTlsRequired?: boolean
  /** The setting that `allowCidrs` comes from, which refusals name. */
  setting?: string
  /** Resolves a host name; by default with the system's resolver. */
  lookup?: Lookup
  /** Whether an address belongs to this machine; by default the addresses of its network interfaces. */
  isOwnAddress?(address: string): boolean
  clock?: Clock
  /** Certificates in PEM to trust instead of the built-in ones. */
  ca?: string
}

/** Proxies of the environment are not used, since they would resolve names again. */
export function createEgress(options: EgressOptions): Egress {
  const { ca, clock = systemClock } = options
  const rules: DestinationRules = {
    allowCidrs: options.allowCidrs,
    isOffline: options.isOffline,
    isTlsRequired: options.isTlsRequired ?? false,
    setting: options.setting,
    lookup: options.lookup ?? lookupHost,
    isOwnAddress: options.isOwnAddress ?? createOwnAddresses(clock),
  }

  async function sendTo<Body>(
    url: URL,
    request: OutboundRequest<Body>,
    find: (signal: AbortSignal) => Promise<Destination>,
    fingerprint?: Uint8Array,
  ): Promise<OutboundResponse<Body>> {
    const connecting = AbortSignal.any([request.signal, AbortSignal.timeout(request.connectMs)])
    const socket = await openConnection(await find(connecting), { signal: connecting, ca, fingerprint })
    return exchange(socket, url, request)
  }

  return {
    send: (url, request) => sendTo(url, request, (signal) => findDestination(url, rules, signal)),

    sendToOwn: (url, request) =>
      sendTo(url, request, (signal) => findTrustedDestination(readServer(url), rules, signal)),

    async sendToPinned(url, fingerprint, request) {
      if (url.protocol !== 'https:')
        throw new OutboundError(
          'url_not_allowed',
          `Nodes talk over TLS: ${url.origin} must begin with https://`,
        )
      const find = (signal: AbortSignal) => findTrustedDestination(readServer(url), rules, signal)
      return sendTo(url, request, find, fingerprint)
    },

    check: (url) => checkWithoutLookup(url, rules),

    async resolve(url, signal) {
      await findDestination(url, rules, signal)
    },

    async connect(server, signal) {
      const destination = await findTrustedDestination(server, rules, signal)
      return openConnection(destination, { signal, ca })
    },
  }
}
