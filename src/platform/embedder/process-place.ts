import { type LaneEnd, type LaneEvents, type LaneOptions, ProcessLane } from './process-lane.ts'

/** The part of a pino logger that is used here. */
export interface EmbedderLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface PlaceOptions {
  /** For the log: `text` or `vision`. */
  name: string
  lane: LaneOptions
  /** Whether the model's files have proved themselves already: then a process skips the self-test, half of its start. */
  isTested(): boolean
  log: EmbedderLog
}

/** What a place tells its pool. None of these may throw. */
export interface PlaceEvents extends Pick<LaneEvents, 'onAnswer' | 'onLarge' | 'onAlive'> {
  onReady(): void
  /** No process has come up for a while, see {@link ProcessPlace.failure}. */
  onFailure(): void
  /** A process ended, or could not be started; the next one is on its way. */
  onEnd(end: LaneEnd): void
}

/** Starts after a death: at once, then slower and slower while no process becomes ready. */
const BACKOFF_MS = [0, 100, 250, 500, 1000]
/** So many starts in a row that end before the process is ready make a failure; trying goes on. */
const FAILED_STARTS_MAX = 5
/** So the model is back a few seconds after whatever was in the way has gone. */
const RETRY_FAILED_MS = 2_000

/** Where one process lives, and the next one when it has died: starts them for ever, with patience. */
export class ProcessPlace {
  readonly #options: PlaceOptions
  readonly #events: PlaceEvents
  #lane: ProcessLane | undefined
  #timer: Timer | undefined
  #failedStarts = 0
  #failure: string | undefined
  #isOpen = false

  constructor(options: PlaceOptions, events: PlaceEvents) {
    this.#options = options
    this.#events = events
  }

  /** The process that lives here now, ready or not. */
  get lane(): ProcessLane | undefined {
    return this.#lane
  }
  get isOpen(): boolean {
    return this.#isOpen
  }
  /** Why no process becomes ready here, after some tries. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Starts a process, and keeps one running until {@link close}. */
  open(): void {
    this.#isOpen = true
    this.#failedStarts = 0
    this.#failure = undefined
    this.#start()
  }

  /** Ends the process and starts no other. */
  async close(reason: string): Promise<void> {
    this.#isOpen = false
    clearTimeout(this.#timer)
    this.#lane?.kill(reason)
    await this.#lane?.ended
  }

  /** Books the next try before anything is logged: a log that cannot be written must not stop it. */
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
      const delay = BACKOFF_MS[Math.min(this.#failedStarts, BACKOFF_MS.length - 1)]
      this.#timer = setTimeout(() => this.#start(), this.#failure === undefined ? delay : RETRY_FAILED_MS)
    }
    this.#events.onEnd(end)
  }

  #fail(reason: string): void {
    this.#failure ??= reason
    this.#events.onFailure()
  }
}
