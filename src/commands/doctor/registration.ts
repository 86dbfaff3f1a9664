import { isIP } from 'node:net'
import type { Config } from '../../config.ts'
import { isGlobalAddress } from '../../core/networks.ts'

/** Names that lead nowhere outside a house. */
const INNER_NAME = /(^|\.)(localhost|local|lan|internal|intranet|home\.arpa)$/i

/** Whether an address can be reached from the internet, as far as its host tells. */
function isPublic(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return isGlobalAddress(host)
  return host.includes('.') && !INNER_NAME.test(host)
}

/** Doubts about who may register. @returns one sentence each. */
export const findRegistrationDoubts = ({
  BASE_URL,
  REGISTRATION,
}: Pick<Config, 'BASE_URL' | 'REGISTRATION'>): string[] =>
  REGISTRATION === 'open' && BASE_URL !== '' && isPublic(BASE_URL)
    ? [
        'REGISTRATION is open and BASE_URL is a public address: strangers may open stores here. REGISTRATION=invite lets in whom you invite',
      ]
    : []
