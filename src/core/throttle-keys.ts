import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The key under which a client's requests are counted: the whole IPv4 address, or the first 64 bits of an IPv6 address,
 * because a client that holds one address of such a block holds the block (RFC 6177).
 */
export function throttleKey(address: string): string {
  const parsed = parseAddress(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`
}

/**
 * The network of an address, to count clients that hold several blocks: the /24 of an IPv4 address, or the /48 of an
 * IPv6 address, the usual size of a site (RFC 6177).
 */
export function networkKey(address: string): string {
  const parsed = parseAddress(address)
  if (!parsed) return address
  const block = parsed instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4
  const bits = parsed instanceof ipaddr.IPv6 ? 48 : 24
  return `${block.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`
}

/** Longer than any address with an interface name as its zone. */
const ADDRESS_CHARS_MAX = 100

/** Parses an address as proxies write it; undefined for any other text. IPv4 mapped into IPv6 becomes IPv4. */
export function parseAddress(text: string) {
  if (text.length > ADDRESS_CHARS_MAX) return undefined
  const address = text.split('%', 1)[0] ?? ''
  // The library also reads octal, hexadecimal and short forms; proxies never write those.
  if (isIP(address) === 0) return undefined
  // It reads `::192.0.2.1` as the mapped `::ffff:192.0.2.1`; a leading zero prevents that.
  return ipaddr.process(address.replace(/^::(?=\d+\.)/, '0::'))
}
