/** Runs the service from its sources and measures its event loop; the benchmark reads the delays over IPC. */
import { quantile } from './statistics.ts'

const TICK_MS = 1
let delays: number[] = []
let holdCpuMs = 0
let last = performance.now()
let lastCpuMs = readThreadCpu()
setInterval(() => {
  const now = performance.now()
  const cpuMs = readThreadCpu()
  delays.push(Math.max(0, now - last - TICK_MS))
  holdCpuMs = Math.max(holdCpuMs, cpuMs - lastCpuMs)
  last = now
  lastCpuMs = cpuMs
}, TICK_MS)

/** CPU time of the thread with the event loop, in ms. */
function readThreadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

process.on('message', (word) => {
  const seen = delays
  const cpuMs = holdCpuMs
  delays = []
  holdCpuMs = 0
  if (word === 'reset') process.send?.({ p99: 0, max: 0, cpuMs: 0 })
  else process.send?.({ p99: quantile(seen, 0.99), max: Math.max(0, ...seen), cpuMs })
})

const { runCommand } = await import('../../../src/commands/run.ts')
process.exitCode = await runCommand(process.argv.slice(2), process.env)
process.exit()
