/**
 * Plans nodes for many stores by what this build costs, and checks that against a real run.
 *
 *     bun scripts/scale/plan.ts --stores 1000 --products 2000 --searches 5 [--pictures 1] [--words 0.7] [--big 20x50000] [--most-stores 250]
 *       [--node-memory 16] [--node-cores 4] [--node-disk 160] [--headroom 0.3] [--kept-kb 0] [--no-standby]
 *       [--prices FILE] [--costs FILE] [--json]
 *     bun scripts/scale/plan.ts --check [--executable dist/lookalike] [--stores 50] [--products 2000] [--searches 5] [--seconds 60]
 *
 * `--searches` is the number of searches a minute of each store in its busiest hour, `--words` the share of them that is by words. The sizes
 * of a node are in GiB. `--big 20x50000` adds 20 stores of 50,000 products. `--most-stores` limits the stores
 * of a node, so that the loss of one touches few. Headroom is what each node leaves free of memory, disk and
 * processor. Costs come from scripts/scale/costs.json, which `costs.ts` measures. Prices are an example with a date, never a claim: copy
 * scripts/scale/prices.example.json and write those of your provider into it.
 *
 * `--check` runs the stores on two nodes of this machine, asks them as planned, and prints what was predicted beside what was
 * measured.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { printTable } from '../bench/parts/statistics.ts'
import { conclude } from './parts/report.ts'
import { check } from './plan/check.ts'
import type { Costs } from './plan/costs.ts'
import {
  type Demand,
  emptySeconds,
  type Filled,
  type Plan,
  type Prices,
  pack,
  priceOf,
  type StoreDemand,
  spread,
} from './plan/model.ts'

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    ...{ stores: { type: 'string' }, products: { type: 'string', default: '2000' } },
    ...{ searches: { type: 'string', default: '5' }, pictures: { type: 'string', default: '1' } },
    ...{ words: { type: 'string', default: '0.7' }, big: { type: 'string' } },
    'node-memory': { type: 'string', default: '16' },
    'node-cores': { type: 'string', default: '4' },
    'most-stores': { type: 'string', default: '1000000' },
    'node-disk': { type: 'string', default: '160' },
    ...{ headroom: { type: 'string', default: '0.3' }, 'kept-kb': { type: 'string', default: '0' } },
    standby: { type: 'boolean', default: true },
    prices: { type: 'string', default: join(import.meta.dir, 'prices.example.json') },
    costs: { type: 'string', default: join(import.meta.dir, 'costs.json') },
    ...{ json: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
    ...{ executable: { type: 'string' }, seconds: { type: 'string', default: '60' } },
  },
} as const)
const GIB = 2 ** 30

const costs = JSON.parse(readFileSync(flags.costs, 'utf8')) as Costs
const count = readNumber('stores', flags.stores ?? (flags.check ? '50' : '1000'))
const store = describeStore(readNumber('products', flags.products))
if (flags.check) {
  const rows = await check(costs, {
    store,
    count,
    seconds: Number(flags.seconds),
    executable: flags.executable,
  })
  process.exit(conclude(`${count} stores on two nodes: predicted and measured`, rows))
}
const prices = JSON.parse(readFileSync(flags.prices, 'utf8')) as Prices
const [bigCount = 0, bigProducts = 0] = (flags.big ?? '').split('x').map(Number)
const demand: Demand = {
  stores: [
    ...Array.from({ length: count }, () => store),
    ...Array.from({ length: bigCount }, () => describeStore(bigProducts)),
  ],
  node: {
    memory: readNumber('node-memory', flags['node-memory']) * GIB,
    disk: readNumber('node-disk', flags['node-disk']) * GIB,
    cores: readNumber('node-cores', flags['node-cores']),
  },
  headroom: Number(flags.headroom),
  mostStores: readNumber('most-stores', flags['most-stores']),
  hasStandbys: flags.standby,
}
const plan = pack(costs, demand)
if (flags.json) console.log(JSON.stringify(summarise(), null, 2))
else print()
process.exit(plan.tooLarge.length > 0 ? 1 : 0)

function describeStore(products: number): StoreDemand {
  const picturesEach = readNumber('pictures', flags.pictures)
  return {
    ...{ products, picturesEach, searches: Number(flags.searches), wordsShare: Number(flags.words) },
    keptBytes: products * picturesEach * Number(flags['kept-kb']) * 1_024,
  }
}

function readNumber(flag: string, word: string): number {
  const number = Number(word)
  if (!(number > 0)) throw new Error(`--${flag} takes a number above 0, not "${word}"`)
  return number
}

function summarise() {
  const fullest = fullestOf(plan)
  const total = (read: (node: Filled) => number) => plan.nodes.reduce((sum, node) => sum + read(node), 0)
  const emptied = fullest && emptySeconds(costs, demand, fullest)
  return {
    nodes: plan.nodes.length,
    standbys: demand.hasStandbys ? plan.nodes.length : 0,
    bound: plan.bound,
    stores_too_large: plan.tooLarge.length,
    stores_on_the_fullest: fullest?.stores.length ?? 0,
    memory_gib_of_the_fullest: gib((fullest?.memory ?? 0) + costs.memory.node),
    disk_gib_of_the_fullest: gib((fullest?.disk ?? 0) + costs.disk.node),
    busy_cores_of_the_fullest: round(fullest?.cores ?? 0),
    memory_gib: gib(total(({ memory }) => memory + costs.memory.node)),
    disk_gib: gib(total(({ disk }) => disk + costs.disk.node)),
    busy_cores: round(total(({ cores }) => cores)),
    traffic_mbit_a_second: round((total(({ traffic }) => traffic) * 8) / 1e6),
    when_the_fullest_is_lost: fullest && spread(costs, demand, plan, plan.nodes.indexOf(fullest)),
    minutes_to_empty_the_fullest: emptied === undefined ? null : round(emptied / 60),
    month: { currency: prices.currency, prices_of: prices.date, ...roundAll(priceOf(prices, demand, plan)) },
    costs_of: costs.measured,
  }
}

function print(): void {
  const all = summarise()
  const { memory, disk, cores } = demand.node
  const lost = all.when_the_fullest_is_lost
  console.log(`
${demand.stores.length.toLocaleString('en-US')} stores; nodes of ${gib(memory)} GiB, ${cores} cores, ${gib(disk)} GiB of disk, of which ${round(demand.headroom * 100)} % stay free.
Costs measured on ${costs.measured.date}: ${costs.measured.version}, ${costs.measured.machine}.
`)
  printTable([
    ['what', 'planned'],
    ['nodes', `${all.nodes}, and ${all.standbys} standbys of the same size`],
    ['what decides', all.bound],
    ['stores too large for a node', String(all.stores_too_large)],
    [
      'the fullest node',
      `${all.stores_on_the_fullest} stores: ${all.memory_gib_of_the_fullest} GiB of memory, ${all.disk_gib_of_the_fullest} GiB of disk, ${all.busy_cores_of_the_fullest} busy cores`,
    ],
    [
      'all nodes',
      `${all.memory_gib} GiB of memory, ${all.disk_gib} GiB of disk, ${all.busy_cores} busy cores`,
    ],
    ['answers', `${all.traffic_mbit_a_second} Mbit/s in the busiest hour`],
    [
      'a node is lost',
      demand.hasStandbys
        ? `its standby takes over; without one, ${lost?.placed ?? 0} of its stores fit on the others, ${lost?.homeless ?? 0} do not`
        : `${lost?.placed ?? 0} of its stores fit on the others, ${lost?.homeless ?? 0} do not`,
    ],
    [
      'to move the fullest empty',
      all.minutes_to_empty_the_fullest === null
        ? 'not measured'
        : `${all.minutes_to_empty_the_fullest} minutes`,
    ],
    [
      'a month',
      `${all.month.total} ${prices.currency}: machines ${all.month.machines}, objects ${all.month.objects}, traffic ${all.month.traffic}`,
    ],
  ])
  console.log(`\nPrices of ${prices.date}: ${prices.source}.`)
}

function fullestOf({ nodes }: Plan): Filled | undefined {
  return nodes.toSorted((a, b) => b.memory - a.memory)[0]
}

function gib(bytes: number): number {
  return round(bytes / GIB)
}

function round(value: number): number {
  return Math.abs(value) >= 10 ? Math.round(value) : Number(value.toPrecision(2))
}

function roundAll(bill: ReturnType<typeof priceOf>) {
  const { machines, objects, traffic, total } = bill
  return { machines: round(machines), objects: round(objects), traffic: round(traffic), total: round(total) }
}
