/** Runs the service from its sources and measures its event loop; the benchmark reads the delays over IPC. */
import { quantile } from './statistics.ts'

const TICK_MS = 1
let delays: number[] = []
let last = performance.now()
setInterval(() => {
  const now = performance.now()
  delays.push(Math.max(0, now - last - TICK_MS))
  last = now
}, TICK_MS)

process.on('message', (word) => {
  const seen = delays
  delays = []
  if (word === 'reset') process.send?.({ p99: 0, max: 0 })
  else process.send?.({ p99: quantile(seen, 0.99), max: Math.max(0, ...seen) })
})

const { runCommand } = await import('../../../src/commands/run.ts')
process.exitCode = await runCommand(process.argv.slice(2), process.env)
process.exit()
