import { Value } from '@sinclair/typebox/value'
import type { Subprocess } from 'bun'
import { type Frame, FrameReader, frameStart } from './frames.ts'
import { type ChildRequest, EmbedReply } from './messages.ts'
import { lookAtProcess } from './process-look.ts'
import type { Task } from './waiting-line.ts'

export interface LaneOptions {
  command: readonly string[]
  env: Record<string, string>
  /** Longest work on a task, from its beginning; then the process is killed. */
  taskMs: number
  /** A process that has not passed its self-test by then is killed. */
  startMs: number
  /** A ready process that says nothing for so long, though it was asked, is killed. */
  silentMs: number
  /** Resident memory at which the process is killed. */
  memoryBytesMax: number
}

type Answer = Extract<EmbedReply, { kind: 'embedded' | 'refused' }>

/** How a process ended, and with what in it. */
export interface LaneEnd {
  reason: string
  wasReady: boolean
  /** It was stopped or had gone silent: no task has caused that. */
  isSilent: boolean
  /** The task that took too long, if any. */
  culprit: Task | undefined
  /** All others that were being worked on. */
  begun: Task[]
  /** Those that only waited in the process. */
  waiting: Task[]
}

/** What a lane tells its owner. None of these may throw. */
export interface LaneEvents {
  onReady(report: Extract<EmbedReply, { kind: 'ready' }>): void
  /** The process says that the model cannot work; it ends right after. */
  onFailed(reason: string): void
  onAnswer(task: Task, answer: Answer, body: Uint8Array): void
  /** The picture is larger than the process was told to decode. */
  onLarge(task: Task, pixels: number): void
  /** It answers again after it has been {@link ProcessLane.isUnresponsive}. */
  onAlive(): void
  onEnd(end: LaneEnd): void
}

/** The answer to a picture: facts and a vector. */
const REPLY_BYTES_MAX = 64 * 1024
/** A picture of 10 MiB in one write would hold the event loop for 10 ms. */
const WRITE_BYTES = 256 * 1024
/** How often a process is looked at. */
const WATCH_MS = 250
/** A ready process is asked for a sign of life after so long a silence. */
const PING_AFTER_MS = 1_000
/** After so long a silence nothing more is sent to it. An inference keeps a process from answering, too. */
const UNRESPONSIVE_MS = 3_000
/** A process that is stopped for so long is killed; whoever freezes service and processes together freezes this as well. */
const STOPPED_MS = 1_000

/** A process that is starting and sleeps for so long will never be ready: it could not start a thread of its own. */
const ASLEEP_MS = 3_000

interface Entry {
  task: Task
  hasBegun: boolean
  /** Time since it was sent or, once begun, since then. */
  ms: number
}

/**
 * One life of one process: starts it, feeds it, watches its time and memory, and reports its end.
 *
 * All time is counted in looks at the process, so a service that was frozen or starved blames nobody for it.
 */
export class ProcessLane {
  readonly #options: LaneOptions
  readonly #events: LaneEvents
  readonly #process: Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #entries = new Map<number, Entry>()
  readonly #watch: Timer
  #nextId = 0
  #writes: Promise<void> = Promise.resolve()
  #isReady = false
  #isAsked = false
  #startingMs = 0
  #silentMs = 0
  #stoppedMs = 0
  #asleepMs = 0
  #cpuTicks = 0
  #endReason: string | undefined
  #isSilent = false
  #culprit: Task | undefined

  /** @throws Error when no process can be started now, such as for want of file descriptors, memory or process ids. */
  constructor(options: LaneOptions, events: LaneEvents) {
    this.#options = options
    this.#events = events
    this.#process = Bun.spawn([...options.command], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      env: options.env,
    })
    this.#watch = setInterval(() => this.#look(), WATCH_MS)
    void this.#live()
  }

  get pid(): number {
    return this.#process.pid
  }
  get isReady(): boolean {
    return this.#isReady
  }
  /** Said nothing for some seconds; may be at a long inference, stopped or hung. */
  get isUnresponsive(): boolean {
    return this.#silentMs >= UNRESPONSIVE_MS
  }
  /** The tasks in the process. */
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
    this.#write({ kind: 'embed', id, priority: task.priority, pixelsMax }, task.bytes)
  }

  kill(reason: string): void {
    this.#endReason ??= reason
    this.#process.kill('SIGKILL')
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<unknown> {
    return this.#process.exited
  }

  /** A process that dies while we write is reported by its end, not by the write. */
  #write(request: ChildRequest, body: Uint8Array = new Uint8Array()): void {
    const write = async () => {
      const { stdin } = this.#process
      await stdin.write(frameStart(request, body.length))
      for (let at = 0; at < body.length; at += WRITE_BYTES) {
        await stdin.write(body.subarray(at, at + WRITE_BYTES))
        await stdin.flush()
      }
      await stdin.flush()
    }
    this.#writes = this.#writes.then(write).catch(() => undefined)
  }

  async #live(): Promise<void> {
    const reader = new FrameReader(REPLY_BYTES_MAX, (frame) => this.#receive(frame))
    try {
      for await (const chunk of this.#process.stdout) reader.push(chunk)
    } catch (error) {
      this.kill(
        `it sent an answer we cannot read (${error instanceof Error ? error.message : String(error)})`,
      )
    }
    await this.#process.exited
    this.#end()
  }

  #receive({ head, body }: Frame): void {
    const reply = Value.Parse(EmbedReply, head)
    this.#hear()
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
        return
      }
      this.#entries.delete(reply.id)
      if (reply.kind === 'large') this.#events.onLarge(entry.task, reply.pixels)
      else this.#events.onAnswer(entry.task, reply, body)
    }
  }

  #hear(): void {
    const wasUnresponsive = this.isUnresponsive
    this.#isAsked = false
    this.#silentMs = 0
    if (wasUnresponsive) this.#events.onAlive()
  }

  #end(): void {
    clearInterval(this.#watch)
    const { exitCode, signalCode } = this.#process
    const others = [...this.#entries.values()].filter(({ task }) => task !== this.#culprit)
    this.#entries.clear()
    const wasReady = this.#isReady
    this.#isReady = false
    this.#events.onEnd({
      reason: this.#endReason ?? `it ended by itself (${signalCode ?? `exit code ${exitCode}`})`,
      wasReady,
      isSilent: this.#isSilent,
      culprit: this.#culprit,
      begun: others.filter(({ hasBegun }) => hasBegun).map(({ task }) => task),
      waiting: others.filter(({ hasBegun }) => !hasBegun).map(({ task }) => task),
    })
  }

  #look(): void {
    if (this.#endReason !== undefined) return
    const { startMs, memoryBytesMax } = this.#options
    const look = lookAtProcess(this.#process.pid)
    this.#stoppedMs = look?.isStopped ? this.#stoppedMs + WATCH_MS : 0
    if (look && look.residentBytes > memoryBytesMax) this.kill('it used too much memory')
    else if (this.#stoppedMs >= STOPPED_MS) this.#killSilent('it was stopped')
    else if (this.#isReady) this.#lookAtWork()
    else {
      this.#startingMs += WATCH_MS
      this.#asleepMs = look?.isAsleep && look.cpuTicks === this.#cpuTicks ? this.#asleepMs + WATCH_MS : 0
      this.#cpuTicks = look?.cpuTicks ?? 0
      if (this.#asleepMs >= ASLEEP_MS) this.kill('its start hangs')
      else if (this.#startingMs >= startMs) this.kill('it was not ready in time')
    }
  }

  #lookAtWork(): void {
    const { taskMs, silentMs } = this.#options
    this.#silentMs += WATCH_MS
    if (this.#silentMs >= silentMs) this.#killSilent('it no longer answers')
    if (this.#silentMs >= PING_AFTER_MS && !this.#isAsked) {
      this.#isAsked = true
      this.#write({ kind: 'ping' })
    }
    const entries = [...this.#entries.values()]
    for (const entry of entries) entry.ms += WATCH_MS
    const slow = entries.find(({ hasBegun, ms }) => hasBegun && ms > taskMs)
    if (slow) {
      this.#culprit = slow.task
      this.kill(`a task took more than ${taskMs} ms`)
    } else if (!entries.some(({ hasBegun }) => hasBegun) && entries.some(({ ms }) => ms > taskMs)) {
      this.#killSilent('it begins nothing')
    }
  }

  #killSilent(reason: string): void {
    this.#isSilent = true
    this.kill(reason)
  }
}
