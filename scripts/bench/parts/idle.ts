import { readdirSync, readFileSync } from 'node:fs'

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
