import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A block of addresses: its first address and its prefix length in bits. */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>

type Address = ReturnType<typeof ipaddr.parse>

/** The only part of IPv6 with public addresses (RFC 4291, IANA). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** NAT64: the last 32 bits are the IPv4 address that a gateway connects to (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Azure's platform service for its guests: the address looks public but is internal. */
const AZURE_PLATFORM = ipaddr.IPv4.parseCIDR('168.63.129.16/32')

/**
 * Parses the blocks in a setting such as `FETCH_ALLOW_CIDRS`.
 *
 * @param text entries like `10.0.0.0/8`, `fd00::/8` or a single address, separated by commas; may be empty.
 * @throws Error that names the first invalid entry.
 */
export const parseCidrs = (text: string): Cidr[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseCidr)

/** Whether one of the blocks contains the address; false for text that is not an address. */
export const isInside = (address: string, cidrs: readonly Cidr[]): boolean => {
  if (cidrs.length === 0) return false
  const parsed = parseAddress(address)
  if (!parsed) return false
  return cidrs.some(([first, bits]) => first.kind() === parsed.kind() && parsed.match(first, bits))
}

/**
 * Whether an address belongs to the public internet, so that a stranger may name it.
 *
 * IPv4 inside IPv6 counts as its IPv4 address where the network connects to that address (mapped, NAT64). Every other
 * embedding (compatible, 6to4, Teredo, local NAT64) is refused.
 *
 * @returns false also for text that is not an address or has a zone.
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
 * The canonical text of an address. IPv4 inside IPv6 becomes IPv4 where the network connects to that address (mapped,
 * NAT64).
 *
 * @returns undefined for text that is not an address or has a zone.
 */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text)
  return address && (unwrapNat64(address) ?? address).toNormalizedString()
}

/**
 * Reads an address or a block and writes it in canonical CIDR notation, such as `10.1.0.0/16`. The result starts with
 * the first address of the block, a single address gets /32 or /128, and IPv4 mapped into IPv6 becomes IPv4.
 *
 * @returns undefined for anything else, including zones and the octal, hexadecimal and short forms of IPv4.
 */
export function readNetwork(text: string): string | undefined {
  try {
    const [address, bits] = parseCidr(text)
    return `${findBlockStart(address, bits)}/${bits}`
  } catch {
    return undefined
  }
}

/**
 * Creates a test for whether an address lies in one of the blocks.
 *
 * @param networks blocks in the form that {@link readNetwork} gives.
 * @throws Error for a malformed block.
 */
export function createNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const cidrs = networks.map(parseCidr)
  return (address) => isInside(address, cidrs)
}

const findBlockStart = (address: Address, bits: number): Address =>
  address instanceof ipaddr.IPv4
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
    : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)

const isGlobal = (address: Address): boolean => {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !address.match(AZURE_PLATFORM)
  const translated = unwrapNat64(address)
  if (translated) return isGlobal(translated)
  // The library says `unicast` for every range without a special purpose, even where no address was ever assigned.
  return address.match(GLOBAL_IPV6) && address.range() === 'unicast'
}

const unwrapNat64 = (address: Address): ipaddr.IPv4 | undefined =>
  address instanceof ipaddr.IPv6 && address.match(NAT64)
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : undefined

const parseAddress = (text: string): Address | undefined => {
  // The library also reads octal, hexadecimal and short forms; sockets and resolvers never answer with those.
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(padCompatible(text))
}

/** The library reads `::192.0.2.1` as the mapped `::ffff:192.0.2.1`; a leading zero prevents that. */
const padCompatible = (text: string): string => text.replace(/^::(?=\d+\.)/, '0::')

const parseCidr = (entry: string): Cidr => {
  const [first = '', bits, ...rest] = entry.split('/')
  const version = first.includes('%') ? 0 : isIP(first)
  const bitsMax = version === 4 ? 32 : 128
  const isBitsValid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
  if (version === 0 || !isBitsValid || rest.length > 0) {
    throw new Error(`"${entry}" is not an address block such as 10.0.0.0/8 or fd00::/8`)
  }
  const [address, length] = ipaddr.parseCIDR(`${padCompatible(first)}/${bits ?? bitsMax}`)
  // Mapped addresses are unwrapped before they are compared, so a mapped block must be unwrapped too.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && length >= 96) {
    return [address.toIPv4Address(), length - 96]
  }
  return [address, length]
}
