import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'

/** A control group of one test: what is started through {@link Cgroup.wrap} lives in it with all its children. */
export interface Cgroup {
  /** For the options of a service: starts it inside. */
  wrap: string[]
  /** Writes a limit; `null` takes it away. */
  limit(value: number | null): void
  /** Processes that the kernel has killed for want of memory; only of a memory group. */
  killed(): number
  /** Most memory in MB that it held so far, the page cache of its files included; only of a memory group. */
  peakMb(): number
  /** Once nothing lives in it. */
  remove(): void
}

/**
 * Makes a control group (version 1 or 2). @returns undefined where this machine does not let us: then a test runs
 * without one and says so, or is left out.
 */
export function newCgroup(kind: 'memory' | 'pids'): Cgroup | undefined {
  const isOld = existsSync(join(ROOT, kind, 'cgroup.procs'))
  const folder = join(ROOT, isOld ? kind : '', `lookalike-${kind}-${process.pid}-${Bun.nanoseconds()}`)
  const names = {
    memory: isOld ? ['memory.limit_in_bytes', '-1'] : ['memory.max', 'max'],
    pids: ['pids.max', 'max'],
  } as const
  const [file, none] = names[kind]
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  try {
    mkdirSync(folder)
    if (!existsSync(join(folder, file))) throw new Error(`${kind} is not delegated`)
  } catch {
    if (existsSync(folder)) rmdirSync(folder)
    return undefined
  }
  return {
    wrap: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    limit: (value) => writeFileSync(join(folder, file), value === null ? none : String(value)),
    killed: () =>
      Number(/oom_kill (\d+)/.exec(read(isOld ? 'memory.oom_control' : 'memory.events'))?.[1] ?? 0),
    peakMb: () => Number(read(isOld ? 'memory.max_usage_in_bytes' : 'memory.peak')) / 1024 / 1024,
    remove() {
      for (let n = 0; ; n++) {
        try {
          return rmdirSync(folder)
        } catch (error) {
          // A process that was just killed may not be quite gone.
          if (n === 100) throw error
          Bun.sleepSync(20)
        }
      }
    },
  }
}
