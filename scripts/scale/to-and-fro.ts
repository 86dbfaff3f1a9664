/**
 * Moves a store a hundred times between two nodes, and looks what that leaves behind.
 *
 *     bun scripts/scale/to-and-fro.ts [--moves 100] [--products 2000] [--executable dist/lookalike]
 *
 * After each pair of moves the store is where it began. Memory (all processes) and disk of both nodes, the store's own figures and its answers
 * are compared between the tenth part of the moves and the last.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { readTreePss } from '../bench/parts/memory.ts'
import { readToken } from '../bench/parts/process.ts'
import { median } from '../bench/parts/statistics.ts'
import { isSame } from './parts/judge.ts'
import { askReferences, kindOf } from './parts/load.ts'
import { moveStore } from './parts/moves.ts'
import type { ScaleNode } from './parts/node.ts'
import { openProgram } from './parts/program.ts'
import { atMost, conclude, figure, none } from './parts/report.ts'
import { openStage } from './parts/stage.ts'

const { values: flags } = parseArgs({
  options: {
    moves: { type: 'string', default: '100' },
    products: { type: 'string', default: '2000' },
    executable: { type: 'string' },
  },
})
const MOVES = Number(flags.moves)
const GROWTH_MAX = 1.1
const MEGA = 1e6

const program = openProgram(flags.executable)
await using stage = await openStage('to-and-fro', { program, products: Number(flags.products) })
const { nodes, shop, doors } = stage
const before = await askReferences(shop, doors[0])
const overviewBefore = await readFigures(nodes[0])
const looks: { memory: number; disk: number; seconds: number }[] = []
for (let n = 0; n < MOVES; n++) {
  const [source, target] = n % 2 === 0 ? [nodes[0], nodes[1]] : [nodes[1], nodes[0]]
  const seconds = await moveStore(shop, source, target)
  if (n % 2 === 1) looks.push({ seconds, memory: sum(readMemory), disk: sum(readDisk) })
}
const last = MOVES % 2 === 0 ? 0 : 1
const after = await askReferences(shop, doors[last])
const overviewAfter = await readFigures(nodes[last])
const tenth = Math.max(1, Math.floor(looks.length / 10))
const early = looks.slice(tenth, 2 * tenth)
const late = looks.slice(-tenth)
const of = (some: typeof looks, read: (look: (typeof looks)[number]) => number) => median(some.map(read))
const growth = (read: (look: (typeof looks)[number]) => number) => of(late, read) / of(early, read)
const different = before.filter((hits, query) => !isSame(after[query] ?? [], hits, kindOf(query)))
const rows = [
  figure('moves', MOVES),
  figure(
    'seconds of a move, early and late',
    `${of(early, (l) => l.seconds).toFixed(1)}, ${of(late, (l) => l.seconds).toFixed(1)}`,
  ),
  atMost(
    'memory of both nodes, late to early',
    growth((l) => l.memory),
    GROWTH_MAX,
  ),
  figure('memory of both nodes at the end', `${(of(late, (l) => l.memory) / MEGA).toFixed(0)} MB`),
  atMost(
    'disk of both nodes, late to early',
    growth((l) => l.disk),
    GROWTH_MAX,
  ),
  figure('disk of both nodes at the end', `${(of(late, (l) => l.disk) / MEGA).toFixed(0)} MB`),
  none('answers different', different.length),
  {
    ...{
      what: 'products, keys, webhooks, last change of the store',
      wanted: overviewBefore,
      measured: overviewAfter,
    },
    isMet: overviewBefore === overviewAfter,
  },
]
process.exit(conclude(`${MOVES} moves to and fro`, rows))

function sum(read: (node: ScaleNode) => number): number {
  return nodes.reduce((all, node) => all + read(node), 0)
}

function readMemory({ pid }: ScaleNode): number {
  return pid === undefined ? 0 : readTreePss(pid)
}

function readDisk({ dataDir }: ScaleNode): number {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((all, { parentPath, name }) => all + statSync(join(parentPath, name)).size, 0)
}

/** Products, keys, webhooks and changes of the store. @throws Error where a node does not say one. */
async function readFigures(node: ScaleNode): Promise<string> {
  const token = await readToken(node.address, shop.credentials)
  const get = async (path: string) => {
    const answer = await fetch(node.address + path, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown> & { length?: number }
  }
  const found = [
    (await get('/v1/products?limit=1'))['total'],
    (await get('/v1/security/api-keys'))['count'],
    (await get('/v1/search/webhooks')).length,
    (await get('/v1/changes?limit=1'))['last_number'],
  ]
  if (!found.every(Number.isInteger)) throw new Error(`No figures: ${JSON.stringify(found)}`)
  return JSON.stringify(found)
}
