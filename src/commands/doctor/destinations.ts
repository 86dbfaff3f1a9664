import type { Config } from '../../config.ts'
import { parseSmtpUrl } from '../../platform/mail/smtp-url.ts'
import { readServer } from '../../platform/outbound/destination.ts'

/** A place that the service may connect to. */
export interface Destination {
  /** A word for scripts, such as `pictures`. */
  what: string
  /** A host with its port, a network, or `any public host` with its ports. */
  where: string
  /** The setting, or whoever names it. */
  setting: string
  why: string
}

type EgressSettings = Pick<
  Config,
  | 'OFFLINE'
  | 'FETCH_ALLOW_CIDRS'
  | 'WEBHOOK_ALLOW_CIDRS'
  | 'SMTP_URL'
  | 'STRIPE_SECRET_KEY'
  | 'STRIPE_API_BASE'
  | 'BASE_URL'
  | 'BACKUP_TO'
  | 'COPIES_TO'
  | 'STANDBY'
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'DOMAIN'
  | 'ACME_DIRECTORY'
>

const STRIPE = 'https://api.stripe.com'

/** Addresses that stores have named. */
interface NamedAddresses {
  feeds: readonly string[]
  webhooks: readonly string[]
}

/**
 * Lists every place that these settings let the service connect to, and why; with `OFFLINE` the allowed networks alone.
 * It looks nothing up.
 */
export function listDestinations(config: EgressSettings, named: NamedAddresses): Destination[] {
  const networks = listNetworks(config)
  if (config.OFFLINE) return networks
  const dns = {
    what: 'names',
    where: "the system's resolver",
    setting: '/etc/resolv.conf',
    why: 'To look up the hosts below',
  }
  return [dns, ...listPublic(named), ...networks, ...listServers(config)]
}

const PICTURES = 'Pictures of products and searches, pages of shops to check'
const PUBLIC = 'any public host, ports 80 and 443'

function listPublic({ feeds, webhooks }: NamedAddresses): Destination[] {
  const of = (what: string, addresses: readonly string[], why: string): Destination[] =>
    [...new Set(addresses.map(hostOf))].toSorted().map((where) => ({ what, where, setting: 'a store', why }))
  return [
    { what: 'pictures', where: PUBLIC, setting: 'OFFLINE=0', why: PICTURES },
    { what: 'feeds', where: PUBLIC, setting: 'OFFLINE=0', why: 'Files of products that stores name' },
    ...of('feeds', feeds, 'A feed that is set up'),
    {
      what: 'webhooks',
      where: 'any public host, https on port 443',
      setting: 'OFFLINE=0',
      why: 'Webhooks and callbacks that stores name',
    },
    ...of('webhooks', webhooks, 'A webhook that is on'),
  ]
}

function listNetworks({ FETCH_ALLOW_CIDRS, WEBHOOK_ALLOW_CIDRS }: EgressSettings): Destination[] {
  const split = (text: string): string[] => text.split(',').flatMap((entry) => entry.trim() || [])
  return [
    ...split(FETCH_ALLOW_CIDRS).map((network) => ({
      what: 'pictures',
      where: `${network}, any port`,
      setting: 'FETCH_ALLOW_CIDRS',
      why: `${PICTURES}, feeds; servers that settings name`,
    })),
    ...split(WEBHOOK_ALLOW_CIDRS).map((network) => ({
      what: 'webhooks',
      where: `${network}, any port`,
      setting: 'WEBHOOK_ALLOW_CIDRS',
      why: 'Webhooks and callbacks',
    })),
  ]
}

/** The servers that settings name. */
function listServers(config: EgressSettings): Destination[] {
  const { SMTP_URL, STRIPE_SECRET_KEY, STRIPE_API_BASE, BASE_URL, DOMAIN, ACME_DIRECTORY } = config
  const { BACKUP_TO, COPIES_TO, STANDBY, S3_ENDPOINT, S3_REGION } = config
  const all: Destination[] = []
  const add = (what: string, where: string, setting: string, why: string) =>
    void all.push({ what, where, setting, why })
  if (SMTP_URL !== '') {
    const { host, port } = parseSmtpUrl(SMTP_URL)
    add('mail', `${host}:${port}`, 'SMTP_URL', 'Mails to people')
  }
  if (STRIPE_SECRET_KEY !== '')
    add('payments', hostOf(STRIPE_API_BASE || STRIPE), 'STRIPE_SECRET_KEY', 'Payments for plans')
  const store = hostOf(S3_ENDPOINT || `https://s3.${S3_REGION || 'us-east-1'}.amazonaws.com`)
  if (/^s3:/.test(BACKUP_TO)) add('backups', store, 'BACKUP_TO', 'Copies of backups, encrypted')
  if (COPIES_TO !== '')
    add('copies', store, 'COPIES_TO', 'The database and pictures, as they are, for a standby')
  else if (STANDBY !== '') add('copies', store, 'STANDBY', 'The copies of the node that this one waits for')
  if (DOMAIN !== '') add('certificate', hostOf(ACME_DIRECTORY), 'DOMAIN', 'To get and renew the certificate')
  if (BASE_URL !== '')
    add('doctor', hostOf(BASE_URL), 'BASE_URL', 'The doctor asks whether the address leads here')
  return all
}

/** The host of an address with its port. A name or password in it, and its path, are nobody's business. */
function hostOf(address: string): string {
  if (!URL.canParse(address)) return 'a wrong address'
  const { host, port } = readServer(new URL(address))
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
