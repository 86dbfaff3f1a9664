import { ApiError } from '../../core/errors.ts'
import type { EmbeddedPicture, EmbeddedText, EmbedderStatus, EmbedPriority } from './embedder.ts'
import type { EmbedReply } from './messages.ts'
import { type LaneOptions, ProcessLane } from './process-lane.ts'
import { type LineLimits, type Task, WaitingLine } from './waiting-line.ts'

/** The part of a pino logger that is used here. */
export interface EmbedderLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface PoolOptions {
  /** For the log: `text` or `vision`. */
  name: string
  lanes: number
  lane: LaneOptions
  line: LineLimits
  /** Tasks in one process at a time: enough to keep it busy, few enough that a search is soon next. */
  windowMax: number
  /** A process that has not passed its self-test by then is killed and started again. */
  startMs: number
  /** Longest wait of a task for a process that is starting. */
  startWaitMs: number
  dimension: number
  /** What a caller is told whose task took a process down with it. */
  fatal(reason: string): ApiError
  log: EmbedderLog
}

type Result = EmbeddedPicture & Required<EmbeddedText>

/** Starts after a death: at once, then slower and slower while no process becomes ready. */
const BACKOFF_MS = [0, 100, 250, 500, 1000]
/** So many starts in a row that end before the process is ready make the model `failed`; trying goes on. */
const FAILED_STARTS_MAX = 5
const RETRY_FAILED_MS = 10_000

/** A few processes of one kind with a common line before them. */
export class ProcessPool {
  readonly #options: PoolOptions
  readonly #line: WaitingLine
  readonly #lanes: (ProcessLane | undefined)[]
  readonly #timers = new Set<Timer>()
  readonly #settled = Promise.withResolvers<void>()
  /** Runs while tasks wait and no process is ready. */
  #waitTimer: Timer | undefined
  #failedStarts = 0
  #wasReady = false
  #failure: string | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#line = new WaitingLine(options.line)
    this.#lanes = Array.from({ length: options.lanes }, () => undefined)
    for (let place = 0; place < options.lanes; place++) this.#start(place)
  }

  get status(): EmbedderStatus {
    if (this.#failure !== undefined) return { state: 'failed', reason: this.#failure }
    return { state: this.#wasReady ? 'ready' : 'starting' }
  }

  /** Resolves when the first process is ready or the model has failed. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  /** Process ids, for operators and tests; those that are just being restarted are left out. */
  get pids(): number[] {
    return this.#lanes.flatMap((lane) => (lane ? [lane.pid] : []))
  }

  /** Tasks that wait for a process. */
  get waiting(): number {
    return this.#line.length
  }

  /** @throws ApiError as `Embedder.embedPicture` does. */
  embed(bytes: Uint8Array, priority: EmbedPriority): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#failure !== undefined) throw notReady(this.status)
      this.#line.enter({ bytes, priority, isSuspect: false, resolve, reject })
      this.#dispatch()
      this.#limitWait()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#settled.resolve()
    for (const timer of this.#timers) clearTimeout(timer)
    clearTimeout(this.#waitTimer)
    this.#rejectLine()
    const lanes = this.#lanes.flatMap((lane) => lane ?? [])
    for (const lane of lanes) lane.kill('the service stops')
    await Promise.all(lanes.map((lane) => lane.ended))
  }

  #start(place: number): void {
    const { lane: options, name, log } = this.#options
    // The files have proved themselves already: a restart saves the self-test, which is half of its time.
    const command = [...options.command, this.#wasReady ? 'tested' : 'untested']
    const lane = new ProcessLane(
      { ...options, command },
      {
        onReady: (report) => {
          clearTimeout(patience)
          this.#becomeReady(lane.pid, report)
        },
        onFailed: (reason) => {
          this.#failure = `${name} model: ${reason}`
          this.#settled.resolve()
          this.#rejectLine()
          log.error(
            { process: name, pid: lane.pid, reason },
            'the model failed its self-test or could not be loaded',
          )
        },
        onAnswer: (task, answer, body) => {
          this.#answer(task, answer, body)
          this.#dispatch()
        },
        onEnd: (end) => {
          clearTimeout(patience)
          this.#timers.delete(patience)
          this.#lanes[place] = undefined
          this.#afterEnd(place, lane.pid, end)
        },
      },
    )
    const patience = setTimeout(() => lane.kill('it was not ready in time'), this.#options.startMs)
    this.#timers.add(patience)
    this.#lanes[place] = lane
  }

  #becomeReady(pid: number, { readyMs, worstCosine }: Extract<EmbedReply, { kind: 'ready' }>): void {
    this.#wasReady = true
    this.#failure = undefined
    this.#failedStarts = 0
    this.#settled.resolve()
    clearTimeout(this.#waitTimer)
    this.#waitTimer = undefined
    const fields = { process: this.#options.name, pid, ready_ms: readyMs, worst_cosine: worstCosine }
    this.#options.log.info(fields, 'embedder process is ready')
    this.#dispatch()
  }

  #afterEnd(
    place: number,
    pid: number,
    end: { reason: string; wasReady: boolean; culprit: Task | undefined; tasks: Task[] },
  ): void {
    if (this.#isClosed) {
      for (const task of [...end.tasks, ...(end.culprit ? [end.culprit] : [])]) {
        this.#reject(task, notReady(this.status))
      }
      return
    }
    const { name, log } = this.#options
    log.warn({ process: name, pid, reason: end.reason, tasks: end.tasks.length }, 'embedder process ended')
    if (end.culprit) this.#reject(end.culprit, this.#options.fatal(end.reason))
    this.#judge(end.tasks, end.culprit !== undefined, end.reason)
    this.#restart(place, end)
    // With several processes, what was in the dead one goes to the others at once.
    this.#dispatch()
    this.#limitWait()
  }

  /** Alone with a death, and nobody else to blame: guilty. In company: each gets one more try, alone. */
  #judge(tasks: readonly Task[], isCulpritKnown: boolean, reason: string): void {
    for (const task of tasks) {
      const isGuilty = task.isSuspect || (tasks.length === 1 && !isCulpritKnown)
      if (isGuilty) this.#reject(task, this.#options.fatal(reason))
      else this.#line.enterSuspect(task)
    }
  }

  #restart(place: number, { wasReady, reason }: { wasReady: boolean; reason: string }): void {
    if (!wasReady) this.#failedStarts++
    if (this.#failedStarts >= FAILED_STARTS_MAX) {
      this.#failure ??= `the ${this.#options.name} process ends before it is ready: ${reason}`
      this.#settled.resolve()
    }
    const isFailed = this.#failure !== undefined
    if (isFailed) this.#rejectLine()
    const delay = isFailed ? RETRY_FAILED_MS : BACKOFF_MS[Math.min(this.#failedStarts, BACKOFF_MS.length - 1)]
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#start(place)
    }, delay)
    this.#timers.add(timer)
  }

  /**
   * Nobody waits longer than `startWaitMs` for a process. One time for the whole line, counted from the task that
   * began to wait first: so later ones may wait less, never longer.
   */
  #limitWait(): void {
    const isServed = this.#lanes.some((lane) => lane?.isReady)
    if (isServed || this.#waitTimer !== undefined || this.#line.length === 0) return
    this.#waitTimer = setTimeout(() => {
      this.#waitTimer = undefined
      this.#rejectLine()
    }, this.#options.startWaitMs)
  }

  #rejectLine(): void {
    for (let task = this.#line.take(); task; task = this.#line.take())
      this.#reject(task, notReady(this.status))
  }

  #dispatch(): void {
    for (let lane = this.#freeLane(); lane; lane = this.#freeLane()) {
      const task = this.#line.take()
      if (!task) return
      lane.send(task)
    }
  }

  /** The ready process with the least to do that may take what is next in line. */
  #freeLane(): ProcessLane | undefined {
    if (this.#line.length === 0) return undefined
    const window = this.#line.isSuspectNext ? 1 : this.#options.windowMax * (this.#line.isSearchNext ? 2 : 1)
    let best: ProcessLane | undefined
    for (const lane of this.#lanes) {
      if (!lane?.isReady || lane.load >= window || lane.isExclusive) continue
      if (!best || lane.load < best.load) best = lane
    }
    return best
  }

  #answer(task: Task, answer: Extract<EmbedReply, { kind: 'embedded' | 'refused' }>, body: Uint8Array): void {
    if (answer.kind === 'refused') {
      this.#reject(task, new ApiError(answer.code, answer.message, { details: answer.details }))
      return
    }
    const vector = new Float32Array(body.slice().buffer)
    if (vector.length !== this.#options.dimension) {
      const message = `The model gave ${vector.length} numbers instead of ${this.#options.dimension}`
      this.#reject(task, new ApiError('internal_error', message))
      return
    }
    this.#line.leave(task)
    const { isTruncated = false, isUnknown = false, facts = NO_FACTS } = answer
    task.resolve({ vector, facts, isTruncated, isUnknown })
  }

  #reject(task: Task, error: ApiError): void {
    this.#line.leave(task)
    task.reject(error)
  }
}

/** Stands where a text has no facts; `Embedder.embedText` does not hand it on. */
const NO_FACTS = { width: 0, height: 0, contentType: '', phash: '', palette: [] }

function notReady(status: EmbedderStatus): ApiError {
  const hint =
    status.state === 'failed' ? 'The model does not work; see /health/ready' : 'The model is not up yet'
  return new ApiError('model_not_ready', hint, { retryAfterSeconds: 2 })
}
