import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { cutEndSlashes } from '../../core/url-paths.ts'
import { type ForeignMap, type KnownMap, readMap } from '../../features/nodes/map/join.ts'
import { NODE_URL_PATTERN, nameNode } from '../../features/nodes/map/names.ts'
import { PAGE_MAX } from '../../features/nodes/map/schema.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import { openEgresses } from '../service/open-ports.ts'
import { replaceFile } from './replace-file.ts'

/** A node that has not told all of its map by then does not answer. */
const NODE_MS = 20_000
const CONNECT_MS = 5_000
/** A page of stores, each with hundreds of widget keys. */
const PAGE_BYTES_MAX = 32 * 1024 * 1024
/** A million stores. */
const PAGES_MAX = 1_000

const NODE_URL = new RegExp(NODE_URL_PATTERN)

export const isUrl = (source: string): boolean => /^https?:\/\//i.test(source)

/**
 * Reads the maps of nodes and of files. A node that does not answer is known by its last map, if that was kept.
 *
 * @param keep folder of those maps.
 * @throws OperatorError for a file that is no map, an address that is none, and a folder that cannot be used.
 */
export async function readKnownMaps(
  config: Config,
  sources: readonly string[],
  keep: string | undefined,
  stop: AbortSignal,
): Promise<{ maps: KnownMap[]; warnings: string[] }> {
  const urls = sources.filter(isUrl).map(parse)
  if (urls.length > 0 && config.MAP_TOKEN === '') {
    throw new OperatorError(
      'Set MAP_TOKEN or MAP_TOKEN_FILE to what the nodes have: they tell nobody else their map',
    )
  }
  if (keep !== undefined) {
    await mkdir(keep, { recursive: true, mode: 0o700 }).catch((error: Error) => {
      throw new OperatorError(`Cannot use ${keep}: ${error.message}`)
    })
  }
  const { main: egress } = openEgresses(config)
  const warnings: string[] = []
  const asked = urls.map(async (url) => {
    const kept = keep === undefined ? undefined : join(keep, `${nameNode(url.href)}.json`)
    let map: ForeignMap
    try {
      map = await fetchMap(egress, url, config.MAP_TOKEN, stop)
    } catch (error) {
      stop.throwIfAborted()
      const last = kept === undefined ? undefined : await readFileMap(kept).catch(() => undefined)
      const instead = last
        ? `its map of ${new Date(last.knownAt).toISOString()} stays`
        : 'nothing is known of its stores'
      warnings.push(`${url.origin} does not tell its map (${(error as Error).message}): ${instead}`)
      return last
    }
    if (kept !== undefined) await replaceFile(kept, JSON.stringify(map))
    return { ...map, isFresh: true, knownAt: Date.now() }
  })
  const files = sources.filter((source) => !isUrl(source)).map(readFileMap)
  const maps = (await Promise.all([...asked, ...files])).filter((map) => map !== undefined)
  return { maps, warnings }
}

function parse(source: string): URL {
  const url = NODE_URL.test(source) && URL.canParse(source) ? new URL(source) : undefined
  if (url) return url
  throw new OperatorError(`${source} is not the address of a node, such as https://node-a.search.example`)
}

/** @throws OperatorError for anything but a map. */
async function readFileMap(path: string): Promise<KnownMap> {
  let map: ForeignMap | undefined
  let knownAt = 0
  try {
    map = readMap(JSON.parse(await readFile(path, 'utf8')))
    knownAt = (await stat(path)).mtimeMs
  } catch (error) {
    throw new OperatorError(`Cannot read ${path}: ${(error as Error).message}`)
  }
  if (!map) throw new OperatorError(`${path} is not a map in JSON, as lookalike node map writes it`)
  return { ...map, isFresh: false, knownAt }
}

/** Reads the map of a node page by page. @throws Error whose message says why it could not be had. */
async function fetchMap(egress: Egress, node: URL, token: string, stop: AbortSignal): Promise<ForeignMap> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(NODE_MS)])
  const nodes = new Set<string>()
  const stores: ForeignMap['stores'] = []
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page++) {
    const url = new URL(`${cutEndSlashes(node.pathname)}/v1/admin/map`, node)
    url.searchParams.set('limit', String(PAGE_MAX))
    if (cursor !== null) url.searchParams.set('cursor', cursor)
    const { status, body } = await egress.sendToOwn(url, {
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      connectMs: CONNECT_MS,
      signal,
      read: (_, pieces) => readText(pieces),
    })
    if (status === 401) throw new Error('it has another MAP_TOKEN')
    if (status !== 200) throw new Error(`it answers ${status}`)
    const read: unknown = JSON.parse(body)
    const map = readMap(read)
    if (!map) throw new Error('its answer is no map')
    for (const one of map.nodes) nodes.add(one)
    stores.push(...map.stores)
    cursor = readCursor(read)
    if (cursor === null) return { nodes: [...nodes], stores }
  }
  throw new Error(`it has more than ${PAGES_MAX * PAGE_MAX} stores`)
}

function readCursor(page: unknown): string | null {
  const { next_cursor: cursor } = page as { next_cursor?: unknown }
  return typeof cursor === 'string' && cursor !== '' ? cursor : null
}

async function readText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > PAGE_BYTES_MAX) throw new Error('its answer is too long')
    read.push(piece)
  }
  return Buffer.concat(read).toString('utf8')
}
