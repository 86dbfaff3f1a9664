import type { Config } from '../../config.ts'
import { runWithDeadline } from '../../platform/outbound/deadline.ts'
import { readServer } from '../../platform/outbound/destination.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import { exchange } from '../../platform/outbound/exchange.ts'
import { OutboundError } from '../../platform/outbound/failure.ts'
import { isLocalAddress } from '../service/local-host.ts'
import { type Check, error, ok, warning } from './check.ts'

const CONNECT_MS = 5_000
const TOTAL_MS = 10_000

/** Sign-ins, codes and links bear that much. */
const CLOCK_TOLERANCE_MS = 60_000

/** What an address answered. */
interface Answered {
  status: number
  version: unknown
  location: unknown
  /** The clock of whatever answered first, in Unix ms; NaN without one. */
  date: number
}

/**
 * Asks the service by its public address, through whatever stands in front.
 *
 * @param version the one that must answer.
 * @param now Unix ms.
 */
export async function checkAddress(
  { BASE_URL, OFFLINE }: Pick<Config, 'BASE_URL' | 'OFFLINE'>,
  version: string,
  egress: Pick<Egress, 'connect'>,
  now: () => number,
): Promise<Check[]> {
  const name = 'address'
  try {
    const answer = await ask(new URL(`${BASE_URL}/version`), egress)
    if (answer.status >= 300 && answer.status < 400) {
      const cure = 'Set BASE_URL to the address that it leads to, or end the redirect in the proxy'
      return [error(name, `${BASE_URL} leads elsewhere (${answer.status} to ${answer.location})`, cure)]
    }
    if (answer.version === undefined) {
      const cure = 'Have the name and the proxy lead to this service'
      return [
        error(name, `${BASE_URL} answers ${answer.status}, and it is not this service that answers`, cure),
      ]
    }
    if (answer.version !== version) {
      const text = `${BASE_URL} leads to a service of version ${answer.version}, and this is ${version}`
      return [error(name, text, 'Have the proxy lead to this service, or restart the one that it leads to')]
    }
    return [ok(name, `${BASE_URL} leads here`), ...compareClocks(answer.date, now())]
  } catch (fault) {
    if (!(fault instanceof OutboundError)) throw fault
    if (OFFLINE && fault.reason === 'blocked_address') {
      return [ok(name, `${BASE_URL} was not asked, because OFFLINE is 1 and its network is not allowed`)]
    }
    const cure = 'Check its name, its certificate, the proxy and the firewall, also from another machine'
    return [error(name, `${BASE_URL} cannot be reached from here: ${fault.message} (${fault.reason})`, cure)]
  }
}

async function ask(url: URL, egress: Pick<Egress, 'connect'>): Promise<Answered> {
  return runWithDeadline(TOTAL_MS, undefined, async (signal) => {
    const connecting = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
    const socket = await egress.connect(readServer(url), connecting)
    const { status, headers } = await exchange(socket, url, {
      ...{ method: 'GET', signal, connectMs: CONNECT_MS },
      headers: { 'user-agent': 'Lookalike (doctor)' },
      read: async () => undefined,
    })
    return {
      status,
      version: headers['x-service-version'],
      location: headers.location,
      date: Date.parse(headers.date ?? ''),
    }
  })
}

/** The answer came through a proxy, which may be another machine and have the right time. */
function compareClocks(theirs: number, ours: number): Check[] {
  if (!(Math.abs(theirs - ours) > CLOCK_TOLERANCE_MS)) return []
  const seconds = Math.round(Math.abs(theirs - ours) / 1000)
  const text = `The clock is ${seconds} s ${theirs > ours ? 'behind' : 'ahead of'} that of the public address`
  return [warning('clock', text, 'Synchronise both with NTP (timedatectl set-ntp true)')]
}

/** Networks with more addresses than these are no proxies: 65,536 for IPv4, a provider's customers for IPv6. */
const BITS_MIN = { ipv4: 16, ipv6: 32 } as const

/** Networks in which every address may be one's own proxy, and the bits of the widest. */
const PRIVATE = /^(10|127|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^f[cd]/i
const PRIVATE_BITS_MIN = 7

type ProxySettings = Pick<Config, 'BASE_URL' | 'HOST' | 'PORT' | 'TRUSTED_PROXIES' | 'TLS_CERT' | 'DOMAIN'>

/** Whether the addresses of clients will be right. */
export function checkProxies({
  BASE_URL,
  HOST,
  PORT,
  TRUSTED_PROXIES,
  TLS_CERT,
  DOMAIN,
}: ProxySettings): Check[] {
  const name = 'proxies'
  const networks = TRUSTED_PROXIES.split(',').flatMap((entry) => entry.trim() || [])
  const wide = networks.find((network) => isWide(network))
  if (wide !== undefined) {
    const cure = 'List the addresses of your own proxies alone, such as TRUSTED_PROXIES=127.0.0.1/32'
    return [
      error(name, `TRUSTED_PROXIES holds ${wide}: strangers there may claim any address of theirs`, cure),
    ]
  }
  if (networks.length > 0) return [ok(name, `Addresses of clients are believed to ${networks.join(', ')}`)]
  // A service that speaks TLS itself needs no proxy.
  if (BASE_URL === '' || TLS_CERT !== '' || DOMAIN !== '') return []
  const { protocol, hostname, port } = new URL(BASE_URL)
  const isBehind =
    protocol === 'https:' || (!isLocalAddress(BASE_URL) && (hostname !== HOST || Number(port || 80) !== PORT))
  if (!isBehind) return []
  const cure =
    'Set TRUSTED_PROXIES to the addresses of the proxy, such as 127.0.0.1/32 for one on this machine'
  const text =
    'A proxy seems to stand in front, and TRUSTED_PROXIES is empty: all clients have its address, and share its limits'
  return [warning(name, text, cure)]
}

function isWide(network: string): boolean {
  const [address = '', bits] = network.split('/')
  if (bits === undefined) return false
  if (PRIVATE.test(address)) return Number(bits) < PRIVATE_BITS_MIN
  return Number(bits) < (address.includes(':') ? BITS_MIN.ipv6 : BITS_MIN.ipv4)
}
