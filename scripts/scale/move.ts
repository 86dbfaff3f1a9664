/**
 * Moves a store to another node under load, and judges every answer.
 *
 *     bun scripts/scale/move.ts [--products 2000,50000] [--executable dist/lookalike] [--searchers 2] [--writers 2]
 *
 * Two nodes and HAProxy run on ports of this machine. Shoppers search by words and by products, the shop's backend writes with its
 * API key and repeats what was not acknowledged, pages search with a widget key, a member signs in, and a receiver counts the events
 * of a webhook. HAProxy learns the map of the nodes every half second, and a client follows a `421` by itself.
 *
 * * the pause of writes: the longest gap between two acknowledged writes, and the longest wait of one;
 * * searches that failed, and answers that differ from those before the move;
 * * acknowledged writes that the store does not have at the end, and those of both nodes at once;
 * * events that were lost or told twice.
 *
 * The exit code is 1 if anything is missed. The goals are those of 50,000 and of 1,000,000 products; a smaller store has those of
 * 50,000.
 */
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { findClashes, findLost, judgeEvents, judgePause, judgeSearches, judgeWrites } from './parts/judge.ts'
import { askReferences, kindOf, readChanges, readFinals, startLoad } from './parts/load.ts'
import { moveStore, readStanding } from './parts/moves.ts'
import { openProgram } from './parts/program.ts'
import { atMost, conclude, figure, none, type Row } from './parts/report.ts'
import { openStage } from './parts/stage.ts'

const { values: flags } = parseArgs({
  options: {
    products: { type: 'string', default: '2000' },
    executable: { type: 'string' },
    searchers: { type: 'string', default: '2' },
    writers: { type: 'string', default: '2' },
  },
})
const LARGE = 200_000
const PAUSE_MS = { small: 4_000, large: 5_000 }
/** Of the load that goes on before and after. */
const CALM_MS = 4_000

let code = 0
for (const products of flags.products.split(',').map(Number)) code = Math.max(code, await drill(products))
process.exit(code)

async function drill(products: number): Promise<number> {
  await using stage = await openStage('move', { program: openProgram(flags.executable), products })
  const { nodes, front, receiver, shop, door, doors } = stage
  const [source, target] = nodes
  const before = await askReferences(shop, door)
  const load = startLoad(shop, [door], { searchers: Number(flags.searchers), writers: Number(flags.writers) })
  front.follow()
  await Bun.sleep(CALM_MS)
  const calm = judgePause(load.log.writes)
  const begin = performance.now()
  const seconds = await moveStore(shop, source, target)
  const end = performance.now()
  await Bun.sleep(CALM_MS)
  const log = await load.stop()
  const standings = await Promise.all(doors.map((one) => readStanding(shop, one)))
  const finals = await readFinals(shop, doors[1], log.writes)
  const missing = findLost(log.writes, await readChanges(shop, doors[1]), source.name)
  await receiver.untilQuiet(3_000, 120_000)
  const searches = judgeSearches(log.searches, before, kindOf)
  const writes = judgeWrites(log.writes, finals)
  const pause = judgePause(log.writes)
  const events = judgeEvents(log.writes, receiver.told)
  const clashes = findClashes(log.writes, [source.name, target.name])
  const during = log.searches.filter(({ sentAt, answer }) => answer && sentAt >= begin && sentAt < end)
  const most = products >= LARGE ? PAUSE_MS.large : PAUSE_MS.small
  const rows: Row[] = [
    figure('the whole move', `${seconds.toFixed(1)} s`),
    atMost('pause of writes: longest gap', pause.gapMs / 1_000, most / 1_000, 's'),
    atMost('longest wait of one write', pause.waitMs / 1_000, most / 1_000, 's'),
    figure(
      'the same before the move',
      `${(calm.gapMs / 1_000).toFixed(2)}, ${(calm.waitMs / 1_000).toFixed(2)} s`,
    ),
    none(
      'searches failed',
      searches.failed.length,
      `of ${log.searches.length}, ${during.length} during the move`,
    ),
    none('answers different', searches.different.length),
    none('answers of a node that does not know all words yet', searches.starting),
    none('acknowledged writes lost', writes.lost.length, `of ${writes.acknowledged}`),
    none('of them missing in the change feed', missing.length),
    none('revisions that nobody sent', writes.foreign.length),
    none('acknowledged by both nodes', clashes.length),
    none('events lost', events.lost, `${receiver.told.length} told`),
    none('events told twice', events.doubled + events.repeated),
    none('widget searches failed', log.widget.failed, `of ${log.widget.answered + log.widget.failed}`),
    none('sign-ins failed', log.signIns.failed, `of ${log.signIns.answered + log.signIns.failed}`),
    figure('requests that followed a 421', log.redirected),
    {
      ...{ what: 'the old node, the new node', wanted: 'elsewhere, serves', measured: standings.join(', ') },
      isMet: standings.join() === 'elsewhere,serves',
    },
  ]
  for (const search of searches.failed.slice(0, 3)) console.error('failed', JSON.stringify(search))
  for (const search of searches.different.slice(0, 3)) console.error('different', JSON.stringify(search))
  for (const node of nodes) if (node.log()) console.error(node.name, node.log())
  return conclude(`A move of ${products.toLocaleString('en-US')} products under load`, rows)
}
