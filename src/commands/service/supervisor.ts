import type { Logger } from 'pino'

type Env = Readonly<Record<string, string | undefined>>

/** What started the service, such as systemd, and wants to hear how it is. */
export interface Supervisor {
  /** The service answers requests. From now on it is heard of again and again, as long as it has turns. */
  tellReady(status: string): Promise<void>
  tellStopping(): Promise<void>
}

/** A message that takes longer is given up. */
const SENDING_MS = 5_000

/** Within the time after which the supervisor kills a silent service, it hears of it that often. */
const SIGNS_OF_LIFE = 3

const SILENT: Supervisor = {
  tellReady: async () => {},
  tellStopping: async () => {},
}

/**
 * Finds the supervisor that the environment names (sd_notify(3), sd_watchdog_enabled(3)). It is told through `systemd-notify`, because
 * the runtime has no datagram sockets of that kind.
 */
export function findSupervisor(env: Env, pid: number, log: Pick<Logger, 'warn'>): Supervisor {
  const { NOTIFY_SOCKET, PATH, WATCHDOG_PID } = env
  if (!NOTIFY_SOCKET) return SILENT
  const isWatched = WATCHDOG_PID === undefined || WATCHDOG_PID === String(pid)
  const watchdogMs = isWatched ? Math.floor(Number(env['WATCHDOG_USEC'] ?? 0) / 1000) : 0
  let isUnheard = false
  let isSending = false
  let timer: Timer | undefined

  async function send(...words: string[]): Promise<void> {
    try {
      const child = Bun.spawn(['systemd-notify', ...words], {
        env: { NOTIFY_SOCKET, PATH: PATH ?? '/usr/bin:/bin' },
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: SENDING_MS,
      })
      const code = await child.exited
      if (code !== 0) throw new Error(`systemd-notify ended with ${code}`)
      isUnheard = false
    } catch (error) {
      // Once, and not with every sign of life.
      if (!isUnheard)
        log.warn(
          { reason: (error as Error).message },
          'the supervisor of the service cannot be told anything',
        )
      isUnheard = true
    }
  }

  async function showLife(): Promise<void> {
    if (isSending) return
    isSending = true
    await send('WATCHDOG=1')
    isSending = false
  }

  return {
    async tellReady(status) {
      await send('--ready', `--status=${status}`)
      if (watchdogMs > 0) timer ??= setInterval(showLife, Math.max(1, Math.floor(watchdogMs / SIGNS_OF_LIFE)))
    },
    tellStopping() {
      clearInterval(timer)
      return send('STOPPING=1')
    },
  }
}
