import { join } from 'node:path'
import { startApart } from './apart.ts'
import type { Figure } from './bench.ts'
import type { PingJob, Pings } from './ping-entry.ts'
import { type Served, startServing } from './process.ts'
import { quantile } from './statistics.ts'

/** Starts a bare server that is asked beside a service. */
export const startControl = (): Promise<Served> =>
  startServing([process.execPath, join(import.meta.dir, 'bare-server.ts')], {
    ANSWERS: '{"/health":"{}"}',
  })

export const noPings = (): Pings => ({ service: [], bare: [], ran: [] })

/** Asks a service and a bare server for `/health` while some work goes on, and adds the waits. */
export async function addWaits(
  into: Pings,
  service: Served,
  control: Served,
  work: () => Promise<unknown>,
): Promise<void> {
  const job: PingJob = { address: service.address, pid: service.pid, bare: control.address }
  const pinging = await startApart<PingJob, Pings>('ping-entry.ts', job)
  try {
    await work()
  } finally {
    pinging.stop()
  }
  const seen = await pinging.result
  into.service.push(...seen.service)
  into.bare.push(...seen.bare)
  into.ran.push(...seen.ran)
}

/** The time for which the loop ran during a wait, in ms, which no busy neighbour lengthens; the clock's stands beside it. */
export const describeWaits = (pings: Pings, q: number): Pick<Figure, 'value' | 'note'> => ({
  value: quantile(pings.ran, q),
  note: `${quantile(pings.service, q).toFixed(1)} ms by the clock, a bare server ${quantile(pings.bare, q).toFixed(1)}; ${pings.service.length} asked`,
})
