/**
 * Asks a service and a bare server for `/health` every 5 ms, on one connection each, until it is told to end. A wait is
 * counted from sending to the whole answer, and none is left out: while an answer is missing, nothing is sent on that
 * connection, and the wait grows. So a hold of the loop shows in full, less at most the 5 ms between two pings.
 *
 * The bare server is asked in the same moments. Its waits hold what is not the service's fault: the time until this
 * process and a server get a core.
 */
import { readFileSync } from 'node:fs'
import { workApart } from './apart.ts'
import { openCaller } from './caller.ts'
import { rawRequest } from './load.ts'

const EVERY_MS = 5

export interface PingJob {
  address: string
  /** The process of the service. */
  pid: number
  bare: string
}

/** All waits, in ms. */
export interface Pings {
  service: number[]
  bare: number[]
  /** How long the service's event loop had a core during each of its waits, in ms. */
  ran: number[]
}

await workApart<PingJob, Pings>(async ({ address, pid, bare }, begin, told) => {
  const request = rawRequest('GET', '/health')
  const [asked, control] = [await openCaller(address), await openCaller(bare)]
  for (const caller of [asked, control]) for (let n = 0; n < 20; n++) await caller.call(request)
  begin()
  const pings: Pings = { service: [], bare: [], ran: [] }
  const start = performance.now()
  const repeat = async (ask: () => Promise<void>) => {
    for (let tick = 0; !told.aborted; ) {
      await ask()
      // The next whole tick, so that both connections ask in the same moments.
      tick = Math.max(tick + 1, Math.ceil((performance.now() - start) / EVERY_MS))
      await Bun.sleep(start + tick * EVERY_MS - performance.now())
    }
  }
  const askService = async () => {
    const before = readThreadMs(pid)
    pings.service.push(await asked.call(request))
    pings.ran.push(readThreadMs(pid) - before)
  }
  const askControl = async () => void pings.bare.push(await control.call(request))
  await Promise.all([repeat(askService), repeat(askControl)])
  asked.close()
  control.close()
  return pings
})

/** How long the first thread of a process, its event loop, has run so far. */
function readThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
}
