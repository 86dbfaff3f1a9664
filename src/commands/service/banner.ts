import { networkInterfaces } from 'node:os'
import type { Config } from '../../config.ts'
import { version } from '../../version.ts'
import { formatFolderFlag } from './addresses.ts'

/** The facts of a running service that a banner shows. */
export interface BannerFacts {
  /** Where it listens, and its public address. */
  address: string
  baseUrl: string
  dataDir: string
  model: string
  hasStore: boolean
}

/** Hosts that stand for every address of the machine. */
const EVERY_ADDRESS = /^http:\/\/(0\.0\.0\.0|\[::\]):/

/**
 * Formats what a person wants to know when the service has started: where to look, where the data is, and what to do next.
 *
 * @param addresses the addresses of this machine.
 */
export function formatBanner(
  { address, baseUrl, dataDir, model, hasStore }: BannerFacts,
  config: Pick<Config, 'DATA_DIR'>,
  addresses: readonly string[] = listAddresses(),
): string {
  const port = new URL(address).port
  const reached = EVERY_ADDRESS.test(address)
    ? ['127.0.0.1', ...addresses].map((host) => `http://${host}:${port}`)
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
  const folder = formatFolderFlag(config)
  const next = hasStore
    ? ''
    : `\n  There is no store yet. Create one in another terminal:\n    lookalike setup${folder} --email me@shop.example --store 'My shop'\n`
  const lines = rows.map(([name = '', value]) => `    ${name.padEnd(14)}  ${value}\n`).join('')
  return `\n  Lookalike ${version}\n\n${lines}${next}\n  Ctrl+C stops it.\n\n`
}

/** The IPv4 addresses of this machine that others may reach. */
const listAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list = []) => list)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
