import { parseAddress } from '../core/throttle-keys.ts'

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

const canonicalAddress = (text: string): string | undefined => parseAddress(text)?.toString()
