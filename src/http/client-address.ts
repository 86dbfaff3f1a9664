import { parseAddress } from '../core/throttle-keys.ts'

export interface ClientAddressDeps {
  /** Whether an address belongs to a trusted proxy. */
  isTrusted(address: string): boolean
  /** The address at the other end of a request's connection; undefined where there is none, as in tests. */
  peerOf(request: Request): string | undefined
}

/** The peer of a request that came over no network. */
const OWN_MACHINE = '127.0.0.1'

/** The peer of a request whose peer address cannot be read; nobody sends from it, and nobody should trust it. */
const NOWHERE = '0.0.0.0'

/** Peers whose address is kept in its canonical form. */
const PEERS_MAX = 1_000

/** The longest chain of proxies that is followed; real chains have two or three. */
const HOPS_MAX = 32

/**
 * Finds the address of a request's client: canonical (RFC 5952), without port and zone, IPv4 mapped into IPv6 as IPv4.
 *
 * It is the address of the peer, unless the peer is a trusted proxy. Then `X-Forwarded-For` is read from the right, where
 * each proxy added its own peer: the first address that is no trusted proxy is the client. Entries to the left of it may
 * be forged. An entry that is no address ends the search with the last good one.
 */
export function createClientAddress({ isTrusted, peerOf }: ClientAddressDeps) {
  const peers = new Map<string, string>()

  /** A connection sends many requests, and parsing an address takes longer than finding it. */
  function canonicalPeer(peer: string): string {
    const known = peers.get(peer)
    if (known !== undefined) return known
    const address = canonicalAddress(peer) ?? NOWHERE
    if (peers.size >= PEERS_MAX) peers.clear()
    peers.set(peer, address)
    return address
  }

  return (request: Request): string => {
    let address = canonicalPeer(peerOf(request) ?? OWN_MACHINE)
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

/** The entries of a list header, last first; several headers were joined by commas. Empty entries are skipped. */
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
