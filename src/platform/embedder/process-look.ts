import { readFileSync } from 'node:fs'

export interface ProcessLook {
  /** Stopped by a signal (SIGSTOP); a debugger that holds it for a moment does not count. */
  isStopped: boolean
  /** Neither at work nor waiting for a processor or a disk. */
  isAsleep: boolean
  /** Time on a processor so far, of all its threads, in ticks of the kernel's clock (usually 10 ms). */
  cpuTicks: number
  /** Resident memory. */
  residentBytes: number
}

/** How a process is doing by the kernel's word; `undefined` where that cannot be read: elsewhere than on Linux. */
export function lookAtProcess(pid: number): ProcessLook | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
    // The name of the program, in brackets, may hold anything: what is counted stands behind it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    return {
      isStopped: state === 'T',
      isAsleep: state === 'S',
      cpuTicks: Number(fields[11]) + Number(fields[12]),
      residentBytes: kilobytes * 1024,
    }
  } catch {
    return undefined
  }
}
