import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface ClientAddressDeps {
  /** Whether an address is one of a proxy whose word is believed. */
  isTrusted(address: string): boolean
  /** The address at the other end of a request's connection; undefined where there is none, as in tests. */
  peerOf(request: Request): string | undefined
}

/** What counts as the peer of a request that came over no network. */
const OWN_MACHINE = '127.0.0.1'

/** What counts as a peer whose address cannot be read; nobody sends from there, and nobody should trust it. */
const NOWHERE = '0.0.0.0'

/** Longest chain of proxies that is followed; real ones have two or three. */
const HOPS_MAX = 32

/**
 * Finds the address of a request's client: canonical (RFC 5952), without port and zone, IPv4 mapped into IPv6 as IPv4.
 *
 * It is the peer's, unless the peer is a trusted proxy. Then `X-Forwarded-For` is read from the right, where each proxy
 * wrote whom it heard: the first address that is no trusted proxy is the client. What stands left of it anybody may
 * have made up. An entry that is no address ends the search with the last good one.
 */
export function createClientAddress({ isTrusted, peerOf }: ClientAddressDeps) {
  return (request: Request): string => {
    let address = canonicalAddress(peerOf(request) ?? OWN_MACHINE) ?? NOWHERE
    if (!isTrusted(address)) return address
    for (const entry of entriesFromRight(request.headers.get('x-forwarded-for'))) {
      const next = addressOfEntry(entry)
      if (next === undefined) return address
      address = next
      if (!isTrusted(address)) return address
    }
    return address
  }
}

/**
 * What requests of one client are counted by: an IPv4 address as a whole, the first 64 bits of an IPv6 address, for
 * whoever has one of those has all of that block (RFC 6177).
 */
export function throttleKey(address: string): string {
  const parsed = parsedAddress(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`
}

/**
 * The network that an address belongs to, for counts of whoever holds more than one block: the /24 of an IPv4 address,
 * the /48 of an IPv6 address, which is what a site gets (RFC 6177).
 */
export function networkKey(address: string): string {
  const parsed = parsedAddress(address)
  if (!parsed) return address
  const block = parsed instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4
  const bits = parsed instanceof ipaddr.IPv6 ? 48 : 24
  return `${block.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`
}

/** Entries of a list header, the last first; several headers have been joined by commas. Empty ones mean nothing. */
const entriesFromRight = (header: string | null): string[] =>
  (header ?? '')
    .split(',')
    .slice(-HOPS_MAX)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .reverse()

/** `192.0.2.1`, `192.0.2.1:8080`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:8080`, perhaps in quotes. */
function addressOfEntry(entry: string): string | undefined {
  const bare = /^"(.*)"$/.exec(entry)?.[1] ?? entry
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)?.[1]
  if (inBrackets !== undefined) return inBrackets.includes(':') ? canonicalAddress(inBrackets) : undefined
  return canonicalAddress(/^([\d.]+):\d{1,5}$/.exec(bare)?.[1] ?? bare)
}

const canonicalAddress = (text: string): string | undefined => parsedAddress(text)?.toString()

/** The longest address with a zone that an interface name can make. */
const ADDRESS_CHARS_MAX = 100

function parsedAddress(text: string) {
  if (text.length > ADDRESS_CHARS_MAX) return undefined
  const address = text.split('%', 1)[0] ?? ''
  // The library also reads octal, hexadecimal and short forms; proxies never write those.
  if (isIP(address) === 0) return undefined
  // It takes `::192.0.2.1` for the mapped `::ffff:192.0.2.1`; with a leading zero it does not.
  return ipaddr.process(address.replace(/^::(?=\d+\.)/, '0::'))
}
