import type { Clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { EmbeddedPicture, EmbeddedText, EmbedderStatus, PictureOptions } from './embedder.ts'
import type { EmbedReply } from './messages.ts'
import { classifySize, SMALL_PIXELS } from './picture-size.ts'
import type { LaneEnd, LaneOptions, ProcessLane } from './process-lane.ts'
import { type EmbedderLog, ProcessSupervisor, type SupervisorEvents } from './process-supervisor.ts'
import { overloaded, type QueueFigures, type QueueLimits, type Task, TaskQueue } from './task-queue.ts'

export interface PoolOptions {
  /** For the log: `text` or `vision`. */
  name: string
  lanes: number
  lane: LaneOptions
  queue: QueueLimits
  /**
   * Tasks of one store in one process at a time: enough to keep it busy, few enough that a new search starts soon.
   * Searches of all stores together may use twice as many.
   */
  windowMax: number
  /** Longest wait of a task for a process. */
  waitMs: number
  dimension: number
  /** Learns how long each task waited, and how long a process then took. */
  onTimed(timing: TaskTiming): void
  /** The error for a task that crashed its process. */
  fatal(reason: string): ApiError
  clock: Clock
  log: EmbedderLog
}

/** The two parts of the time that an answered task took. */
export interface TaskTiming {
  waitMs: number
  workMs: number
}

type Result = EmbeddedPicture & Required<Omit<EmbeddedText, 'isUnknown'>>

/**
 * Encoded bytes of small pictures from which on a process gets no more of them. They reach it as copies, and a whole window of
 * pictures of 9 MB took 70 MB for nothing: two keep both cores busy. The size of the next one does not matter, so that lighter ones
 * never pass it by; larger pictures do not count, so that a slow one holds nobody up.
 */
const SMALL_BYTES_MAX = 16 * 1024 * 1024
/** Large pictures, giants excluded, in one process at a time: two in the decoder, two waiting for the model. */
export const LARGE_MAX = 4
/** For a suspect, which has a process to itself. */
const ANY_PIXELS = Number.MAX_SAFE_INTEGER
/** A process lost for less than this counts as restarting, and searches wait for it. */
const RESTART_MS = 3_000
/** Crashes of its process that a task survives: while in progress without being the proven cause, and while waiting. */
const CRASHES_MAX = 3
const WAITING_CRASHES_MAX = 6

/** A few processes of one kind behind a common queue. */
export class ProcessPool {
  readonly #options: PoolOptions
  readonly #queue: TaskQueue
  readonly #supervisors: ProcessSupervisor[]
  /** A process for suspects only, which runs while there are any. No other task waits behind them. */
  readonly #quarantine: ProcessSupervisor
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
    this.#queue = new TaskQueue(options.queue, options.clock.monotonic)
    const parts = { name, lane, log, isTested: () => this.#wasReady }
    const common: Omit<SupervisorEvents, 'onEnd'> = {
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
      // A silent process had stopped serving earlier.
      if (end.wasReady && !end.isSilent && !this.#isServed) this.#lostAt = options.clock.monotonic()
      this.#afterEnd(end)
    }
    this.#supervisors = Array.from(
      { length: options.lanes },
      () => new ProcessSupervisor(parts, { ...common, onEnd }),
    )
    this.#quarantine = new ProcessSupervisor(
      { ...parts, name: `${name}, quarantine` },
      { ...common, onFailure: () => {}, onEnd: (end) => this.#afterEnd(end) },
    )
    for (const supervisor of this.#supervisors) supervisor.open()
  }

  /** `ready` while a process serves, and briefly after one was lost. */
  get status(): EmbedderStatus {
    if (this.#isServed) return { state: 'ready' }
    const reason = this.#failure
    if (reason !== undefined) return { state: 'failed', reason }
    const isRestarting = this.#options.clock.monotonic() - this.#lostAt < RESTART_MS
    return { state: isRestarting ? 'ready' : 'starting' }
  }

  /** Resolves when the first process is ready or the model has failed. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  /** Ids of the running processes, for operators and tests. */
  get pids(): number[] {
    return [...this.#supervisors, this.#quarantine].flatMap(({ lane }) => (lane ? [lane.pid] : []))
  }

  /** What waits for a process. */
  get figures(): QueueFigures {
    return this.#queue.describe()
  }

  /** Number of tasks that wait for a process. */
  get queued(): number {
    return this.#queue.length
  }

  /** @throws ApiError as `Embedder.embedPicture` does. */
  embed(bytes: Uint8Array, { priority, storeId, ...extras }: PictureOptions): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || (this.#failure !== undefined && !this.#isServed)) throw notReady(this.status)
      const order = this.#entered++
      const task: Task = {
        ...{ ...extras, bytes, priority, storeId, order, resolve, reject },
        ...{ isSuspect: false, crashes: 0, enteredAt: this.#options.clock.monotonic() },
      }
      for (const displaced of this.#queue.enter(task)) {
        this.#stopWaiting(displaced)
        displaced.reject(overloaded('The queue of the model is full, and other stores hold less of it'))
      }
      this.#dispatch()
      this.#limitWait(task)
    })
  }

  /** @throws ApiError as `Embedder.announcePicture` does. */
  announce(bytes: number, { priority, storeId }: PictureOptions): () => void {
    return this.#queue.announce({ bytes, priority, storeId })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#settled.resolve()
    this.#rejectQueue()
    const supervisors = [...this.#supervisors, this.#quarantine]
    await Promise.all(supervisors.map((supervisor) => supervisor.close('the service stops')))
  }

  /** Whether a process is ready and responsive. */
  get #isServed(): boolean {
    return this.#supervisors.some(({ lane }) => lane?.isReady && !lane.isUnresponsive)
  }

  /** Why the model has failed; it has failed only when every supervisor reports a failure. */
  get #failure(): string | undefined {
    const failures = this.#supervisors.map(({ failure }) => failure)
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
    this.#rejectQueue()
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
      if (++task.crashes >= WAITING_CRASHES_MAX) this.#reject(task, notReady(this.status))
      else this.#queue.putBack(task)
    }
    if (this.#failure !== undefined && !this.#isServed) this.#rejectQueue()
    // The remaining processes take over the tasks immediately.
    this.#dispatch()
    for (const task of [...end.begun, ...waiting]) this.#limitWait(task)
  }

  /**
   * Decides about a task that was in progress when its process ended. A known culprit clears the other tasks. Without
   * one, the only task in progress is to blame, unless the process was silent; several tasks each get another try
   * alone.
   */
  #judge(task: Task, { culprit, begun, isSilent, reason }: LaneEnd): void {
    task.crashes++
    const isAlone = begun.length === 1 && !culprit
    if (isAlone && !isSilent) this.#reject(task, this.#options.fatal(reason))
    else if (task.crashes >= CRASHES_MAX) this.#reject(task, notReady(this.status))
    else if (culprit) this.#queue.putBack(task)
    else this.#queue.enterSuspect(task)
  }

  /** Rejects a task that waits longer than `waitMs` for a process. */
  #limitWait(task: Task): void {
    this.#stopWaiting(task)
    if (!this.#queue.has(task)) return
    const giveUp = () => {
      this.#waits.delete(task)
      if (!this.#queue.remove(task)) return
      const isBusy = this.#isServed
      this.#reject(
        task,
        isBusy ? overloaded('The model is busy: the request waited too long') : notReady(this.status),
      )
      this.#dispatch()
    }
    this.#waits.set(task, setTimeout(giveUp, this.#options.waitMs))
  }

  /** Puts a picture that is not small back into the queue until a process may take its size. */
  #resize(task: Task, pixels: number): void {
    if (task.pixels === undefined) {
      task.pixels = pixels
      this.#queue.putBack(task)
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

  #rejectQueue(): void {
    for (const task of this.#queue.takeAll()) this.#reject(task, notReady(this.status))
  }

  #dispatch(): void {
    const serving = this.#supervisors.flatMap(({ lane }) =>
      lane?.isReady && !lane.isUnresponsive ? [lane] : [],
    )
    for (let isSent = true; isSent; ) {
      isSent = false
      for (const lane of serving.toSorted((a, b) => a.load - b.load)) {
        const task = this.#queue.take(this.#createRoomCheck(lane, serving))
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

  /** Runs suspects one by one, once a normal process serves again: a second process would slow its startup. */
  #dispatchSuspect(isServed: boolean): void {
    const { lane, isOpen } = this.#quarantine
    if (!this.#queue.hasSuspects) {
      if (isOpen && !(lane && lane.load > 0)) void this.#quarantine.close('no suspects are left')
    } else if (!isOpen) {
      // An earlier process may still be exiting; its end dispatches again.
      if (isServed && !lane) this.#quarantine.open()
    } else if (lane?.isReady && lane.load === 0) {
      const task = this.#queue.takeSuspect()
      if (task) this.#send(lane, task, ANY_PIXELS)
    }
  }

  /** Creates a test for whether a process may take a task now. */
  #createRoomCheck(
    lane: ProcessLane,
    serving: readonly ProcessLane[],
  ): (task: Task, isDue: boolean) => boolean {
    const { windowMax } = this.#options
    const bySize = { small: 0, large: 0, giant: 0 }
    const smallByWindow = new Map<string, number>()
    let smallBytes = 0
    for (const task of lane.tasks) {
      const size = classifyTask(task)
      const window = toWindowKey(task)
      bySize[size]++
      if (size === 'small') {
        smallBytes += task.bytes.length
        smallByWindow.set(window, (smallByWindow.get(window) ?? 0) + 1)
      }
    }
    const giants = serving.flatMap(({ tasks }) => tasks.filter((task) => classifyTask(task) === 'giant'))
    return (task, isDue) => {
      const size = classifyTask(task)
      if (size === 'giant')
        return bySize.giant === 0 && giants.every(({ storeId }) => storeId !== task.storeId)
      if (size === 'large') return bySize.large < LARGE_MAX
      if (smallBytes >= SMALL_BYTES_MAX) return false
      // A task whose turn it is finds no window that searches do not fill.
      const most = windowMax * (task.priority === 'search' || isDue ? 2 : 1)
      return bySize.small < most && (smallByWindow.get(toWindowKey(task)) ?? 0) < windowMax
    }
  }

  #noteTime({ enteredAt, begunAt }: Task): void {
    const now = this.#options.clock.monotonic()
    const began = begunAt ?? now
    this.#options.onTimed({ waitMs: began - enteredAt, workMs: now - began })
  }

  #answer(task: Task, answer: Extract<EmbedReply, { kind: 'embedded' | 'refused' }>, body: Uint8Array): void {
    this.#noteTime(task)
    if (answer.kind === 'refused') {
      this.#reject(task, new ApiError(answer.code, answer.message, { details: answer.details }))
      return
    }
    const { thumbnailBytes = 0, previewBytes = 0, crop } = answer
    const vectorBytes = body.length - thumbnailBytes - previewBytes
    const dimension = task.isOnlySeen ? 0 : this.#options.dimension
    if (vectorBytes !== dimension * Float32Array.BYTES_PER_ELEMENT) {
      const message = `The model gave ${vectorBytes} bytes instead of ${dimension} numbers`
      this.#reject(task, new ApiError('internal_error', message))
      return
    }
    const vector = new Float32Array(body.slice(0, vectorBytes).buffer)
    const previewAt = vectorBytes + thumbnailBytes
    const extras = {
      ...(thumbnailBytes > 0 && { thumbnail: body.slice(vectorBytes, previewAt) }),
      ...(previewBytes > 0 && { preview: body.slice(previewAt) }),
      ...(crop && { crop }),
    }
    this.#queue.release(task)
    const { isTruncated = false, facts = NO_FACTS } = answer
    const { unknownShare = 0, unknownWords = [], doubtfulWords = [], words = 0 } = answer
    const knowledge = { unknownShare, unknownWords, doubtfulWords, words }
    task.resolve({ vector, facts, isTruncated, ...knowledge, ...extras })
  }

  #reject(task: Task, error: ApiError): void {
    this.#stopWaiting(task)
    this.#queue.release(task)
    task.reject(error)
  }
}

/** Texts and pictures that no process has measured yet count as small. */
const classifyTask = ({ pixels = 0 }: Task) => classifySize(pixels)

const toWindowKey = ({ priority, storeId }: Task): string => `${priority} ${storeId}`

/** Placeholder for the facts of a text, which `Embedder.embedText` drops. */
const NO_FACTS = { width: 0, height: 0, contentType: '', phash: '', palette: [], object: null }

function notReady(status: EmbedderStatus): ApiError {
  const hint =
    status.state === 'failed' ? 'The model has failed; see /health/ready' : 'The model is still starting'
  return new ApiError('model_not_ready', hint, { retryAfterSeconds: 2 })
}
