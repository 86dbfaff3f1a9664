import type { Clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { EmbeddedPicture, EmbeddedText, EmbedderStatus, PictureOptions } from './embedder.ts'
import type { EmbedReply } from './messages.ts'
import { SMALL_PIXELS, sizeOf } from './picture-size.ts'
import type { LaneEnd, LaneOptions, ProcessLane } from './process-lane.ts'
import { type EmbedderLog, type PlaceEvents, ProcessPlace } from './process-place.ts'
import { type LineLimits, overloaded, type Task, WaitingLine } from './waiting-line.ts'

export interface PoolOptions {
  /** For the log: `text` or `vision`. */
  name: string
  lanes: number
  lane: LaneOptions
  line: LineLimits
  /**
   * Tasks of one store in one process at a time: enough to keep it busy, few enough that a search is soon next. Of
   * searches of all stores there may be twice as many.
   */
  windowMax: number
  /** Longest wait of a task for a process. */
  waitMs: number
  dimension: number
  /** What a caller is told whose task took a process down with it. */
  fatal(reason: string): ApiError
  clock: Clock
  log: EmbedderLog
}

type Result = EmbeddedPicture & Required<EmbeddedText>

/** Large pictures, which are no giants, in one process at a time: two being decoded, two before the model. */
export const LARGE_MAX = 4
/** For a suspect, which has a process to itself. */
const ANY_PIXELS = Number.MAX_SAFE_INTEGER
/** A process that is away for no longer is just being started again: searches wait for it. */
const AWAY_MS = 3_000
/** Deaths that a task may be part of without being the cause, and that it may see while it only waits. */
const DEATHS_MAX = 3
const WAITING_DEATHS_MAX = 6

/** A few processes of one kind with a common line before them. */
export class ProcessPool {
  readonly #options: PoolOptions
  readonly #line: WaitingLine
  readonly #places: ProcessPlace[]
  /** A process for suspects alone, which runs while there are any: nobody waits behind them. */
  readonly #quarantine: ProcessPlace
  readonly #settled = Promise.withResolvers<void>()
  readonly #waits = new Map<Task, Timer>()
  #entered = 0
  #wasReady = false
  /** When the last process that served was lost. */
  #lostAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    const { name, lane, log } = options
    this.#line = new WaitingLine(options.line)
    const parts = { name, lane, log, isTested: () => this.#wasReady }
    const common: Omit<PlaceEvents, 'onEnd'> = {
      onReady: () => this.#becomeReady(),
      onFailure: () => this.#afterFailure(),
      onAnswer: (task, answer, body) => {
        this.#answer(task, answer, body)
        this.#dispatch()
      },
      onLarge: (task, pixels) => this.#resize(task, pixels),
      onAlive: () => this.#dispatch(),
    }
    const onEnd = (end: LaneEnd) => {
      // A silent one had not served for a while.
      if (end.wasReady && !end.isSilent && !this.#isServed) this.#lostAt = options.clock.monotonic()
      this.#afterEnd(end)
    }
    this.#places = Array.from({ length: options.lanes }, () => new ProcessPlace(parts, { ...common, onEnd }))
    this.#quarantine = new ProcessPlace(
      { ...parts, name: `${name}, quarantine` },
      { ...common, onFailure: () => {}, onEnd: (end) => this.#afterEnd(end) },
    )
    for (const place of this.#places) place.open()
  }

  /** `ready` while a process serves, and for a moment after one was lost. */
  get status(): EmbedderStatus {
    if (this.#isServed) return { state: 'ready' }
    const reason = this.#failure
    if (reason !== undefined) return { state: 'failed', reason }
    const isJustAway = this.#options.clock.monotonic() - this.#lostAt < AWAY_MS
    return { state: isJustAway ? 'ready' : 'starting' }
  }

  /** Resolves when the first process is ready or the model has failed. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  /** Process ids, for operators and tests; those that are just being restarted are left out. */
  get pids(): number[] {
    return [...this.#places, this.#quarantine].flatMap(({ lane }) => (lane ? [lane.pid] : []))
  }

  /** Tasks that wait for a process. */
  get waiting(): number {
    return this.#line.length
  }

  /** @throws ApiError as `Embedder.embedPicture` does. */
  embed(bytes: Uint8Array, { priority, storeId }: PictureOptions): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || (this.#failure !== undefined && !this.#isServed)) throw notReady(this.status)
      const order = this.#entered++
      const task: Task = { bytes, priority, storeId, order, isSuspect: false, deaths: 0, resolve, reject }
      for (const displaced of this.#line.enter(task)) {
        this.#stopWaiting(displaced)
        displaced.reject(overloaded('The model has too much waiting, and others had less'))
      }
      this.#dispatch()
      this.#limitWait(task)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#settled.resolve()
    this.#rejectLine()
    await Promise.all([...this.#places, this.#quarantine].map((place) => place.close('the service stops')))
  }

  /** Whether a process is up that answers. */
  get #isServed(): boolean {
    return this.#places.some(({ lane }) => lane?.isReady && !lane.isUnresponsive)
  }

  /** The model has failed when it fails everywhere. */
  get #failure(): string | undefined {
    const failures = this.#places.map(({ failure }) => failure)
    return failures.includes(undefined) ? undefined : failures[0]
  }

  #becomeReady(): void {
    this.#wasReady = true
    this.#settled.resolve()
    this.#dispatch()
  }

  #afterFailure(): void {
    if (this.#failure === undefined || this.#isServed) return
    this.#settled.resolve()
    this.#rejectLine()
  }

  #afterEnd(end: LaneEnd): void {
    const { culprit, waiting } = end
    if (this.#isClosed) {
      for (const task of [...end.begun, ...waiting, ...(culprit ? [culprit] : [])]) {
        this.#reject(task, notReady(this.status))
      }
      return
    }
    if (culprit) this.#reject(culprit, this.#options.fatal(end.reason))
    for (const task of end.begun) this.#judge(task, end)
    for (const task of waiting) {
      if (++task.deaths >= WAITING_DEATHS_MAX) this.#reject(task, notReady(this.status))
      else this.#line.putBack(task)
    }
    if (this.#failure !== undefined && !this.#isServed) this.#rejectLine()
    // With several processes, what was in the dead one goes to the others at once.
    this.#dispatch()
    for (const task of [...end.begun, ...waiting]) this.#limitWait(task)
  }

  /**
   * What becomes of a task that was being worked on when its process died. Alone with a death, and nobody else to
   * blame: guilty. In company: each gets one more try, alone.
   */
  #judge(task: Task, { culprit, begun, isSilent, reason }: LaneEnd): void {
    task.deaths++
    const isAlone = begun.length === 1 && !culprit
    if (isAlone && !isSilent) this.#reject(task, this.#options.fatal(reason))
    else if (task.deaths >= DEATHS_MAX) this.#reject(task, notReady(this.status))
    else if (culprit) this.#line.putBack(task)
    else this.#line.enterSuspect(task)
  }

  /** Nobody waits longer than `waitMs` for a process at a time. */
  #limitWait(task: Task): void {
    this.#stopWaiting(task)
    if (!this.#line.has(task)) return
    const giveUp = () => {
      this.#waits.delete(task)
      if (!this.#line.remove(task)) return
      const isBusy = this.#isServed
      this.#reject(
        task,
        isBusy ? overloaded('The model is busy: this has waited too long') : notReady(this.status),
      )
      this.#dispatch()
    }
    this.#waits.set(task, setTimeout(giveUp, this.#options.waitMs))
  }

  /** A picture that is more than a small one waits again, for a place of its size. */
  #resize(task: Task, pixels: number): void {
    if (task.pixels === undefined) {
      task.pixels = pixels
      this.#line.putBack(task)
    } else {
      this.#reject(
        task,
        new ApiError('internal_error', `The picture has ${pixels} pixels, not ${task.pixels}`),
      )
    }
    this.#dispatch()
    this.#limitWait(task)
  }

  #stopWaiting(task: Task): void {
    clearTimeout(this.#waits.get(task))
    this.#waits.delete(task)
  }

  #rejectLine(): void {
    for (const task of this.#line.takeAll()) this.#reject(task, notReady(this.status))
  }

  #dispatch(): void {
    const serving = this.#places.flatMap(({ lane }) => (lane?.isReady && !lane.isUnresponsive ? [lane] : []))
    for (let isSent = true; isSent; ) {
      isSent = false
      for (const lane of serving.toSorted((a, b) => a.load - b.load)) {
        const room = this.#roomOf(lane, serving)
        const task = this.#line.take(room)
        if (!task) continue
        this.#send(lane, task, task.pixels ?? SMALL_PIXELS)
        isSent = true
        break
      }
    }
    this.#dispatchSuspect(serving.length > 0)
  }

  #send(lane: ProcessLane, task: Task, pixelsMax: number): void {
    this.#stopWaiting(task)
    lane.send(task, pixelsMax)
  }

  /** One after the other, once the others are served again: the second process would make their start slower. */
  #dispatchSuspect(isServed: boolean): void {
    const { lane, isOpen } = this.#quarantine
    if (!this.#line.hasSuspects) {
      if (isOpen && !(lane && lane.load > 0)) void this.#quarantine.close('no suspect is left')
    } else if (!isOpen) {
      // A process of the last time may still be on its way out; its end comes by here.
      if (isServed && !lane) this.#quarantine.open()
    } else if (lane?.isReady && lane.load === 0) {
      const task = this.#line.takeSuspect()
      if (task) this.#send(lane, task, ANY_PIXELS)
    }
  }

  /** Tells of a task whether a process may take it now. */
  #roomOf(lane: ProcessLane, serving: readonly ProcessLane[]): (task: Task) => boolean {
    const { windowMax } = this.#options
    const bySize = { small: 0, large: 0, giant: 0 }
    const smallsOf = new Map<string, number>()
    for (const task of lane.tasks) {
      const size = taskSize(task)
      bySize[size]++
      if (size === 'small') smallsOf.set(keyOf(task), (smallsOf.get(keyOf(task)) ?? 0) + 1)
    }
    const giants = serving.flatMap(({ tasks }) => tasks.filter((task) => taskSize(task) === 'giant'))
    return (task) => {
      const size = taskSize(task)
      if (size === 'giant')
        return bySize.giant === 0 && giants.every(({ storeId }) => storeId !== task.storeId)
      if (size === 'large') return bySize.large < LARGE_MAX
      const most = windowMax * (task.priority === 'search' ? 2 : 1)
      return bySize.small < most && (smallsOf.get(keyOf(task)) ?? 0) < windowMax
    }
  }

  #answer(task: Task, answer: Extract<EmbedReply, { kind: 'embedded' | 'refused' }>, body: Uint8Array): void {
    if (answer.kind === 'refused') {
      this.#reject(task, new ApiError(answer.code, answer.message, { details: answer.details }))
      return
    }
    if (body.length !== this.#options.dimension * Float32Array.BYTES_PER_ELEMENT) {
      const message = `The model gave ${body.length} bytes instead of ${this.#options.dimension} numbers`
      this.#reject(task, new ApiError('internal_error', message))
      return
    }
    const vector = new Float32Array(body.slice().buffer)
    this.#line.leave(task)
    const { isTruncated = false, isUnknown = false, facts = NO_FACTS } = answer
    task.resolve({ vector, facts, isTruncated, isUnknown })
  }

  #reject(task: Task, error: ApiError): void {
    this.#stopWaiting(task)
    this.#line.leave(task)
    task.reject(error)
  }
}

/** All texts are small, and all pictures that no process has measured yet. */
const taskSize = ({ pixels = 0 }: Task) => sizeOf(pixels)

const keyOf = ({ priority, storeId }: Task): string => `${priority} ${storeId}`

/** Stands where a text has no facts; `Embedder.embedText` does not hand it on. */
const NO_FACTS = { width: 0, height: 0, contentType: '', phash: '', palette: [] }

function notReady(status: EmbedderStatus): ApiError {
  const hint =
    status.state === 'failed' ? 'The model does not work; see /health/ready' : 'The model is not up yet'
  return new ApiError('model_not_ready', hint, { retryAfterSeconds: 2 })
}
