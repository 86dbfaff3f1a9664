/**
 * Kills the source, the target or the command of a move at random moments, and looks where the store is served afterwards.
 *
 *     bun scripts/scale/kills.ts [--rounds 50] [--seed N] [--products 2000] [--executable dist/lookalike]
 *
 * Each round moves the store from the node that has it, and ends one of the three with `kill -9` at a random moment of a move's usual
 * time. A node is started again after up to two seconds. Backends write at the doors of both nodes all the time. The round
 * is over when exactly one node serves the store, acknowledges writes, and the other says that it does not. A move that was not finished is
 * cancelled, so that the next round begins anew.
 *
 * Wanted: no round without such an end, nothing acknowledged by both, nothing acknowledged that is lost. An event may be told again under
 * its own delivery id after a kill, never under another.
 */
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { findClashes, findLost, judgeEvents, judgeWrites } from './parts/judge.ts'
import { readChanges, readFinals, startLoad } from './parts/load.ts'
import { moveStore, startMove, untilOneServes } from './parts/moves.ts'
import { openProgram } from './parts/program.ts'
import { createRandom } from './parts/random.ts'
import { conclude, figure, none } from './parts/report.ts'
import { openStage } from './parts/stage.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    products: { type: 'string', default: '2000' },
    executable: { type: 'string' },
  },
})
const ROUNDS = Number(flags.rounds)
const VICTIMS = ['source', 'target', 'command'] as const
/** Kills fall into the usual time of a move and a little behind it. */
const BEYOND = 1.2
const DOWN_MS = 2_000
const SETTLE_MS = 120_000

console.log(`seed ${flags.seed}`)
const random = createRandom(Number(flags.seed))
const program = openProgram(flags.executable)
await using stage = await openStage('kills', { program, products: Number(flags.products) })
const { nodes, receiver, shop, doors } = stage
const from = new Map<string, number>()
const turns = [nodes[0].name]
let owner = 0

// How long a move takes, to and fro.
const first = await moveStore(shop, nodes[0], nodes[1])
const usual = Math.min(first, await moveStore(shop, nodes[1], nodes[0]))
const load = startLoad(shop, doors, { searchers: 1, writers: 2, widgets: 0, hasMembers: false, from })
const ends = { moved: 0, stayed: 0, undecided: 0 }
const killed = { source: 0, target: 0, command: 0 }
let longestMs = 0
for (let round = 1; round <= ROUNDS; round++) {
  const [source, target] = [nodes[owner as 0 | 1], nodes[(1 - owner) as 0 | 1]]
  const victim = VICTIMS[random.below(VICTIMS.length)] as (typeof VICTIMS)[number]
  const afterMs = random.below(Math.ceil(usual * BEYOND * 1_000))
  const downMs = random.below(DOWN_MS)
  const command = await startMove(shop, source, target)
  await Promise.race([Bun.sleep(afterMs), command.exited])
  killed[victim]++
  if (victim === 'command') command.kill('SIGKILL')
  else {
    const node = victim === 'source' ? source : target
    await node.kill()
    await Bun.sleep(downMs)
    await node.start().catch(async (error: Error) => {
      // The command found no service, and so serves by itself. A service manager starts the node once it has ended.
      if (!error.message.includes('already serves')) throw error
      command.kill('SIGKILL')
      await command.exited
      await node.start()
    })
  }
  await Promise.race([command.exited, Bun.sleep(SETTLE_MS)])
  command.kill('SIGKILL')
  // What is still under way ends: with the move, or by its being called off.
  await source.call('POST', `/v1/admin/stores/${shop.id}/move/cancel`).catch(() => undefined)
  const settled = await untilOneServes(shop, doors, SETTLE_MS)
  longestMs = Math.max(longestMs, settled?.ms ?? SETTLE_MS)
  const end = settled === undefined ? 'undecided' : settled.owner === owner ? 'stayed' : 'moved'
  ends[end]++
  console.error(`round ${round}: ${victim} of ${source.name} → ${target.name} after ${afterMs} ms: ${end}`)
  if (!settled) break
  if (settled.owner !== owner) turns.push(target.name)
  owner = settled.owner
}
const log = await load.stop()
const finals = await readFinals(shop, doors[owner as 0 | 1], log.writes)
const changes = await readChanges(shop, doors[owner as 0 | 1])
const missing = findLost(log.writes, changes).length
await receiver.untilQuiet(8_000, 120_000)
const writes = judgeWrites(log.writes, finals)
const events = judgeEvents(log.writes, receiver.told)
const rows = [
  figure('killed: source, target, command', `${killed.source}, ${killed.target}, ${killed.command}`),
  figure('ended: moved, stayed', `${ends.moved}, ${ends.stayed}`),
  none('rounds after which not exactly one node serves', ends.undecided, `of ${ROUNDS}`),
  none('acknowledged by both nodes', findClashes(log.writes, turns).length),
  none('acknowledged writes lost', writes.lost.length, `of ${writes.acknowledged}`),
  none('of them missing in the change feed', missing),
  none('revisions that nobody sent', writes.foreign.length),
  none('events lost', events.lost, `${receiver.told.length} told`),
  none('events told twice under different ids', events.doubled),
  figure('events told again under their id', events.repeated),
  figure('longest time until one node serves and writes', `${(longestMs / 1_000).toFixed(1)} s`),
]
for (const node of nodes) if (node.log()) console.error(node.name, node.log())
process.exit(conclude(`Kills at ${ROUNDS} moments, seed ${flags.seed}`, rows))
