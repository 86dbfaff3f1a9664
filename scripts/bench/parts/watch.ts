import { readdirSync, readFileSync } from 'node:fs'

/** What a service's processes did while they were watched. */
export interface Watched {
  /** Share of the looks at which no thread of the process for pictures ran or waited for a core. */
  idle: number
  /** Memory of all processes together (PSS, MB): the mean of each tenth of the time. */
  megabytes: number[]
}

const LOOK_MS = 25
const MEMORY_MS = 1_000
const PARTS = 10

/** Watches a service and its children until `stop`. Linux only. */
export function watchProcesses(pid: number): { stop(): Watched } & Disposable {
  const isForPictures = (child: number) => readText(`/proc/${child}/cmdline`).split('\0').includes('vision')
  // A process that ends is followed by another one.
  const list = () => [pid, ...listChildren(pid)]
  let pictures = list().filter(isForPictures)
  const memory: number[] = []
  let looks = 0
  let idle = 0
  const look = setInterval(() => {
    looks++
    if (!pictures.some(hasWork)) idle++
  }, LOOK_MS)
  const weigh = setInterval(() => {
    const pids = list()
    pictures = pids.filter(isForPictures)
    memory.push(sum(pids.map(readMegabytes)))
  }, MEMORY_MS)
  const end = () => {
    clearInterval(look)
    clearInterval(weigh)
  }
  return {
    stop() {
      end()
      const size = Math.max(1, Math.ceil(memory.length / PARTS))
      const parts = Array.from({ length: Math.ceil(memory.length / size) }, (_, n) =>
        memory.slice(n * size, (n + 1) * size),
      )
      return { idle: idle / looks, megabytes: parts.map((part) => Math.round(sum(part) / part.length)) }
    },
    [Symbol.dispose]: end,
  }
}

function listChildren(pid: number): number[] {
  const children = readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...listChildren(child)])
}

/** Whether any thread runs or could run. */
const hasWork = (pid: number): boolean =>
  listThreads(pid).some((thread) => /\) R/.test(readText(`/proc/${pid}/task/${thread}/stat`)))

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

const readMegabytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024

/** A file of `/proc`; empty if the process has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
