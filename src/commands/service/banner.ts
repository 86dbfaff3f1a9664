import { networkInterfaces } from 'node:os'
import type { Config } from '../../config.ts'
import { version } from '../../version.ts'
import { formatFolderFlag } from './addresses.ts'
import { isLocalAddress } from './local-host.ts'
import type { SetupLink } from './setup-link.ts'

/** The facts of a running service that a banner shows. */
export interface BannerFacts {
  /** Where it listens, and its public address. */
  address: string
  baseUrl: string
  dataDir: string
  model: string
  /** While there is no super-admin. */
  setup: SetupLink | undefined
}

/** Hosts that stand for every address of the machine. */
const EVERY_ADDRESS = /^https?:\/\/(0\.0\.0\.0|\[::\]):/

/**
 * Formats what a person wants to know when the service has started: where to look, where the data is, and what to do next.
 *
 * @param addresses the addresses of this machine.
 */
export function formatBanner(
  { address, baseUrl, dataDir, model, setup }: BannerFacts,
  config: Pick<Config, 'DATA_DIR'>,
  addresses: readonly string[] = listAddresses(),
): string {
  const { port, protocol } = new URL(address)
  const reached = EVERY_ADDRESS.test(address)
    ? ['127.0.0.1', ...addresses].map((host) => `${protocol}//${host}:${port}`)
    : [address]
  const main = baseUrl === address ? (reached[0] ?? address) : baseUrl
  const rows = [
    ...(baseUrl === address ? [] : [['Public address', baseUrl]]),
    ...reached.map((url, n) => [n === 0 ? 'Listens on' : '', url]),
    ['API page', `${main}/docs`],
    ['Guide', `${main}/docs/guide`],
    ['Data folder', dataDir],
    ['Model', model],
  ]
  const next = setup ? formatSetup(setup, address, formatFolderFlag(config)) : ''
  const lines = rows.map(([name = '', value]) => `    ${name.padEnd(14)}  ${value}\n`).join('')
  return `\n  Lookalike ${version}\n\n${lines}${next}\n  Ctrl+C stops it.\n\n`
}

/** How to make the first account: in a browser here, in one elsewhere, without one. */
function formatSetup({ url, expiresAt }: SetupLink, address: string, folder: string): string {
  const until = new Date(expiresAt).toTimeString().slice(0, 5)
  const { port } = new URL(address)
  const tunnel = isLocalAddress(url)
    ? `\n  On a server? First on your own computer:\n    ssh -L ${port}:127.0.0.1:${port} you@server\n`
    : ''
  return `
  Nobody owns this installation yet. Make the first account in the browser:
    ${url}
    (works once, until ${until}; "lookalike setup-link${folder}" prints a new one)
${tunnel}
  No browser?
    lookalike setup${folder} --email me@shop.example --store 'My shop'
`
}

/** The IPv4 addresses of this machine that others may reach. */
const listAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list = []) => list)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
