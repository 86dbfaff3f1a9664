import { BoundedMap } from '../core/bounded-map.ts'
import { parseAddress } from '../core/throttle-keys.ts'

export interface ClientAddressDeps {
  /** Whether an address belongs to a trusted proxy. */
  isTrusted(address: string): boolean
  /** Finds the address at the other end of a request's connection; undefined if there is none, as in tests. */
  findPeer(request: Request): string | undefined
}

/** The peer of a request that came over no network. */
const OWN_MACHINE = '127.0.0.1'

/** The peer of a request whose peer address cannot be read. No client has this address, and no proxy list should. */
const NOWHERE = '0.0.0.0'

/** Peers whose address is kept in its canonical form. */
const PEERS_MAX = 1_000

/** The longest chain of proxies to follow; real chains have two or three. */
const HOPS_MAX = 32

/**
 * Finds the address of a request's client: canonical (RFC 5952), without port and zone, IPv4 mapped into IPv6 as IPv4.
 *
 * It is the address of the peer, unless the peer is a trusted proxy. Then `X-Forwarded-For` is read from the right, where
 * each proxy added its own peer: the first address that is no trusted proxy is the client. Entries to the left of it may
 * be forged. An entry that is no address ends the search with the last good one.
 */
export function createClientAddress({ isTrusted, findPeer }: ClientAddressDeps) {
  const peers = new BoundedMap<string, string>(PEERS_MAX)

  /** A connection sends many requests, and parsing an address takes longer than finding it. */
  function canonicalPeer(peer: string): string {
    const known = peers.get(peer)
    if (known !== undefined) return known
    const address = canonicalAddress(peer) ?? NOWHERE
    peers.set(peer, address)
    return address
  }

  return (request: Request): string => {
    let address = canonicalPeer(findPeer(request) ?? OWN_MACHINE)
    if (!isTrusted(address)) return address
    for (const entry of listEntriesFromRight(request.headers.get('x-forwarded-for'))) {
      const next = readEntry(entry)
      if (next === undefined) return address
      address = next
      if (!isTrusted(address)) return address
    }
    return address
  }
}

/** Lists the entries of a list header, last first; several headers were joined by commas. Empty entries are skipped. */
const listEntriesFromRight = (header: string | null): string[] =>
  (header ?? '')
    .split(',')
    .slice(-HOPS_MAX)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .reverse()

/** Reads `192.0.2.1`, `192.0.2.1:8080`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:8080`, perhaps in quotes. */
function readEntry(entry: string): string | undefined {
  const bare = /^"(.*)"$/.exec(entry)?.[1] ?? entry
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)?.[1]
  if (inBrackets !== undefined) return inBrackets.includes(':') ? canonicalAddress(inBrackets) : undefined
  return canonicalAddress(/^([\d.]+):\d{1,5}$/.exec(bare)?.[1] ?? bare)
}

const canonicalAddress = (text: string): string | undefined => parseAddress(text)?.toString()
