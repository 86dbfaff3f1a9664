import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Cidr, isGlobalAddress, isInside } from '../../core/networks.ts'
import { NetworkError, untilAborted } from './failure.ts'

/** Gives every A and AAAA address of a host name, in any order; rejects if there is none. */
export type Lookup = (host: string) => Promise<string[]>

/** Where customers' addresses may lead. */
export interface DestinationRules {
  /** Blocks that are reachable although they are not public, and on any port. */
  allowCidrs: readonly Cidr[]
  /** Nothing outside `allowCidrs` is reachable. */
  isOffline: boolean
  lookup: Lookup
  /** Whether an address is one of this machine: those are reachable only inside `allowCidrs`. */
  isOwnAddress?(address: string): boolean
}

/** A server whose addresses were all checked; connect to these and to no other. */
export interface Destination {
  /** Name or address, without brackets and final dot. */
  host: string
  port: number
  isTls: boolean
  /** At least one, IPv4 before IPv6. */
  addresses: string[]
}

const STANDARD_PORTS: readonly number[] = [80, 443]
const LOOPBACKS = ['127.0.0.1', '::1']

/** Asks the resolver of the operating system. */
export const lookupHost: Lookup = async (host) => {
  const answers = await systemLookup(host, { all: true, verbatim: true })
  return answers.map((answer) => answer.address)
}

/**
 * Reads an absolute http or https address as a browser would.
 *
 * @param charsMax longest text that is looked at.
 * @throws NetworkError `url_not_allowed` for other schemes, user names, and forms that readers disagree about.
 */
export const parseHttpUrl = (text: string, charsMax: number): URL => {
  if (text.length > charsMax) throw refusedUrl(`The address is longer than ${charsMax} characters`)
  // Parsers disagree about these, and such differences are how checks get fooled.
  if (/[\p{Cc}\\]/u.test(text)) throw refusedUrl('The address has a control character or a backslash')
  if (!/^ *https?:\/\/[^/?#]/i.test(text)) throw refusedUrl('The address must begin with http:// or https://')
  if (!URL.canParse(text)) throw refusedUrl('The address is malformed')
  const url = new URL(text)
  if (/^\.|\.\./.test(url.hostname)) throw refusedUrl('The host name of the address has an empty part')
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) {
    throw refusedUrl('The address must not carry a user name or password')
  }
  return url
}

/**
 * Looks the host up and checks every address it has, so that one bad answer refuses them all.
 *
 * @throws NetworkError `blocked_address`, `url_not_allowed` (the port), `dns`, or `timeout` when `signal` aborts.
 */
export const findDestination = async (
  url: URL,
  rules: DestinationRules,
  signal: AbortSignal,
): Promise<Destination> => {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const isPortStandard = STANDARD_PORTS.includes(port)
  const hasAllowed = rules.allowCidrs.length > 0
  // Checked before the lookup as well, since a name that is looked up has already left the house.
  if (rules.isOffline && !hasAllowed) throw offline()
  if (!isPortStandard && !hasAllowed && isIP(host) === 0) throw refusedPort()

  const addresses = await addressesOf(host, rules, signal)
  const isAllowed = (address: string) => isInside(address, rules.allowCidrs)
  if (!addresses.every((address) => isGlobalAddress(address) || isAllowed(address))) throw blocked(host)
  if (addresses.some((address) => rules.isOwnAddress?.(address) && !isAllowed(address))) throw own(host)
  if (rules.isOffline && !addresses.every(isAllowed)) throw offline()
  if (!isPortStandard && !addresses.every(isAllowed)) throw refusedPort()
  return { host, port, isTls, addresses: addresses.sort((a, b) => isIP(a) - isIP(b)) }
}

const addressesOf = async (host: string, rules: DestinationRules, signal: AbortSignal): Promise<string[]> => {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost' || host.endsWith('.localhost')) {
    // These names always mean this machine (RFC 6761), whatever a name server says. One family may be allowed alone.
    const allowed = LOOPBACKS.filter((address) => isInside(address, rules.allowCidrs))
    if (allowed.length === 0) throw blocked(host)
    return allowed
  }
  try {
    const addresses = await untilAborted(rules.lookup(host), signal)
    if (addresses.length > 0) return [...new Set(addresses)]
  } catch (error) {
    if (signal.aborted) throw new NetworkError('timeout', `The name ${host} was not found in time`, error)
    throw new NetworkError('dns', `The name ${host} was not found`, error)
  }
  throw new NetworkError('dns', `The name ${host} has no address`)
}

const refusedUrl = (message: string) => new NetworkError('url_not_allowed', message)
const refusedPort = () => refusedUrl('Only the ports 80 and 443 are allowed')
const blocked = (host: string) =>
  new NetworkError('blocked_address', `${host} does not lead to a public address`)
const own = (host: string) =>
  new NetworkError('blocked_address', `${host} leads to the machine of this service`)
const offline = () =>
  new NetworkError('blocked_address', 'This install works offline; only allowed networks are reachable')
