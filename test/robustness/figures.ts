import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PROBER = fileURLToPath(new URL('./prober.ts', import.meta.url))
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Response times of a client that only sends `GET /health`, in ms. */
export interface Waits {
  asked: number
  failed: number
  p50: number
  p99: number
  longest: number
  /** Begin and end of the longest one, in Unix ms. */
  longestAt: { begin: number; end: number }
}

/** Starts a client in its own process that sends `GET /health` again and again. */
export function startProber(address: string): { stop(): Promise<Waits> } {
  const child = Bun.spawn([process.execPath, PROBER, address], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return {
    async stop() {
      await child.stdin.end()
      return JSON.parse(await new Response(child.stdout).text()) as Waits
    },
  }
}

export const describeWaits = ({ asked, failed, p50, p99, longest }: Waits): string =>
  `GET /health of a bystander: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${longest.toFixed(0)} ms (${asked} asked, ${failed} failed)`

/** Reads the processor time of a process so far, in ms; 0 on other systems than Linux. */
export function readCpu(pid: number): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Lists the running children of a process. */
export function listChildren(pid: number): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** Lists the open files of a process, as the system names them. */
export function listOpenFiles(pid: number): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // Closed since.
      return []
    }
  })
}
