import { readFileSync } from 'node:fs'

/** What the kernel counts for a process, in bytes and in milliseconds. Linux only. */
export interface Usage {
  /** Memory held now; pages that several processes share count in part. */
  pss: number
  /** The most memory ever held, with shared pages in full. */
  peak: number
  cpuMs: number
}

const TICK_MS = 10

export function readUsage(pid: number): Usage {
  const field = (file: string, name: string): number => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))
    return 1024 * Number(found?.[1])
  }
  // The second field is the name in brackets, which may hold spaces.
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = rest.split(' ').slice(11, 13).map(Number)
  return {
    pss: field('smaps_rollup', 'Pss'),
    peak: field('status', 'VmHWM'),
    cpuMs: TICK_MS * ((user ?? 0) + (system ?? 0)),
  }
}
