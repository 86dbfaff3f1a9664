/**
 * Cuts the owner off from the object store while both nodes live and are asked.
 *
 *     bun scripts/scale/partition.ts [--seconds 60] [--frozen] [--sync-copies] [--products 2000] [--executable dist/lookalike]
 *
 * The standby sees no renewal, takes over, and acknowledges; the owner must have stopped before. Backends write at both doors all the time.
 * Then the cable is mended: the former owner finds the lease taken and sets its database aside. With `--frozen` the owner is paused with
 * SIGSTOP instead of being cut off, and goes on when its lease is long over.
 *
 * An owner that is cut off cannot copy, either: what it acknowledged before its answers began to wait is lost, about a second, unless copies
 * are synchronous.
 */
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { ageOf, findClashes, findLost, judgeWrites } from './parts/judge.ts'
import { readChanges, readFinals, startLoad } from './parts/load.ts'
import { hasSetAside, openPair, untilAcknowledges, untilCopied, untilWaiting } from './parts/pair.ts'
import { openProgram } from './parts/program.ts'
import { atMost, conclude, figure, none } from './parts/report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    frozen: { type: 'boolean', default: false },
    'sync-copies': { type: 'boolean', default: false },
    products: { type: 'string', default: '2000' },
    executable: { type: 'string' },
  },
})
const CALM_MS = 10_000
const AFTER_MS = 30_000
/** Answers wait for the copy once it is a second behind; a write and a look take their time, too. */
const LOSS_S = 2
const LEASE_S = 10
/** A paused node answers nobody: writers must not wait for it. */
const ATTEMPT_MS = 2_000

const isSync = flags['sync-copies']
const program = openProgram(flags.executable)
await using pair = await openPair('partition', { program, products: Number(flags.products), isSync })
const { owner, standby, shop, doors, links } = pair
await untilCopied(pair, 300_000)
await untilWaiting(standby, 60_000)
const load = startLoad(shop, doors, {
  searchers: 1,
  writers: 3,
  widgets: 0,
  hasMembers: false,
  attemptMs: ATTEMPT_MS,
})
await Bun.sleep(CALM_MS)
if (flags.frozen) owner.freeze()
else links[0].cut()
const cutAt = performance.now()
const isTaken = await untilAcknowledges(load.log.writes, standby.name, Number(flags.seconds) * 1_000)
const takenMs = performance.now() - cutAt
await Bun.sleep(Math.max(0, Number(flags.seconds) * 1_000 - takenMs))
if (flags.frozen) owner.thaw()
else links[0].mend()
// The former owner ends when it finds the lease taken; a supervisor starts it again.
if (await owner.untilExit(AFTER_MS)) owner.launch()
await Bun.sleep(AFTER_MS)
const log = await load.stop()
const finals = isTaken ? await readFinals(shop, doors[1], log.writes) : new Map<string, number>()
const changes = isTaken ? await readChanges(shop, doors[1]) : new Map<string, number>()
const byOwner = log.writes.filter(({ node }) => node === owner.name)
const lastByOwner = Math.max(0, ...byOwner.map(({ endedAt }) => endedAt - cutAt))
const lost = findLost(log.writes, changes, owner.name)
const rows = [
  { what: 'the standby takes over', wanted: 'yes', measured: isTaken ? 'yes' : 'no', isMet: isTaken },
  figure('until it acknowledges', `${(takenMs / 1_000).toFixed(1)} s`),
  none('acknowledged by both', findClashes(log.writes, [owner.name, standby.name]).length),
  atMost('last write that the owner acknowledged after the cut', lastByOwner / 1_000, LEASE_S, 's'),
  ...(isSync
    ? [none('acknowledged writes lost', lost.length, `of ${byOwner.length}`)]
    : [
        figure('acknowledged writes lost', `${lost.length} of ${byOwner.length}`),
        atMost(
          'the oldest of them before the last answer of the owner',
          ageOf(lost, cutAt + lastByOwner) / 1_000,
          LOSS_S,
          's',
        ),
      ]),
  none('revisions that nobody sent', judgeWrites(log.writes, finals).foreign.length),
  {
    what: 'the former owner has set its database aside',
    wanted: 'yes',
    measured: hasSetAside(owner) ? 'yes' : 'no',
    isMet: hasSetAside(owner),
  },
]
for (const node of [owner, standby]) if (node.log()) console.error(node.name, node.log())
process.exit(
  conclude(
    flags.frozen ? 'The owner is paused past its lease' : 'A partition in which both sides live',
    rows,
  ),
)
