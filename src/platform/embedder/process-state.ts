import { readFileSync } from 'node:fs'

export interface ProcessState {
  /** Stopped by a signal (SIGSTOP); a short stop in a debugger does not count. */
  isStopped: boolean
  /** Neither running nor waiting for a processor or a disk. */
  isAsleep: boolean
  /** Running, or waiting for a processor. */
  isRunnable: boolean
  /** CPU time of all threads so far, in ticks of the kernel's clock (usually 10 ms). */
  cpuTicks: number
  /** Resident memory. */
  residentBytes: number
}

/** Reads the state of a process from the kernel; undefined where it is not available, such as outside Linux. */
export function readProcessState(pid: number): ProcessState | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
    const fields = readStat(pid)
    const state = fields[0]
    return {
      isStopped: state === STOPPED,
      isAsleep: state === 'S',
      isRunnable: state === 'R',
      cpuTicks: Number(fields[11]) + Number(fields[12]),
      residentBytes: kilobytes * 1024,
    }
  } catch {
    return undefined
  }
}

/** Reads {@link ProcessState.isStopped} alone, which takes half of the time. */
export function isProcessStopped(pid: number): boolean {
  try {
    return readStat(pid)[0] === STOPPED
  } catch {
    return false
  }
}

/** Length of a tick of the kernel's clock. */
const TICK_MS = 10
/** On a machine that is far too busy, limits are at most so many times as long by the clock. */
const STRETCH_MAX = 8

/**
 * How much of a time counts for a process that has a limit. It is what the process had of a processor, if it computed or could
 * have: it goes behind everybody else, and a large model takes a quarter of a second of a processor for a picture. For a process
 * that waits for anything else all of it counts.
 *
 * @param ticks of CPU time that the process had meanwhile.
 */
export function countTime(
  ms: number,
  { isRunnable }: Pick<ProcessState, 'isRunnable'>,
  ticks: number,
): number {
  if (ticks <= 0 && !isRunnable) return ms
  return Math.min(ms, Math.max(ms / STRETCH_MAX, ticks * TICK_MS))
}

const STOPPED = 'T'

function readStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program's name, in parentheses, may contain anything; the fields are counted after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
