import { readdirSync, readFileSync } from 'node:fs'

/** Length of a clock tick of `/proc`, the same on every Linux that we know. */
const TICK_MS = 10

/** CPU time that a process and its children have used so far, in ms. Linux only. */
export function cpuMs(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []))
  const own = all.find((stat) => stat.pid === pid)
  if (!own) throw new Error(`There is no process ${pid}`)
  const childrenOf = (parent: number): number[] =>
    all.filter((stat) => stat.parent === parent).map((stat) => stat.ticks + sum(childrenOf(stat.pid)))
  return (own.ticks + sum(childrenOf(pid))) * TICK_MS
}

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
    const ticks = sum(fields.slice(11, 15).map(Number))
    return [{ pid, parent: Number(fields[1]), ticks }]
  } catch {
    // It ended meanwhile.
    return []
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
