import { isUnwritable } from '../../core/storage.ts'
import type { Install } from '../../install.ts'
import { toLocalHost } from './local-host.ts'

/** The link that makes the first super-admin. */
export interface SetupLink {
  url: string
  /** Unix ms. */
  expiresAt: number
}

/**
 * Creates the link to the set-up, which ends the one before. The code stands behind the #, which browsers send nowhere and
 * proxies never log.
 *
 * @param address of the service, as people open it.
 * @returns undefined once there is a super-admin.
 */
export function issueSetupLink(
  { setupCodes }: Pick<Install['services'], 'setupCodes'>,
  address: string,
): SetupLink | undefined {
  const issued = setupCodes.issue()
  return issued && { url: `${toReachable(address)}/setup#${issued.code}`, expiresAt: issued.expiresAt }
}

/** The same for a service that starts: on a full disk it serves without a link. */
export function offerSetupLink(
  services: Pick<Install['services'], 'setupCodes'>,
  address: string,
): SetupLink | undefined {
  try {
    return issueSetupLink(services, address)
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return undefined
  }
}

/** No browser opens the address of a service that listens on every one. */
function toReachable(address: string): string {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const local = toLocalHost(host)
  return local === host ? address : address.replace(url.hostname, local.includes(':') ? `[${local}]` : local)
}
