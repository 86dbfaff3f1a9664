import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** What installing a unit needs of the machine. */
export interface UnitHost {
  /** undefined where the system has no users. */
  uid: number | undefined
  /** Whether systemd manages the machine, or the services of this user. */
  isManaged(isOfUser: boolean): boolean
  /** Runs a program to its end. @returns its exit code and what it said; -1 if it could not be started. */
  run(words: readonly string[]): { code: number; said: string }
  /** The file of this program; undefined when it runs from source. */
  executable: string | undefined
}

/** A program that asks the machine may wait for the start of the service, which `TimeoutStartSec=` ends. */
const RUN_MS = 20 * 60_000

type Env = Readonly<Record<string, string | undefined>>

/** The machine itself. */
export const createMachine = ({ XDG_RUNTIME_DIR }: Env): UnitHost => ({
  uid: process.getuid?.(),
  isManaged: (isOfUser) => {
    // Source: sd_booted(3); the manager of a user listens in that user's folder.
    if (!existsSync('/run/systemd/system')) return false
    if (!isOfUser) return true
    const folder = XDG_RUNTIME_DIR || `/run/user/${process.getuid?.()}`
    return existsSync(join(folder, 'systemd'))
  },
  run(words) {
    try {
      const { exitCode, signalCode, stdout, stderr } = Bun.spawnSync([...words], {
        stdin: 'ignore',
        timeout: RUN_MS,
      })
      const code = signalCode ? -1 : exitCode
      return { code, said: `${stdout}${stderr}`.trim() }
    } catch (error) {
      return { code: -1, said: (error as Error).message }
    }
  },
  executable: Bun.isStandaloneExecutable ? process.execPath : undefined,
})
