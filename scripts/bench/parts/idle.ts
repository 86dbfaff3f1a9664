import { readdirSync, readFileSync } from 'node:fs'
import { cpuMs } from './cpu.ts'

/** A service is idle that takes no more than `CALM_MS` of processor time in each of so many looks. */
const CALM_LOOKS = 3
const LOOK_MS = 500
const CALM_MS = 50

/** What the threads of a service's processes have done so far, counted by the kernel. Linux only. */
export interface Work {
  /** Of the service's own process. */
  main: Threads
  /** Of its children together. */
  children: Threads
}

/** By the id of the thread. */
export type Threads = ReadonlyMap<number, Count>

export interface Count {
  cpuMs: number
  /** How often the thread gave up its core to wait for something. */
  waits: number
}

/**
 * Waits until a service has done next to nothing for a second and a half: after a start on a filled folder it makes the report
 * about the catalogue and more that it makes once.
 *
 * @throws Error if it is never idle.
 */
export async function untilIdle(pid: number, withinMs = 3_600_000): Promise<void> {
  const deadline = performance.now() + withinMs
  for (let calm = 0; calm < CALM_LOOKS; ) {
    if (performance.now() > deadline) throw new Error(`Process ${pid} is never idle`)
    const before = cpuMs(pid)
    await Bun.sleep(LOOK_MS)
    calm = cpuMs(pid) - before <= CALM_MS ? calm + 1 : 0
  }
}

export function readWork(pid: number): Work {
  return {
    main: new Map(readThreads(pid)),
    children: new Map(listChildren(pid).flatMap(readThreads)),
  }
}

/** What was done between two readings. A thread that ended in between takes its counts with it, and counts nothing. */
export function workBetween(before: Threads, after: Threads): Count {
  let [cpuMs, waits] = [0, 0]
  for (const [thread, count] of after) {
    cpuMs += count.cpuMs - (before.get(thread)?.cpuMs ?? 0)
    waits += count.waits - (before.get(thread)?.waits ?? 0)
  }
  return { cpuMs, waits }
}

/** Bytes that a process has handed to the system in writes so far; what it sends over sockets is not among them. */
export function readWrittenBytes(pid: number): number {
  const written = /^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]
  if (written === undefined) throw new Error(`The kernel does not count what process ${pid} writes`)
  return Number(written)
}

function readThreads(pid: number): [number, Count][] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const folder = `/proc/${pid}/task/${thread}`
    // In ns, where `stat` has hundredths of a second.
    const ns = readText(`${folder}/schedstat`).split(' ')[0]
    const waits = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readText(`${folder}/status`))?.[1]
    return [Number(thread), { cpuMs: Number(ns || 0) / 1e6, waits: Number(waits ?? 0) }]
  })
}

function listChildren(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readText(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...listChildren(child)])
}

/** A file of `/proc`; empty if the thread has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
