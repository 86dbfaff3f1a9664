import { createBackoff } from '../../core/backoff.ts'
import { type LaneEnd, type LaneEvents, type LaneOptions, ProcessLane } from './process-lane.ts'

/** The part of a pino logger that the embedder uses. */
export interface EmbedderLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface SupervisorOptions {
  /** For the log: `text` or `vision`. */
  name: string
  lane: LaneOptions
  /** Whether the model's files have passed the self-test. A process then skips it, which halves its startup time. */
  isTested(): boolean
  log: EmbedderLog
}

/** Callbacks of a supervisor's pool. None of them may throw. */
export interface SupervisorEvents extends Pick<LaneEvents, 'onAnswer' | 'onLarge' | 'onAlive'> {
  onReady(): void
  /** Several starts in a row have failed, see {@link ProcessSupervisor.failure}. */
  onFailure(): void
  /** A process ended or could not start; the next start is scheduled. */
  onEnd(end: LaneEnd): void
}

/** Delays before a restart, by the number of failed starts in a row. */
const backoff = createBackoff({ waits: [0, 100, 250, 500, 1_000] })
/** Failed starts in a row that count as a failure of the model; starting continues. */
const FAILED_STARTS_MAX = 5
/** Brings the model back within seconds of the end of the problem. */
const RETRY_FAILED_MS = 2_000

/** Keeps one process running: starts a new one whenever it ends, with increasing delays. */
export class ProcessSupervisor {
  readonly #options: SupervisorOptions
  readonly #events: SupervisorEvents
  #lane: ProcessLane | undefined
  #timer: Timer | undefined
  #failedStarts = 0
  #failure: string | undefined
  #isOpen = false

  constructor(options: SupervisorOptions, events: SupervisorEvents) {
    this.#options = options
    this.#events = events
  }

  /** The current process, ready or not. */
  get lane(): ProcessLane | undefined {
    return this.#lane
  }
  get isOpen(): boolean {
    return this.#isOpen
  }
  /** The reason why no process becomes ready, after several tries. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Starts a process and keeps one running until {@link close}. */
  open(): void {
    this.#isOpen = true
    this.#failedStarts = 0
    this.#failure = undefined
    this.#start()
  }

  /** Kills the process and starts no other. */
  async close(reason: string): Promise<void> {
    this.#isOpen = false
    clearTimeout(this.#timer)
    this.#lane?.kill(reason)
    await this.#lane?.ended
  }

  /** Schedules the next start before it logs, because a failing log must not prevent it. */
  #start(): void {
    const { lane: options, name, isTested, log } = this.#options
    const command = [...options.command, isTested() ? 'tested' : 'untested']
    try {
      const lane = new ProcessLane(
        { ...options, command },
        {
          ...this.#events,
          onReady: ({ readyMs, worstCosine }) => {
            this.#failedStarts = 0
            this.#failure = undefined
            this.#events.onReady()
            const fields = { process: name, pid: lane.pid, ready_ms: readyMs, worst_cosine: worstCosine }
            log.info(fields, 'embedder process is ready')
          },
          onFailed: (reason) => {
            this.#fail(`${name} model: ${reason}`)
            const message = 'the model failed its self-test or could not be loaded'
            log.error({ process: name, pid: lane.pid, reason }, message)
          },
          onEnd: (end) => {
            const wasWanted = this.#isOpen
            const tasks = end.begun.length + end.waiting.length
            this.#lane = undefined
            this.#afterEnd(end)
            const fields = { process: name, pid: lane.pid, reason: end.reason, tasks }
            if (wasWanted) log.warn(fields, 'embedder process ended')
          },
        },
      )
      this.#lane = lane
    } catch (error) {
      const reason = `it could not be started (${error instanceof Error ? error.message : String(error)})`
      this.#afterEnd({
        reason,
        wasReady: false,
        isSilent: false,
        culprit: undefined,
        begun: [],
        waiting: [],
      })
      log.warn({ process: name, reason }, 'embedder process could not be started')
    }
  }

  #afterEnd(end: LaneEnd): void {
    if (this.#isOpen) {
      if (!end.wasReady) this.#failedStarts++
      if (this.#failedStarts >= FAILED_STARTS_MAX) {
        this.#fail(`the ${this.#options.name} process ends before it is ready: ${end.reason}`)
      }
      const delay = backoff(this.#failedStarts)
      this.#timer = setTimeout(() => this.#start(), this.#failure === undefined ? delay : RETRY_FAILED_MS)
    }
    this.#events.onEnd(end)
  }

  #fail(reason: string): void {
    this.#failure ??= reason
    this.#events.onFailure()
  }
}
