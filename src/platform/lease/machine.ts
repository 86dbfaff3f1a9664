import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Clock } from '../../core/clock.ts'

const BOOT_ID = '/proc/sys/kernel/random/boot_id'
const UPTIME = '/proc/uptime'

/**
 * A monotonic clock that goes on while the machine sleeps.
 *
 * `performance.now()` reads CLOCK_MONOTONIC on Linux, which stands still in suspend: an owner whose lid was closed for an hour would find its
 * lease as good as before. `/proc/uptime` is CLOCK_BOOTTIME (clock_gettime(2), proc(5)) in steps of 10 ms. Both go on while a process is
 * stopped by SIGSTOP or waits for a processor. Of both the later one counts, because too much time costs a refusal and too little costs the truth.
 *
 * Neither counts the time for which a hypervisor holds a whole machine; `lease.ts` says what follows.
 */
export function createLeaseClock(clock: Pick<Clock, 'monotonic'>): Pick<Clock, 'monotonic'> {
  const [first, firstUp] = [clock.monotonic(), readUptimeMs()]
  if (firstUp === undefined) return clock
  let latest = 0
  return {
    monotonic() {
      const up = (readUptimeMs() ?? firstUp) - firstUp
      latest = Math.max(latest, clock.monotonic() - first, up)
      return latest
    },
  }
}

/** @returns undefined where there is no such file. */
function readUptimeMs(): number | undefined {
  try {
    const seconds = Number.parseFloat(readFileSync(UPTIME, 'utf8'))
    return Number.isFinite(seconds) ? seconds * 1_000 : undefined
  } catch {
    return undefined
  }
}

/**
 * Names the place of a data folder: this folder, on this machine, since the machine was started. A copy of the folder has another one, as
 * has the folder after a restart of the machine, or on a disk that another machine has got.
 *
 * @param unknown stands for a machine that cannot be told from others: it never comes again.
 */
export function nameSeat(dataDir: string, unknown: string): string {
  let boot: string
  try {
    boot = readFileSync(BOOT_ID, 'utf8').trim()
  } catch {
    boot = unknown
  }
  const { dev, ino } = statSync(dataDir)
  return createHash('sha256').update(`${boot} ${dev} ${ino}`).digest('hex').slice(0, 32)
}
