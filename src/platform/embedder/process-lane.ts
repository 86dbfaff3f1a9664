import type { Subprocess } from 'bun'
import { untilBeat } from '../../core/beat.ts'
import { systemClock } from '../../core/clock.ts'
import { encodeHead, type Frame, FrameReader } from './ipc-frames.ts'
import { type ChildRequest, type EmbedReply, PREVIEW_BYTES_MAX, readReply } from './messages.ts'
import { countTime, isProcessStopped, type ProcessState, readProcessState } from './process-state.ts'
import type { Task } from './task-queue.ts'

export interface LaneOptions {
  command: readonly string[]
  env: Record<string, string>
  /** Longest processing time of a task, counted from its start; then the process is killed. */
  taskMs: number
  /** A process that has not passed its self-test after this time is killed. */
  startMs: number
  /** A ready process that stays silent for this long despite a ping is killed. */
  silentMs: number
  /** Resident memory at which the process is killed. */
  memoryBytesMax: number
}

type Answer = Extract<EmbedReply, { kind: 'embedded' | 'refused' }>

/** The end of a process, and the tasks it held. */
export interface LaneEnd {
  reason: string
  wasReady: boolean
  /** The process was stopped or had become silent; no task caused its end. */
  isSilent: boolean
  /** The task that took too long, if any. */
  culprit: Task | undefined
  /** The other tasks in progress. */
  begun: Task[]
  /** Tasks that waited in the process. */
  waiting: Task[]
}

/** Callbacks of a lane's owner. None of them may throw. */
export interface LaneEvents {
  onReady(report: Extract<EmbedReply, { kind: 'ready' }>): void
  /** The model does not work; the process ends right after this report. */
  onFailed(reason: string): void
  onAnswer(task: Task, answer: Answer, body: Uint8Array): void
  /** The picture exceeds the `pixelsMax` it was sent with. */
  onLarge(task: Task, pixels: number): void
  /** The process answers again after having been {@link ProcessLane.isUnresponsive}. */
  onAlive(): void
  onEnd(end: LaneEnd): void
}

/** The answer to a picture: a vector, a thumbnail and a preview. */
const REPLY_BYTES_MAX = 128 * 1024 + PREVIEW_BYTES_MAX
/** A picture of 10 MiB in one write would hold the event loop for 10 ms. */
const WRITE_BYTES = 256 * 1024
/** Interval between two checks of a process from which something is expected. */
const WATCH_MS = 250
/** An idle process gets a ping after so many looks, which come a second apart: a dead one is found before it is needed. */
const LOOKS_BEFORE_PING = 60
/** A ready process gets a ping after this silence. */
const PING_AFTER_MS = 1_000
/** A process gets no more tasks after this silence. A long inference also keeps a process from answering. */
const UNRESPONSIVE_MS = 3_000
/** A process stopped for this long is killed. Freezing the service too also freezes this timer. */
const STOPPED_MS = 1_000

/** A process that sleeps this long while starting never becomes ready: it failed to start one of its threads. */
const ASLEEP_MS = 3_000

interface Entry {
  task: Task
  hasBegun: boolean
  /** Time since the task was sent; once it has begun, since then. */
  ms: number
}

/**
 * One process from start to end: starts it, sends it tasks, limits its time and memory, and reports its end.
 *
 * Time is counted in checks of the process, so no task is blamed for time in which the service itself was frozen or
 * starved; nor for time in which others had the processor, for the process goes behind everybody else ({@link countTime}).
 * The checks come close together while the process starts, has tasks, owes an answer to a ping or is stopped. An idle one is
 * only looked at on the beat, and never woken by that.
 */
export class ProcessLane {
  readonly #options: LaneOptions
  readonly #events: LaneEvents
  readonly #process: Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #entries = new Map<number, Entry>()
  #watch: Timer
  #isWatchedClosely = true
  #looks = 0
  #nextId = 0
  #writes: Promise<void> = Promise.resolve()
  #isReady = false
  #isPinged = false
  #startingMs = 0
  #silentMs = 0
  #stoppedMs = 0
  #asleepMs = 0
  /** Undefined where nobody has read them at the last check. */
  #cpuTicks: number | undefined
  #endReason: string | undefined
  #isSilent = false
  #culprit: Task | undefined

  /** @throws Error when no process can start, for example for lack of file descriptors, memory or process ids. */
  constructor(options: LaneOptions, events: LaneEvents) {
    this.#options = options
    this.#events = events
    this.#process = Bun.spawn([...options.command], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      env: options.env,
    })
    this.#watch = setInterval(() => this.#check(), WATCH_MS)
    void this.#run()
  }

  get pid(): number {
    return this.#process.pid
  }
  get isReady(): boolean {
    return this.#isReady
  }
  /** Whether the process has been silent for some seconds: it may run a long inference, be stopped or hang. */
  get isUnresponsive(): boolean {
    return this.#silentMs >= UNRESPONSIVE_MS
  }
  get tasks(): Task[] {
    return Array.from(this.#entries.values(), ({ task }) => task)
  }
  get load(): number {
    return this.#entries.size
  }

  /** @param pixelsMax see `EmbedRequest`. */
  send(task: Task, pixelsMax: number): void {
    const id = this.#nextId++
    this.#entries.set(id, { task, hasBegun: false, ms: 0 })
    this.#watchClosely()
    // Within a process, jobs no longer differ from other indexing.
    const priority = task.priority === 'search' ? 'search' : 'index'
    const { thumbnail, preview, regions, isOnlySeen, crop } = task
    const asked = {
      ...(thumbnail && { thumbnail }),
      ...(preview && { preview }),
      ...(regions && { regions }),
      ...(isOnlySeen && { isOnlySeen }),
      ...(crop && { crop }),
    }
    this.#write({ kind: 'embed', id, priority, pixelsMax, ...asked }, task.bytes)
  }

  kill(reason: string): void {
    this.#endReason ??= reason
    this.#process.kill('SIGKILL')
  }

  /** Resolves when the process has exited. */
  get ended(): Promise<unknown> {
    return this.#process.exited
  }

  /** Ignores a process that dies during the write, since {@link LaneEvents.onEnd} reports it. */
  #write(request: ChildRequest, body: Uint8Array = new Uint8Array()): void {
    const write = async () => {
      const { stdin } = this.#process
      await stdin.write(encodeHead(request, body.length))
      for (let at = 0; at < body.length; at += WRITE_BYTES) {
        await stdin.write(body.subarray(at, at + WRITE_BYTES))
        await stdin.flush()
      }
      await stdin.flush()
    }
    this.#writes = this.#writes.then(write).catch(() => undefined)
  }

  async #run(): Promise<void> {
    const reader = new FrameReader(REPLY_BYTES_MAX, (frame) => this.#receive(frame))
    try {
      for await (const chunk of this.#process.stdout) reader.push(chunk)
    } catch (error) {
      this.kill(`it sent an invalid answer (${error instanceof Error ? error.message : String(error)})`)
    }
    await this.#process.exited
    this.#end()
  }

  #receive({ head, body }: Frame): void {
    const reply = readReply(head)
    this.#noteReply()
    if (reply.kind === 'ready') {
      this.#isReady = true
      this.#events.onReady(reply)
    } else if (reply.kind === 'failed') {
      this.#events.onFailed(reply.reason)
    } else if (reply.kind !== 'pong') {
      const entry = this.#entries.get(reply.id)
      if (!entry) return
      if (reply.kind === 'begun') {
        entry.hasBegun = true
        entry.ms = 0
        entry.task.begunAt = systemClock.monotonic()
        return
      }
      this.#entries.delete(reply.id)
      if (reply.kind === 'large') this.#events.onLarge(entry.task, reply.pixels)
      else this.#events.onAnswer(entry.task, reply, body)
    }
  }

  #noteReply(): void {
    const wasUnresponsive = this.isUnresponsive
    this.#isPinged = false
    this.#silentMs = 0
    if (wasUnresponsive) this.#events.onAlive()
  }

  #end(): void {
    clearTimeout(this.#watch)
    const { exitCode, signalCode } = this.#process
    const others = [...this.#entries.values()].filter(({ task }) => task !== this.#culprit)
    this.#entries.clear()
    const wasReady = this.#isReady
    this.#isReady = false
    this.#events.onEnd({
      reason: this.#endReason ?? `it exited (${signalCode ?? `exit code ${exitCode}`})`,
      wasReady,
      isSilent: this.#isSilent,
      culprit: this.#culprit,
      begun: others.filter(({ hasBegun }) => hasBegun).map(({ task }) => task),
      waiting: others.filter(({ hasBegun }) => !hasBegun).map(({ task }) => task),
    })
  }

  /** Whether the process can only wait for work. */
  get #isIdle(): boolean {
    return this.#isReady && this.#entries.size === 0 && !this.#isPinged && this.#stoppedMs === 0
  }

  #watchClosely(): void {
    if (this.#isWatchedClosely || this.#endReason !== undefined) return
    this.#isWatchedClosely = true
    clearTimeout(this.#watch)
    this.#watch = setInterval(() => this.#check(), WATCH_MS)
  }

  #watchIdle(): void {
    this.#isWatchedClosely = false
    this.#silentMs = 0
    this.#cpuTicks = undefined
    this.#looks = 0
    clearTimeout(this.#watch)
    this.#awaitLook()
  }

  #awaitLook(): void {
    this.#watch = setTimeout(() => this.#look(), untilBeat(systemClock.monotonic()))
  }

  #look(): void {
    this.#looks++
    if (this.#looks >= LOOKS_BEFORE_PING) this.#ping()
    if (this.#isPinged || isProcessStopped(this.#process.pid)) this.#watchClosely()
    else this.#awaitLook()
  }

  #ping(): void {
    this.#isPinged = true
    this.#write({ kind: 'ping' })
  }

  #check(): void {
    if (this.#endReason !== undefined) return
    const { startMs, memoryBytesMax } = this.#options
    const state = readProcessState(this.#process.pid)
    this.#stoppedMs = state?.isStopped ? this.#stoppedMs + WATCH_MS : 0
    if (state && state.residentBytes > memoryBytesMax) this.kill('it used too much memory')
    else if (this.#stoppedMs >= STOPPED_MS) this.#killSilent('it was stopped')
    else if (this.#isIdle) this.#watchIdle()
    else if (this.#isReady) this.#checkTasks(this.#spend(state))
    else {
      this.#startingMs += WATCH_MS
      this.#asleepMs = state?.isAsleep && state.cpuTicks === this.#cpuTicks ? this.#asleepMs + WATCH_MS : 0
      this.#spend(state)
      if (this.#asleepMs >= ASLEEP_MS) this.kill('its startup hangs')
      else if (this.#startingMs >= startMs) this.kill('it was not ready in time')
    }
  }

  /** How much of the time since the last check counts for the process. */
  #spend(state: ProcessState | undefined): number {
    const before = this.#cpuTicks
    this.#cpuTicks = state?.cpuTicks
    if (!state || before === undefined) return WATCH_MS
    return countTime(WATCH_MS, state, state.cpuTicks - before)
  }

  #checkTasks(spentMs: number): void {
    const { taskMs, silentMs } = this.#options
    this.#silentMs += spentMs
    if (this.#silentMs >= silentMs) this.#killSilent('it no longer answers')
    if (this.#silentMs >= PING_AFTER_MS && !this.#isPinged) this.#ping()
    const entries = [...this.#entries.values()]
    for (const entry of entries) entry.ms += spentMs
    const slow = entries.find(({ hasBegun, ms }) => hasBegun && ms > taskMs)
    if (slow) {
      this.#culprit = slow.task
      this.kill(`a task took more than ${taskMs} ms`)
    } else if (!entries.some(({ hasBegun }) => hasBegun) && entries.some(({ ms }) => ms > taskMs)) {
      this.#killSilent('it starts no task')
    }
  }

  #killSilent(reason: string): void {
    this.#isSilent = true
    this.kill(reason)
  }
}
