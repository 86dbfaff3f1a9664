import { cutEndSlashes } from '../../../core/url-paths.ts'
import { hostOf, isSafe, nameNode } from './names.ts'
import type { MapFormat, MapStore } from './schema.ts'

export interface MapContent {
  nodes: readonly string[]
  stores: Iterable<MapStore>
  /** The domain of which each store has a name. */
  hosts?: string | undefined
  /** Learns of a key that two stores claim; the first has it. Without this, keys of stores are taken to differ. */
  onDoubled?(key: string, store: MapStore): void
}

/** A format that goes through all stores. */
export type LineFormat = Exclude<MapFormat, 'json' | 'prometheus'>

const ENDINGS: Record<LineFormat, string> = { haproxy: '\n', caddy: '\n', nginx: ';\n' }

/**
 * Writes the map of a proxy: a key, then the name of the node ({@link nameNode}). Keys are host names, `/` with a slug,
 * `client:` with a store's id, and widget keys; no kind can be mistaken for another. A value that does not look like its kind
 * is left out, so no store can write a line of its own. A node keeps its own host name from a store of that name.
 */
export function* writeLines(
  format: LineFormat,
  { nodes, stores, hosts, onDoubled }: MapContent,
): Generator<string> {
  const end = ENDINGS[format]
  const taken = new Set<string>()
  yield '# Which node serves what; written by Lookalike.\n'
  for (const url of nodes) {
    const host = hostOf(url)
    if (taken.has(host) || !/^[a-z0-9.-]+$/.test(host)) continue
    taken.add(host)
    yield `${host} ${nameNode(url)}${end}`
  }
  for (const store of stores) {
    const node = nameNode(store.url)
    let lines = ''
    for (const key of listKeys(store, hosts)) {
      if (taken.has(key)) onDoubled?.(key, store)
      else lines += `${key} ${node}${end}`
      if (onDoubled) taken.add(key)
    }
    if (lines !== '') yield lines
  }
}

function* listKeys({ slug, store_id, widget_keys }: MapStore, hosts: string | undefined): Generator<string> {
  if (isSafe('slug', slug)) {
    // A label of a host name has at most 63 characters and ends with none of these.
    if (hosts !== undefined && slug.length <= 63 && !slug.endsWith('-')) yield `${slug}.${hosts}`
    yield `/${slug}`
  }
  if (isSafe('storeId', store_id)) yield `client:${store_id}`
  for (const key of widget_keys) if (isSafe('widgetKey', key)) yield key
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Lists the nodes as `file_sd_configs` of Prometheus reads them. */
export const writeTargets = (nodes: readonly string[]): string =>
  `${JSON.stringify(
    nodes.map((url) => {
      const { protocol, hostname, port, pathname } = new URL(url)
      return {
        targets: [`${hostname}:${port || PORTS[protocol]}`],
        labels: {
          __scheme__: protocol.slice(0, -1),
          __metrics_path__: `${cutEndSlashes(pathname)}/metrics`,
          node: nameNode(url),
        },
      }
    }),
    null,
    2,
  )}\n`
