import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PROBER = fileURLToPath(new URL('./prober.ts', import.meta.url))
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Waits of somebody who only asks for `GET /health`, in ms. */
export interface Waits {
  asked: number
  failed: number
  p50: number
  p99: number
  longest: number
  /** When the longest was, in Unix ms. */
  longestAt: { begin: number; end: number }
}

/** Starts a client in a process of its own that asks for `GET /health` without a pause. */
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

export const waitsInWords = ({ asked, failed, p50, p99, longest }: Waits): string =>
  `GET /health of a bystander: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${longest.toFixed(0)} ms (${asked} asked, ${failed} failed)`

/** Processor time of a process so far, in ms; 0 beside Linux. */
export function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The processes that a process has started, and that live. */
export function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** What a process has open, as the system names it. */
export function openFilesOf(pid: number): string[] {
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
