/**
 * Asks a service and a bare server for `/health` every 5 ms, on one connection each, until it is told to end. A wait is
 * counted from sending to the whole answer, and none is left out: while an answer is missing, nothing is sent on that
 * connection, and the wait grows. So a hold of the loop shows in full, less at most the 5 ms between two pings.
 *
 * The bare server is asked in the same moments. Its waits hold what is not the service's fault: the time until this
 * process and a server get a core.
 */
import { workApart } from './apart.ts'
import { type Caller, openCaller } from './caller.ts'
import { rawRequest } from './load.ts'

const EVERY_MS = 5

export interface PingJob {
  address: string
  bare: string
}

/** All waits, in ms. */
export interface Pings {
  service: number[]
  bare: number[]
}

await workApart<PingJob, Pings>(async ({ address, bare }, begin, told) => {
  const request = rawRequest('GET', '/health')
  const callers = [await openCaller(address), await openCaller(bare)] as const
  for (const caller of callers) for (let n = 0; n < 20; n++) await caller.call(request)
  begin()
  const start = performance.now()
  const ask = async (caller: Caller): Promise<number[]> => {
    const waits: number[] = []
    for (let tick = 0; !told.aborted; ) {
      waits.push(await caller.call(request))
      // The next whole tick, so that both connections ask in the same moments.
      tick = Math.max(tick + 1, Math.ceil((performance.now() - start) / EVERY_MS))
      await Bun.sleep(start + tick * EVERY_MS - performance.now())
    }
    caller.close()
    return waits
  }
  const [service, alone] = await Promise.all(callers.map(ask))
  return { service: service ?? [], bare: alone ?? [] }
})
