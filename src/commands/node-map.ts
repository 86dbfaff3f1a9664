import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { counted } from '../core/text.ts'
import { writeLines, writeTargets } from '../features/nodes/map/formats.ts'
import { joinMaps } from '../features/nodes/map/join.ts'
import { DOMAIN_PATTERN } from '../features/nodes/map/names.ts'
import { FORMATS, type MapFormat, type MapStore } from '../features/nodes/map/schema.ts'
import type { Command } from './cli/command.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { replaceFile } from './node-map/replace-file.ts'
import { isUrl, readKnownMaps } from './node-map/sources.ts'
import { withInstall } from './service/with-install.ts'

/** More nodes than one list of names can hold at a glance. */
const SOURCES_MAX = 100
/** Names that two stores claim and that are told one by one. */
const DOUBLED_SHOWN = 10

interface Joined {
  nodes: readonly string[]
  stores: readonly MapStore[]
}

const isFormat = (text: string): text is MapFormat => (FORMATS as readonly string[]).includes(text)

/** `lookalike node map`. */
export const nodeMap: Command = {
  name: 'node map',
  summary:
    'write which node serves which store, for a proxy or Prometheus; of this node, or joined of several',
  options: [
    { flag: 'format', value: 'FORMAT', meaning: `${FORMATS.join(', ')}; default: json` },
    { flag: 'hosts', value: 'DOMAIN', meaning: 'each store has the name SLUG.DOMAIN' },
    {
      flag: 'join',
      value: 'URL|FILE',
      meaning: 'a node, or its map in a file; may be given several times. Without it: the node of DATA_DIR',
      isList: true,
    },
    {
      flag: 'keep',
      value: 'FOLDER',
      meaning: 'keep the last map of each joined URL there, and use it while the node does not answer',
    },
    {
      flag: 'out',
      value: 'FILE',
      meaning: 'replace FILE as a whole if anything has changed; default: stdout',
    },
  ],
  settings: ['DATA_DIR', 'BASE_URL', 'MAP_TOKEN', 'FETCH_ALLOW_CIDRS', 'OFFLINE'],
  example: 'lookalike node map --format haproxy --hosts search.example --out /etc/haproxy/stores.map',
  findProblems({ format, hosts, join, keep }) {
    const sources = join?.split('\n') ?? []
    return [
      ...(format === undefined || isFormat(format) ? [] : [`--format must be one of ${FORMATS.join(', ')}`]),
      ...(hosts === undefined || new RegExp(DOMAIN_PATTERN).test(hosts)
        ? []
        : ['--hosts must be a domain in small letters, like search.example']),
      ...(sources.length > SOURCES_MAX ? [`--join takes at most ${SOURCES_MAX} nodes`] : []),
      ...(keep !== undefined && !sources.some(isUrl) ? ['--keep goes with --join URL'] : []),
    ]
  },
  async run({ config, options }) {
    const format = options['format'] as MapFormat | undefined
    const sources = options['join']?.split('\n')
    const map = sources ? await join(config, sources, options['keep']) : await readOwn(config)
    const pieces = write(map, format ?? 'json', options['hosts'])
    const out = options['out']
    if (out === undefined) {
      for (const piece of pieces) process.stdout.write(piece)
      return 0
    }
    const isChanged = await replaceFile(out, [...pieces].join(''))
    const what = `${counted(map.stores.length, 'store')} on ${counted(map.nodes.length, 'node')}`
    console.log(`${isChanged ? 'written' : 'unchanged'}: ${out}, ${what}`)
    return 0
  },
}

const readOwn = (config: Config): Promise<Joined> =>
  withInstall(config, ({ nodeMap }) => ({ nodes: nodeMap.listNodes(), stores: [...nodeMap.walk()] }))

async function join(config: Config, sources: readonly string[], keep: string | undefined): Promise<Joined> {
  const known = await readKnownMaps(config, sources, keep, createStopSignal())
  for (const warning of known.warnings) console.error(warning)
  if (known.maps.length === 0)
    throw new OperatorError('No node answers, and no earlier map is kept; nothing was written')
  return joinMaps(known.maps)
}

function* write({ nodes, stores }: Joined, format: MapFormat, hosts: string | undefined): Generator<string> {
  if (format === 'json') {
    yield `${JSON.stringify({ nodes, stores, count: stores.length, next_cursor: null }, null, 1)}\n`
    return
  }
  if (format === 'prometheus') {
    yield writeTargets(nodes)
    return
  }
  let doubled = 0
  yield* writeLines(format, {
    ...{ nodes, stores, hosts },
    onDoubled(key, { store_id, url }) {
      doubled += 1
      if (doubled > DOUBLED_SHOWN) return
      console.error(
        `${key} belongs to an older store or to a node: store ${store_id} at ${url} does not get it`,
      )
    },
  })
  if (doubled > DOUBLED_SHOWN) console.error(`… and ${doubled - DOUBLED_SHOWN} more`)
}
