import { isIP } from 'node:net'
import { type Cidr, isGlobalAddress, isInside } from '../../core/networks.ts'
import { waitUntilAborted } from './deadline.ts'
import { OutboundError } from './failure.ts'
import type { Lookup } from './resolver.ts'

/** Which servers may be reached. */
export interface DestinationRules {
  /** Networks that are reachable although they are not public, on any port. */
  allowCidrs: readonly Cidr[]
  /** Whether nothing outside `allowCidrs` is reachable. */
  isOffline: boolean
  /** Whether TLS is required outside `allowCidrs`. */
  isTlsRequired?: boolean
  /** The setting that `allowCidrs` comes from; refusals name it as their cure. */
  setting?: string | undefined
  lookup: Lookup
  /** Whether an address belongs to this machine; such addresses are reachable only inside `allowCidrs`. */
  isOwnAddress?(address: string): boolean
}

/** A server by name or address, without brackets and trailing dot. */
export interface Server {
  host: string
  port: number
  /** TLS from the first byte. */
  isTls: boolean
}

/** A server whose addresses have all been checked. Connect to these addresses only. */
export interface Destination extends Server {
  /** IPv4 before IPv6. */
  addresses: string[]
}

const STANDARD_PORTS: readonly number[] = [80, 443]
const LOOPBACKS = ['127.0.0.1', '::1']

/**
 * Resolves the host of a URL that a customer named and checks every address: one forbidden address refuses them all.
 *
 * @throws OutboundError `blocked_address`, `url_not_allowed` (the port, or no TLS), `dns`, or `timeout` when `signal` aborts.
 */
export async function findDestination(
  url: URL,
  rules: DestinationRules,
  signal: AbortSignal,
): Promise<Destination> {
  const server = readServer(url)
  checkServer(server, rules)
  const addresses = findKnownAddresses(server, rules) ?? (await findAddresses(server.host, rules, signal))
  checkAddresses(server, addresses, rules)
  return { ...server, addresses: sortByFamily(addresses) }
}

/**
 * Checks a URL without a lookup: everything for an address, little for a name.
 *
 * @throws OutboundError `blocked_address`, `url_not_allowed`.
 */
export function checkWithoutLookup(url: URL, rules: DestinationRules): void {
  const server = readServer(url)
  checkServer(server, rules)
  const addresses = findKnownAddresses(server, rules)
  if (addresses) checkAddresses(server, addresses, rules)
}

/** Reads the server of a URL. */
export function readServer(url: URL): Server {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isTls = url.protocol === 'https:'
  return { host, isTls, port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port) }
}

/** Checks before the lookup, which already reveals the name to others. */
function checkServer(server: Server, rules: DestinationRules): void {
  const { host, port, isTls } = server
  if (rules.allowCidrs.length > 0) return
  if (rules.isOffline) throw offline()
  if (!STANDARD_PORTS.includes(port) && isIP(host) === 0) throw refusedPort(server, rules)
  if (rules.isTlsRequired && !isTls) throw tlsRequired(host, rules)
}

function checkAddresses(server: Server, addresses: string[], rules: DestinationRules): void {
  const { host, port, isTls } = server
  const isAllowed = (address: string) => isInside(address, rules.allowCidrs)
  if (!addresses.every((address) => isGlobalAddress(address) || isAllowed(address)))
    throw notPublic(server, rules)
  if (addresses.some((address) => rules.isOwnAddress?.(address) && !isAllowed(address)))
    throw own(host, rules)
  if (addresses.every(isAllowed)) return
  if (rules.isOffline) throw offline()
  if (!STANDARD_PORTS.includes(port)) throw refusedPort(server, rules)
  if (rules.isTlsRequired && !isTls) throw tlsRequired(host, rules)
}

/**
 * Resolves a server that the operator named. It may be private and use any port; offline it must be in `allowCidrs`.
 *
 * @throws OutboundError `blocked_address`, `dns`, or `timeout` when `signal` aborts.
 */
export async function findTrustedDestination(
  server: Server,
  { allowCidrs, isOffline, lookup }: DestinationRules,
  signal: AbortSignal,
): Promise<Destination> {
  const { host } = server
  if (isOffline && allowCidrs.length === 0) throw offlineServer(host)
  const addresses = isIP(host) === 0 ? await lookUp(host, lookup, signal) : [host]
  if (isOffline && !addresses.every((address) => isInside(address, allowCidrs))) throw offlineServer(host)
  return { ...server, addresses: sortByFamily(addresses) }
}

const sortByFamily = (addresses: string[]): string[] => addresses.sort((a, b) => isIP(a) - isIP(b))

/** The addresses of a host that need no lookup; undefined for a name. */
function findKnownAddresses(server: Server, rules: DestinationRules): string[] | undefined {
  const { host } = server
  if (isIP(host) !== 0) return [host]
  if (!isThisMachine(host)) return undefined
  // These names always mean this machine (RFC 6761). One address family may be allowed alone.
  const allowed = LOOPBACKS.filter((address) => isInside(address, rules.allowCidrs))
  if (allowed.length === 0) throw notPublic(server, rules)
  return allowed
}

async function findAddresses(
  host: string,
  { lookup }: DestinationRules,
  signal: AbortSignal,
): Promise<string[]> {
  const addresses = await lookUp(host, lookup, signal)
  if (addresses.length === 0) throw new OutboundError('dns', `The host ${host} has no address`)
  return addresses
}

async function lookUp(host: string, lookup: Lookup, signal: AbortSignal): Promise<string[]> {
  // No server knows such a name (RFC 6761), so there is no lookup.
  if (/(^|\.)invalid$/i.test(host)) throw new OutboundError('dns', `The host ${host} was not found`)
  try {
    return [...new Set(await waitUntilAborted(lookup(host), signal))]
  } catch (error) {
    if (signal.aborted) throw new OutboundError('timeout', `Looking up ${host} timed out`, error)
    throw new OutboundError('dns', `The host ${host} was not found`, error)
  }
}

const isThisMachine = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

const refusedPort = (server: Server, rules: DestinationRules) =>
  new OutboundError('url_not_allowed', describeRefusal(server, rules))
const tlsRequired = (host: string, rules: DestinationRules) => {
  const network = isIP(host) !== 0 || isThisMachine(host) ? findNetwork(host) : 'its network'
  return new OutboundError('url_not_allowed', `Only https is allowed${describeCure(network, rules)}`)
}
const blocked = (message: string) => new OutboundError('blocked_address', message)
const notPublic = (server: Server, rules: DestinationRules) => blocked(describeRefusal(server, rules))
const own = (host: string, rules: DestinationRules) =>
  blocked(`${host} resolves to the machine of this service${describeCure('its address', rules)}`)

/**
 * Names everything that is wrong with a URL at once, and the setting that allows it. It never names what a host name
 * resolves to, because only a private network may know that.
 */
function describeRefusal({ host, port }: Server, rules: DestinationRules): string {
  const isKnown = isIP(host) !== 0 || isThisMachine(host)
  const isPrivate = isKnown && !(isIP(host) !== 0 && isGlobalAddress(host))
  const isStandardPort = STANDARD_PORTS.includes(port)
  const faults = [
    ...(isPrivate ? [`${host} is not a public address`] : []),
    ...(isStandardPort ? [] : [`port ${port} is not allowed, only 80 and 443 are`]),
  ]
  if (faults.length === 0) faults.push(`${host} does not resolve to a public address`)
  return faults.join(', and ') + describeCure(isPrivate ? findNetwork(host) : 'its network', rules)
}

const describeCure = (network: string, { setting }: DestinationRules): string => {
  if (setting === undefined) return ''
  return /\/\d/.test(network)
    ? `; the operator can allow it with ${setting}=${network}`
    : `; the operator can allow it with ${network} in ${setting}`
}

/** The network that an operator would allow to reach an address. */
function findNetwork(host: string): string {
  if (isThisMachine(host) || host.startsWith('127.')) return '127.0.0.0/8'
  return `${host}/${isIP(host) === 6 ? 128 : 32}`
}

const offlineServer = (host: string) =>
  blocked(`This install is offline; add the address of ${host} to FETCH_ALLOW_CIDRS`)
const offline = () => blocked('This install is offline; only allowed networks are reachable')
