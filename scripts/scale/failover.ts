/**
 * Kills the owner of a node under load, and judges what its standby does.
 *
 *     bun scripts/scale/failover.ts [--products 2000] [--sync-copies] [--calm 15] [--executable dist/lookalike]
 *
 * An owner copies to the drill's object store, a standby waits, HAProxy sends requests to the one that is ready. The owner is killed with
 * `kill -9`. Judged are the dark time (no search answered, no write acknowledged), the acknowledged writes that are lost and how old the
 * oldest of them was, and the return of the dead: the owner is started again, acknowledges nothing and sets its database aside.
 */
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { ageOf, darkMs, findClashes, findLost, judgePause, judgeWrites } from './parts/judge.ts'
import { readChanges, readFinals, startLoad } from './parts/load.ts'
import { hasSetAside, openPair, untilAcknowledges, untilCopied, untilWaiting } from './parts/pair.ts'
import { openProgram } from './parts/program.ts'
import { atMost, conclude, figure, none } from './parts/report.ts'

const { values: flags } = parseArgs({
  options: {
    products: { type: 'string', default: '2000' },
    'sync-copies': { type: 'boolean', default: false },
    calm: { type: 'string', default: '15' },
    executable: { type: 'string' },
  },
})
const LARGE = 200_000
const TAKEOVER_MS = 180_000
const RETURN_MS = 20_000

const products = Number(flags.products)
const isSync = flags['sync-copies']
await using pair = await openPair('failover', { program: openProgram(flags.executable), products, isSync })
const { owner, standby, shop, door, doors } = pair
await untilCopied(pair, 300_000)
await untilWaiting(standby, 60_000)
const from = new Map<string, number>()
const load = startLoad(shop, [door], { from, widgets: 0, hasMembers: false })
await Bun.sleep(Number(flags.calm) * 1_000)
const calm = judgePause(load.log.writes)
await owner.kill()
const diedAt = performance.now()
const isTaken = await untilAcknowledges(load.log.writes, standby.name, TAKEOVER_MS)
await Bun.sleep(3_000)
const endedAt = performance.now()
const log = await load.stop()
const finals = isTaken ? await readFinals(shop, doors[1], log.writes) : new Map<string, number>()
const changes = isTaken ? await readChanges(shop, doors[1]) : new Map<string, number>()
const before = log.writes.filter(({ endedAt, node }) => endedAt <= diedAt && node === owner.name)

// The return of the dead: both doors are asked, so that one that acknowledges is seen.
const late = startLoad(shop, doors, { from, searchers: 0, widgets: 0, hasMembers: false })
owner.launch()
await Bun.sleep(RETURN_MS)
const after = await late.stop()
const lost = findLost(log.writes, changes, owner.name)
const mostDark = products >= LARGE ? 60 : 30
const rows = [
  { what: 'the standby takes over', wanted: 'yes', measured: isTaken ? 'yes' : 'no', isMet: isTaken },
  atMost('dark for searches', darkMs(log.searches, endedAt) / 1_000, mostDark, 's'),
  atMost('dark for writes', judgePause(log.writes, endedAt).gapMs / 1_000, mostDark, 's'),
  figure('longest gap of writes before', `${(calm.gapMs / 1_000).toFixed(2)} s`),
  ...(isSync
    ? [none('acknowledged writes lost', lost.length, `of ${before.length}`)]
    : [
        figure('acknowledged writes lost', `${lost.length} of ${before.length}`),
        atMost('the oldest of them before the end', ageOf(lost, diedAt) / 1_000, 1, 's'),
      ]),
  none('revisions that nobody sent', judgeWrites(log.writes, finals).foreign.length),
  none('acknowledged by both', findClashes(log.writes, [owner.name, standby.name]).length),
  none(
    'acknowledged by the owner after its return',
    after.writes.filter(({ node }) => node === owner.name).length,
  ),
  {
    what: 'the owner has set its database aside',
    wanted: 'yes',
    measured: hasSetAside(owner) ? 'yes' : 'no',
    isMet: hasSetAside(owner),
  },
]
for (const node of [owner, standby]) if (node.log()) console.error(node.name, node.log())
process.exit(
  conclude(
    `The owner of ${products.toLocaleString('en-US')} products dies${isSync ? ', --sync-copies' : ''}`,
    rows,
  ),
)
