import { networkInterfaces } from 'node:os'
import type { Clock } from '../../core/clock.ts'
import { canonicalAddress } from '../../core/networks.ts'

/** Addresses come and go; asking the system for each download would cost more than the download's own checks. */
const LOOK_MS = 5_000

/**
 * A test whether an address is one of this machine: what listens there may be hidden from everybody else by a firewall.
 *
 * @param interfaces gives the machine's addresses; the system's by default.
 */
export function createOwnAddresses(
  clock: Clock,
  interfaces: () => string[] = systemAddresses,
): (address: string) => boolean {
  let own: ReadonlySet<string> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY

  function look(): ReadonlySet<string> | undefined {
    try {
      return new Set(interfaces().flatMap((text) => canonicalAddress(text) ?? []))
    } catch {
      // What was known still tells more than nothing.
      return undefined
    }
  }

  return (address) => {
    if (clock.monotonic() - lookedAt >= LOOK_MS) {
      lookedAt = clock.monotonic()
      own = look() ?? own
    }
    const text = canonicalAddress(address)
    return text !== undefined && own.has(text)
  }
}

const systemAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interface_) => (interface_ ?? []).map(({ address }) => address))
