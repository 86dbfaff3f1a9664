/**
 * Takes the object store away from an owner and its standby, and gives it back.
 *
 *     bun scripts/scale/bucket-away.ts [--seconds 60] [--products 2000] [--executable dist/lookalike]
 *
 * Searches go on. Writes are refused from 10 s after the last good renewal of the lease began, and come back with the object store. Nobody
 * takes over, because nobody can write the lease. `--seconds 3600` is the hour: in real time, as the lease counts on monotonic clocks that
 * nothing can shorten.
 */
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { describeFailures, findLost, judgeWrites } from './parts/judge.ts'
import { readChanges, readFinals, startLoad } from './parts/load.ts'
import { openPair, untilCopied, untilWaiting } from './parts/pair.ts'
import { openProgram } from './parts/program.ts'
import { atMost, conclude, figure, none } from './parts/report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    products: { type: 'string', default: '2000' },
    executable: { type: 'string' },
  },
})
const CALM_MS = 6_000
/** The lease, and a write that was under way. */
const GRACE_MS = 10_000
const BACK_MS = 90_000

const program = openProgram(flags.executable)
await using pair = await openPair('bucket-away', { program, products: Number(flags.products), isSync: false })
const { owner, standby, shop, door, doors, links } = pair
await untilCopied(pair, 300_000)
await untilWaiting(standby, 60_000)
const load = startLoad(shop, [door], { widgets: 0, hasMembers: false })
await Bun.sleep(CALM_MS)
for (const link of links) link.cut()
const cutAt = performance.now()
await Bun.sleep(Number(flags.seconds) * 1_000)
const mendedAt = performance.now()
for (const link of links) link.mend()
const deadline = mendedAt + BACK_MS
const firstBack = () => load.log.writes.find(({ node, endedAt }) => node !== undefined && endedAt > mendedAt)
while (!firstBack() && performance.now() < deadline) await Bun.sleep(100)
const backMs = (firstBack()?.endedAt ?? deadline) - mendedAt
await Bun.sleep(CALM_MS)
const log = await load.stop()
const finals = await readFinals(shop, doors[0], log.writes)
const writes = judgeWrites(log.writes, finals)
const missing = findLost(log.writes, await readChanges(shop, doors[0]), owner.name)
const failed = log.searches.filter(({ answer }) => !answer)
const acknowledged = log.writes.filter(({ node }) => node !== undefined)
const meanwhile = acknowledged.filter(({ endedAt }) => endedAt > cutAt && endedAt < mendedAt)
const lastAckMs = Math.max(0, ...meanwhile.map(({ endedAt }) => endedAt - cutAt))
const rows = [
  none('searches failed', failed.length, `of ${log.searches.length}`),
  ...(failed.length > 0
    ? [figure('of them, after the object store went', describeFailures(failed, cutAt))]
    : []),
  atMost('last write acknowledged after the object store went', lastAckMs / 1_000, GRACE_MS / 1_000, 's'),
  figure(
    'writes refused meanwhile, by status',
    [...log.others].map(([status, n]) => `${status}: ${n}`).join(', '),
  ),
  atMost('until a write is acknowledged again', backMs / 1_000, 30, 's'),
  none('acknowledged by the standby', acknowledged.filter(({ node }) => node === standby.name).length),
  none('acknowledged writes lost', writes.lost.length, `of ${writes.acknowledged}`),
  none('of them missing in the change feed', missing.length),
  none('revisions that nobody sent', writes.foreign.length),
]
for (const node of [owner, standby]) if (node.log()) console.error(node.name, node.log())
process.exit(conclude(`The object store is away for ${flags.seconds} s`, rows))
