import { at, type Costs } from './costs.ts'

/** What is asked for. */
export interface Demand {
  stores: readonly StoreDemand[]
  node: NodeSize
  /** What of memory, disk and processor is left free on each node, for growth and for bursts. */
  headroom: number
  /** No node holds more stores, so that the loss of one touches few. */
  mostStores: number
  /** Whether each node has a standby of its own size. */
  hasStandbys: boolean
}

export interface StoreDemand {
  products: number
  picturesEach: number
  /** Searches a minute in the busiest hour. */
  searches: number
  /** The share of searches by words; the others are by a product or a picture that is known. */
  wordsShare: number
  /** Bytes of kept picture files; 0 where pictures stay at the shop's own addresses. */
  keptBytes: number
}

export interface NodeSize {
  memory: number
  disk: number
  cores: number
}

/** What one store takes of a node. */
export interface Load {
  memory: number
  disk: number
  /** Cores that are busy in the busiest hour. */
  cores: number
  /** Bytes a second of answers. */
  traffic: number
}

const SECONDS_A_MINUTE = 60
const MS = 1_000

export function loadOf(costs: Costs, store: StoreDemand): Load {
  const pictures = store.products * store.picturesEach
  const searchMs =
    store.wordsShare * at(costs.wordsCpuMs, pictures) +
    (1 - store.wordsShare) * at(costs.productCpuMs, pictures)
  const aSecond = store.searches / SECONDS_A_MINUTE
  return {
    memory: costs.memory.store + costs.memory.picture * pictures,
    disk: costs.disk.store + (costs.disk.picture + costs.thumbnailBytes) * pictures + store.keptBytes,
    cores: (aSecond * searchMs) / MS,
    traffic: aSecond * costs.answerBytes,
  }
}

/** A node of the plan with what lies on it. */
export interface Filled extends Load {
  stores: number[]
}

export interface Plan {
  nodes: Filled[]
  /** What decides how many there are. */
  bound: 'memory' | 'disk' | 'cores' | 'stores'
  /** Stores that no node of this size can hold. */
  tooLarge: number[]
  room: Load
}

const KINDS = ['memory', 'disk', 'cores'] as const

/** What stores may take of a node together. */
function roomOf(costs: Costs, { node, headroom }: Pick<Demand, 'node' | 'headroom'>): Load {
  const share = 1 - headroom
  return {
    memory: node.memory * share - costs.memory.node,
    disk: node.disk * share - costs.disk.node,
    cores: node.cores * share - costs.idleCores,
    traffic: Number.POSITIVE_INFINITY,
  }
}

/** Places stores on nodes: the largest first, each on the first node that has room for it. */
export function pack(costs: Costs, demand: Demand): Plan {
  const room = roomOf(costs, demand)
  const loads = demand.stores.map((store) => loadOf(costs, store))
  const weight = (load: Load) => Math.max(...KINDS.map((kind) => load[kind] / room[kind]))
  const order = loads
    .map((_, n) => n)
    .sort((a, b) => weight(loads[b] as Load) - weight(loads[a] as Load) || a - b)
  const nodes: Filled[] = []
  const tooLarge: number[] = []
  for (const n of order) {
    const load = loads[n] as Load
    const fits = ({ memory, disk, cores, stores }: Filled) =>
      stores.length < demand.mostStores &&
      memory + load.memory <= room.memory &&
      disk + load.disk <= room.disk &&
      cores + load.cores <= room.cores
    const empty: Filled = { memory: 0, disk: 0, cores: 0, traffic: 0, stores: [] }
    if (!(weight(load) <= 1)) {
      tooLarge.push(n)
      continue
    }
    let node = nodes.find(fits)
    if (!node) {
      node = empty
      nodes.push(node)
    }
    add(node, load)
    node.stores.push(n)
  }
  const sum = (kind: (typeof KINDS)[number]) => loads.reduce((all, load) => all + load[kind], 0) / room[kind]
  const first = KINDS.toSorted((a, b) => sum(b) - sum(a))[0] ?? 'memory'
  const bound = loads.length / demand.mostStores > sum(first) ? 'stores' : first
  return { nodes, bound, tooLarge, room }
}

function add(node: Load, load: Load): void {
  node.memory += load.memory
  node.disk += load.disk
  node.cores += load.cores
  node.traffic += load.traffic
}

/** Where the stores of a node go when it is gone for good and has no standby: each to the emptiest node that has room within its headroom. */
export function spread(
  costs: Costs,
  demand: Demand,
  plan: Plan,
  dead: number,
): { placed: number; homeless: number } {
  // In an emergency the headroom is what there is to use.
  const room = roomOf(costs, { node: demand.node, headroom: 0 })
  const others = plan.nodes.filter((_, n) => n !== dead).map((node) => ({ ...node }))
  let [placed, homeless] = [0, 0]
  for (const n of plan.nodes[dead]?.stores ?? []) {
    const load = loadOf(costs, demand.stores[n] as StoreDemand)
    const target = others
      .filter((node) => KINDS.every((kind) => node[kind] + load[kind] <= room[kind]))
      .sort((a, b) => a.memory - b.memory)[0]
    if (target) {
      add(target, load)
      placed++
    } else homeless++
  }
  return { placed, homeless }
}

/** Seconds to move everything off a node, one store after the other; undefined before a move was measured. */
export function emptySeconds({ move }: Costs, demand: Demand, node: Filled): number | undefined {
  if (!move) return undefined
  return node.stores.reduce(
    (sum, n) => sum + move.fixedSeconds + (demand.stores[n] as StoreDemand).products / move.productsASecond,
    0,
  )
}

/** Example prices, from a file with its date. */
export interface Prices {
  date: string
  source: string
  currency: string
  /** A month of a machine is so much for each core, each GiB of memory and each GiB of disk. */
  core: number
  memoryGib: number
  diskGib: number
  objectGib: number
  /** Of a GiB that leaves the data centre. */
  trafficGib: number
}

export interface Bill {
  machines: number
  objects: number
  traffic: number
  total: number
}

const GIB = 2 ** 30
/** Busy hours of a month: a day is as good as eight of them. */
const BUSY_SECONDS = 30 * 8 * 3_600

export function priceOf(prices: Prices, demand: Demand, { nodes }: Plan): Bill {
  const { cores, memory, disk } = demand.node
  const machine = cores * prices.core + (memory / GIB) * prices.memoryGib + (disk / GIB) * prices.diskGib
  const machines = machine * nodes.length * (demand.hasStandbys ? 2 : 1)
  const used = nodes.reduce((sum, node) => sum + node.disk, 0)
  // The copies of all databases and pictures.
  const objects = demand.hasStandbys ? (used / GIB) * prices.objectGib : 0
  const traffic =
    (nodes.reduce((sum, node) => sum + node.traffic, 0) * BUSY_SECONDS * prices.trafficGib) / GIB
  return { machines, objects, traffic, total: machines + objects + traffic }
}
