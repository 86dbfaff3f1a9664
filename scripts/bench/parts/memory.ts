import { readdirSync, readFileSync } from 'node:fs'

/** What the kernel counts for a process, in bytes. Linux only. */
export interface Memory {
  /** Memory held now; pages that several processes share count in part. */
  pss: number
  /** The most memory ever held, with shared pages in full. */
  peak: number
}

export const readMemory = (pid: number): Memory => ({
  pss: readField(pid, 'smaps_rollup', 'Pss'),
  peak: readField(pid, 'status', 'VmHWM'),
})

/** Memory of a process and all its children, in bytes; shared pages count once. */
export function readTreePss(pid: number): number {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && readParent(Number(name)) === pid,
  )
  return children.reduce((sum, child) => sum + readTreePss(Number(child)), readMemory(pid).pss)
}

function readField(pid: number, file: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))
  return 1024 * Number(found?.[1])
}

function readParent(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    // It ended meanwhile.
    return undefined
  }
}
