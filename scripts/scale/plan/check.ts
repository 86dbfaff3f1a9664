import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../../../src/platform/db/open.ts'
import { cpuMs } from '../../bench/parts/cpu.ts'
import { untilIdle } from '../../bench/parts/idle.ts'
import { readTreePss } from '../../bench/parts/memory.ts'
import { MODEL_DIR } from '../../bench/parts/options.ts'
import { readToken } from '../../bench/parts/process.ts'
import { type Credentials, seedStore } from '../../bench/parts/seed.ts'
import { createNode, type ScaleNode } from '../parts/node.ts'
import { makeFolder, openProgram } from '../parts/program.ts'
import type { Row } from '../parts/report.ts'
import type { Costs } from './costs.ts'
import { loadOf, type StoreDemand } from './model.ts'

const NODES = 2
/** Searches before the measurement: the first ones of a process are slow, and its memory grows with them. */
const WARM_UP = 360
/** How far a prediction may lie off. */
const ERROR_MAX = 0.25

export interface CheckOptions {
  store: StoreDemand
  count: number
  seconds: number
  executable: string | undefined
}

/** Runs so many stores on two nodes, asks them as planned, and compares. */
export async function check(
  costs: Costs,
  { store, count, seconds, executable }: CheckOptions,
): Promise<Row[]> {
  const root = makeFolder('plan')
  const program = openProgram(executable)
  const each = Math.ceil(count / NODES)
  const load = loadOf(costs, store)
  const rows: Row[] = []
  const nodes: { node: ScaleNode; stores: Credentials[] }[] = []
  for (let n = 0; n < NODES; n++) {
    const node = await createNode(root, `node-${n}`, { program })
    const stores: Credentials[] = []
    const note = (credentials: Credentials) => void stores.push(credentials)
    const products = each * store.products * store.picturesEach
    seedStore(node.dataDir, MODEL_DIR, products, { stores: each, isThroughVec0: each > 1, note })
    // The first start migrates; what it leaves behind is no cost of a running node.
    await node.start()
    await untilIdle(node.pid as number)
    await node.stop()
    await node.start()
    nodes.push({ node, stores })
  }
  try {
    for (const { node, stores } of nodes) {
      await ask(node, stores, store, { searches: WARM_UP, pauseMs: 0 })
      await untilIdle(node.pid as number)
    }
    const pauseMs = 60_000 / (store.searches * each)
    const searches = Math.ceil((seconds * 1_000) / pauseMs)
    const before = nodes.map(({ node }) => cpuMs(node.pid as number))
    const begin = performance.now()
    const asked = await Promise.all(
      nodes.map(({ node, stores }) => ask(node, stores, store, { searches, pauseMs })),
    )
    const ran = performance.now() - begin
    for (const [n, { node }] of nodes.entries()) {
      const pid = node.pid as number
      const cores = (cpuMs(pid) - (before[n] as number)) / ran
      const searchesASecond = (asked[n] as number) / (ran / 1_000)
      // What was asked may be a little less than what was planned.
      const predictedCores =
        costs.idleCores + (each * load.cores * searchesASecond) / ((each * store.searches) / 60)
      await untilIdle(pid)
      const predictedDisk =
        costs.disk.node + each * (load.disk - costs.thumbnailBytes * store.products * store.picturesEach)
      rows.push(
        compare(`${node.name}: memory`, costs.memory.node + each * load.memory, readTreePss(pid), 1e6, 'MB'),
        compare(
          `${node.name}: database`,
          predictedDisk,
          statSync(join(node.dataDir, DATABASE_FILE)).size,
          1e6,
          'MB',
        ),
        compare(
          `${node.name}: processor, ${searchesASecond.toFixed(1)} searches a second`,
          predictedCores,
          cores,
          1,
          'cores',
        ),
      )
    }
  } finally {
    for (const { node } of nodes) await node.stop()
  }
  return rows
}

/** Searches all stores in turns. @returns how many were answered. */
async function ask(
  { address }: ScaleNode,
  stores: readonly Credentials[],
  { wordsShare }: StoreDemand,
  { searches, pauseMs }: { searches: number; pauseMs: number },
): Promise<number> {
  const tokens = await Promise.all(stores.map((credentials) => readToken(address, credentials)))
  const pending = new Set<Promise<void>>()
  let answered = 0
  for (let n = 0; n < searches; n++) {
    const turn = n % stores.length
    const isByWords = (n * wordsShare) % 1 >= 1 - wordsShare
    const body = isByWords ? { query: `red mug ${n}` } : { product_id: `sku-${turn + 1}` }
    const answer = fetch(`${address}/v1/search/${isByWords ? 'text' : 'url'}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[turn]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(async (response) => {
      if (!response.ok) throw new Error(`A search answered ${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
      answered++
    })
    pending.add(answer)
    void answer.finally(() => pending.delete(answer)).catch(() => {})
    if (pauseMs > 0) await Bun.sleep(pauseMs)
    else await answer
  }
  await Promise.all(pending)
  return answered
}

function compare(what: string, predicted: number, measured: number, unit: number, name: string): Row {
  const error = predicted / measured - 1
  const format = (value: number) => (value / unit).toFixed(unit === 1 ? 3 : 0)
  return {
    what,
    wanted: `${format(predicted)} ${name} ± ${ERROR_MAX * 100} %`,
    measured: `${format(measured)} ${name} (predicted ${error >= 0 ? '+' : ''}${(error * 100).toFixed(0)} %)`,
    isMet: Math.abs(error) <= ERROR_MAX,
  }
}
