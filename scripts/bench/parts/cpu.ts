import { readdirSync, readFileSync } from 'node:fs'

/** Length of a clock tick of `/proc`, the same on every Linux that we know. */
const TICK_MS = 10

/** Processor time by process, in ms. */
export interface CpuTime {
  main: number
  /** The process that infers words, and those that decode and infer pictures. */
  words: number
  pictures: number
}

/** CPU time that a process and its children have used so far, in ms. Linux only. */
export const cpuMs = (pid: number): number => sumCpu(readCpu(pid))

export const sumCpu = ({ main, words, pictures }: CpuTime): number => main + words + pictures

/** CPU time that a service and its children have used so far; children of no known role count as main. Linux only. */
export function readCpu(pid: number): CpuTime {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []))
  const own = all.find((stat) => stat.pid === pid)
  if (!own) throw new Error(`There is no process ${pid}`)
  const time: CpuTime = { main: 0, words: 0, pictures: 0 }
  const add = (stat: Stat) => {
    time[roleOf(stat.pid)] += stat.ticks * TICK_MS
    for (const child of all) if (child.parent === stat.pid) add(child)
  }
  add(own)
  return time
}

/** The time from one reading to a later one, shared out between so many operations. */
export const cpuPer = (operations: number, before: CpuTime, after: CpuTime): CpuTime => ({
  main: (after.main - before.main) / operations,
  words: (after.words - before.words) / operations,
  pictures: (after.pictures - before.pictures) / operations,
})

export const addCpu = (a: CpuTime, b: CpuTime): CpuTime => ({
  main: a.main + b.main,
  words: a.words + b.words,
  pictures: a.pictures + b.pictures,
})

export const NO_CPU: CpuTime = { main: 0, words: 0, pictures: 0 }

interface Stat {
  pid: number
  parent: number
  /** User and system time of all threads, and of the children that have ended. */
  ticks: number
}

function readStat(pid: number): Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may hold spaces; what follows it are numbers.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return [{ pid, parent: Number(fields[1]), ticks }]
  } catch {
    // It ended meanwhile.
    return []
  }
}

/** The role of an embedder's process stands in its command line. */
function roleOf(pid: number): keyof CpuTime {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    if (!words.some((word) => word.includes('embedder-process'))) return 'main'
    return words.includes('vision') ? 'pictures' : 'words'
  } catch {
    return 'main'
  }
}
