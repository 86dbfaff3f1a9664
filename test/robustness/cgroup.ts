import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'

/** A control group of one test. A program started through {@link Cgroup.wrap} runs in it with all its children. */
export interface Cgroup {
  /** An option that starts a service in the group. */
  wrap: string[]
  /** Writes a limit; `null` removes it. */
  limit(value: number | null): void
  /** Counts the processes that the kernel killed for lack of memory; for a memory group only. */
  killed(): number
  /** Peak memory so far in MB, including the page cache of its files; for a memory group only. */
  peakMb(): number
  /** Removes the group. Call it once no process runs in it. */
  remove(): void
}

/**
 * Creates a control group (version 1 or 2). @returns undefined if this machine does not allow it; the test then runs
 * without one and says so, or is skipped.
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
          // A process that was just killed may still exist.
          if (n === 100) throw error
          Bun.sleepSync(20)
        }
      }
    },
  }
}
