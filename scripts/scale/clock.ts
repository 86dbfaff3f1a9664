/**
 * Runs an owner and its standby on clocks that are off, and kills the owner then.
 *
 *     bun scripts/scale/clock.ts [--skew 300] [--products 2000] [--executable dist/lookalike]
 *
 * Debian's libfaketime sets the calendar clock of the owner ahead and that of the standby back by so many seconds; the monotonic clocks, by which
 * the lease counts, go on as they are. For a while nothing may happen: the owner renews and acknowledges, the standby waits. Then the owner is
 * killed, and the standby takes over in the usual time.
 *
 * An object store accepts no signature that is more than 15 minutes off. With a greater skew the owner must refuse to start, and say why.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import '../model/silent.ts'
import { darkMs, findClashes } from './parts/judge.ts'
import { startLoad } from './parts/load.ts'
import { openPair, untilAcknowledges, untilCopied, untilWaiting } from './parts/pair.ts'
import { openProgram } from './parts/program.ts'
import { atMost, conclude, none, unmeasured } from './parts/report.ts'

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
/** How far the clock of a signature may be off. */
const SIGNED_S = 900
const STEADY_MS = 45_000
const TAKEOVER_MS = 180_000

const { values: flags } = parseArgs({
  options: {
    skew: { type: 'string', default: '300' },
    products: { type: 'string', default: '2000' },
    executable: { type: 'string' },
  },
})
if (!existsSync(LIBRARY)) {
  const why = 'libfaketime is missing: apt-get install faketime'
  process.exit(
    conclude('Clocks that are off', [unmeasured('takeover with clocks that are off', '≤ 30 s', why)]),
  )
}
const clockOf = (offset: number) => ({
  ...{ LD_PRELOAD: LIBRARY, FAKETIME: `${offset < 0 ? '' : '+'}${offset}s` },
  ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' },
})
const skew = Number(flags.skew)
const options = {
  program: openProgram(flags.executable),
  ...{ products: Number(flags.products), isSync: false },
  ...{ ownerSettings: clockOf(skew), standbySettings: clockOf(-skew) },
}
if (skew > SIGNED_S) {
  const reason = await openPair('clock', options).then(
    () => 'it started',
    (error: Error) => error.message.split('\n')[1] ?? '',
  )
  const row = { what: 'an owner whose clock no object store accepts', wanted: 'refuses to start: the clock' }
  process.exit(
    conclude(`A clock ${skew} s off`, [{ ...row, measured: reason, isMet: /clock/i.test(reason) }]),
  )
}
await using pair = await openPair('clock', options)
const { owner, standby, shop, door } = pair
await untilCopied(pair, 300_000)
await untilWaiting(standby, 60_000)
const load = startLoad(shop, [door], { widgets: 0, hasMembers: false })
await Bun.sleep(STEADY_MS)
const steady = [...load.log.writes]
const failed = load.log.searches.filter(({ answer }) => !answer).length
await owner.kill()
const isTaken = await untilAcknowledges(load.log.writes, standby.name, TAKEOVER_MS)
await Bun.sleep(3_000)
const endedAt = performance.now()
const log = await load.stop()
const rows = [
  none('searches failed while both live', failed, `of ${log.searches.length}`),
  none(
    'writes not acknowledged while both live',
    steady.filter(({ node }) => node === undefined).length,
    `of ${steady.length}`,
  ),
  none(
    'acknowledged by the standby while the owner lives',
    steady.filter(({ node }) => node === standby.name).length,
  ),
  { what: 'the standby takes over', wanted: 'yes', measured: isTaken ? 'yes' : 'no', isMet: isTaken },
  atMost('dark for searches', darkMs(log.searches, endedAt) / 1_000, 30, 's'),
  none('acknowledged by both', findClashes(log.writes, [owner.name, standby.name]).length),
]
for (const node of [owner, standby]) if (node.log()) console.error(node.name, node.log())
process.exit(conclude(`Clocks ${2 * skew} s apart`, rows))
