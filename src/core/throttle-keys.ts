import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What requests of one client are counted by: an IPv4 address as a whole, the first 64 bits of an IPv6 address, for
 * whoever has one of those has all of that block (RFC 6177).
 */
export function throttleKey(address: string): string {
  const parsed = parseAddress(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`
}

/**
 * The network that an address belongs to, for counts of whoever holds more than one block: the /24 of an IPv4 address,
 * the /48 of an IPv6 address, which is what a site gets (RFC 6177).
 */
export function networkKey(address: string): string {
  const parsed = parseAddress(address)
  if (!parsed) return address
  const block = parsed instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4
  const bits = parsed instanceof ipaddr.IPv6 ? 48 : 24
  return `${block.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`
}

/** The longest address with a zone that an interface name can make. */
const ADDRESS_CHARS_MAX = 100

/** An address as proxies write it; undefined for any other text. An IPv4 address inside an IPv6 address becomes IPv4. */
export function parseAddress(text: string) {
  if (text.length > ADDRESS_CHARS_MAX) return undefined
  const address = text.split('%', 1)[0] ?? ''
  // The library also reads octal, hexadecimal and short forms; proxies never write those.
  if (isIP(address) === 0) return undefined
  // It takes `::192.0.2.1` for the mapped `::ffff:192.0.2.1`; with a leading zero it does not.
  return ipaddr.process(address.replace(/^::(?=\d+\.)/, '0::'))
}
