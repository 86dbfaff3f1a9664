import { networkInterfaces } from 'node:os'
import type { Clock } from '../../core/clock.ts'
import { canonicalAddress } from '../../core/networks.ts'

/** Interfaces change while the service runs, but asking the system on every request would be too slow. */
const REFRESH_MS = 5_000

/**
 * Creates a test whether an address belongs to this machine, whose services a firewall may hide from everyone else.
 *
 * @param listAddresses lists the machine's addresses; by default those of its network interfaces.
 */
export function createOwnAddresses(
  clock: Clock,
  listAddresses: () => string[] = listSystemAddresses,
): (address: string) => boolean {
  let own: ReadonlySet<string> = new Set()
  let refreshedAt = Number.NEGATIVE_INFINITY

  function read(): ReadonlySet<string> | undefined {
    try {
      return new Set(listAddresses().flatMap((text) => canonicalAddress(text) ?? []))
    } catch {
      // The last known addresses are better than none.
      return undefined
    }
  }

  return (address) => {
    if (clock.monotonic() - refreshedAt >= REFRESH_MS) {
      refreshedAt = clock.monotonic()
      own = read() ?? own
    }
    const text = canonicalAddress(address)
    return text !== undefined && own.has(text)
  }
}

const listSystemAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
