import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A block of addresses: its first address and the length of its prefix in bits. */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>

type Address = ReturnType<typeof ipaddr.parse>

/** The only part of IPv6 from which public addresses are given out (RFC 4291, IANA). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** NAT64: the last 32 bits are the IPv4 address that a gateway connects to (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Azure answers platform requests of a guest here; the address looks public and is not. */
const AZURE_PLATFORM = ipaddr.IPv4.parseCIDR('168.63.129.16/32')

/**
 * Reads the blocks of a setting such as `FETCH_ALLOW_CIDRS`.
 *
 * @param text entries like `10.0.0.0/8`, `fd00::/8` or one address, separated by commas; may be empty.
 * @throws Error that names the first entry that is no block of addresses.
 */
export const parseCidrs = (text: string): Cidr[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseCidr)

/** @returns whether one of the blocks holds the address; `false` for text that is no address. */
export const isInside = (address: string, cidrs: readonly Cidr[]): boolean => {
  const parsed = parseAddress(address)
  if (!parsed) return false
  return cidrs.some(([first, bits]) => first.kind() === parsed.kind() && parsed.match(first, bits))
}

/**
 * Whether an address belongs to the public internet, so that a stranger may name it.
 *
 * IPv4 inside IPv6 is judged by the IPv4 address where the network connects to that one (mapped, NAT64); every
 * other form of embedding (compatible, 6to4, Teredo, local NAT64) is refused as a whole.
 *
 * @returns `false` too for text that is no address or carries a zone.
 */
export const isGlobalAddress = (address: string): boolean => {
  const parsed = parseAddress(address)
  return parsed !== undefined && isGlobal(parsed)
}

/** Whether two texts name the same address; a mapped IPv4 address equals the plain one. */
export const isSameAddress = (one: string, other: string): boolean => {
  const parsed = parseAddress(one)
  return parsed !== undefined && parsed.toNormalizedString() === parseAddress(other)?.toNormalizedString()
}

/**
 * The one text of an address; IPv4 inside IPv6 becomes IPv4 where the network connects to that one (mapped, NAT64).
 *
 * @returns undefined for text that is no address or carries a zone.
 */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text)
  return address && (viaNat64(address) ?? address).toNormalizedString()
}

/**
 * The one canonical form of an address or a block of addresses in CIDR notation, such as `10.1.0.0/16`: it begins where
 * the block begins, a single address has /32 or /128, and IPv4 mapped into IPv6 becomes IPv4.
 *
 * @returns undefined for anything else, also for zones and for octal, hexadecimal and short forms of IPv4.
 */
export function readNetwork(text: string): string | undefined {
  try {
    const [address, bits] = parseCidr(text)
    return `${startOf(address, bits)}/${bits}`
  } catch {
    return undefined
  }
}

/**
 * A test whether one of the blocks holds an address.
 *
 * @param networks what {@link readNetwork} made. @throws Error for anything else.
 */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const cidrs = networks.map(parseCidr)
  return (address) => isInside(address, cidrs)
}

const startOf = (address: Address, bits: number): Address =>
  address instanceof ipaddr.IPv4
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
    : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)

const isGlobal = (address: Address): boolean => {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !address.match(AZURE_PLATFORM)
  const behind = viaNat64(address)
  if (behind) return isGlobal(behind)
  // The library's word for "no special range" is `unicast`, also where nothing was ever given out.
  return address.match(GLOBAL_IPV6) && address.range() === 'unicast'
}

const viaNat64 = (address: Address): ipaddr.IPv4 | undefined =>
  address instanceof ipaddr.IPv6 && address.match(NAT64)
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : undefined

const parseAddress = (text: string): Address | undefined => {
  // The library also reads octal, hexadecimal and short forms; sockets and resolvers never answer with those.
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(plain(text))
}

/** The library takes `::192.0.2.1` for the mapped `::ffff:192.0.2.1`; with a leading zero it does not. */
const plain = (text: string): string => text.replace(/^::(?=\d+\.)/, '0::')

const parseCidr = (entry: string): Cidr => {
  const [first = '', bits, ...rest] = entry.split('/')
  const version = first.includes('%') ? 0 : isIP(first)
  const bitsMax = version === 4 ? 32 : 128
  const isBitsValid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
  if (version === 0 || !isBitsValid || rest.length > 0) {
    throw new Error(`"${entry}" is no block of addresses such as 10.0.0.0/8 or fd00::/8`)
  }
  const [address, length] = ipaddr.parseCIDR(`${plain(first)}/${bits ?? bitsMax}`)
  // Addresses are compared after unwrapping, so a mapped block must be unwrapped as well.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && length >= 96) {
    return [address.toIPv4Address(), length - 96]
  }
  return [address, length]
}
