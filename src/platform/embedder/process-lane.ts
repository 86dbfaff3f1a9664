import { readFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import type { Subprocess } from 'bun'
import { type Frame, FrameReader, frameStart } from './frames.ts'
import { EmbedReply, type EmbedRequest } from './messages.ts'
import type { Task } from './waiting-line.ts'

export interface LaneOptions {
  command: readonly string[]
  env: Record<string, string>
  /** A task still in the process after this time has the process killed. */
  taskMs: number
  /** Resident memory at which the process is killed. */
  memoryBytesMax: number
}

type Answer = Extract<EmbedReply, { kind: 'embedded' | 'refused' }>

/** What a lane tells its pool. */
export interface LaneEvents {
  onReady(report: Extract<EmbedReply, { kind: 'ready' }>): void
  /** The process says that the model cannot work; it ends right after. */
  onFailed(reason: string): void
  onAnswer(task: Task, answer: Answer, body: Uint8Array): void
  /**
   * The process ended. `culprit` is the task that took too long, if any; `tasks` are all others that were in it.
   */
  onEnd(end: { reason: string; wasReady: boolean; culprit: Task | undefined; tasks: Task[] }): void
}

/** The answer to a picture: facts and a vector. */
const REPLY_BYTES_MAX = 64 * 1024
/** A picture of 10 MiB in one write would hold the event loop for 10 ms. */
const WRITE_BYTES = 256 * 1024
const MEMORY_LOOK_MS = 250
const PAGE_BYTES = 4096

/** One life of one process: starts it, feeds it, watches its time and memory, and reports its end. */
export class ProcessLane {
  readonly #options: LaneOptions
  readonly #events: LaneEvents
  readonly #process: Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #tasks = new Map<number, { task: Task; timer: Timer }>()
  readonly #memoryTimer: Timer
  #nextId = 0
  #writes: Promise<void> = Promise.resolve()
  #isReady = false
  #endReason: string | undefined
  #culprit: Task | undefined

  constructor(options: LaneOptions, events: LaneEvents) {
    this.#options = options
    this.#events = events
    this.#process = Bun.spawn([...options.command], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      env: options.env,
    })
    this.#memoryTimer = setInterval(() => this.#lookAtMemory(), MEMORY_LOOK_MS)
    void this.#live()
  }

  get pid(): number {
    return this.#process.pid
  }
  get isReady(): boolean {
    return this.#isReady
  }
  /** Tasks in the process. */
  get load(): number {
    return this.#tasks.size
  }
  /** Whether the process has a suspect to itself. */
  get isExclusive(): boolean {
    for (const { task } of this.#tasks.values()) if (task.isSuspect) return true
    return false
  }

  send(task: Task): void {
    const id = this.#nextId++
    const timer = setTimeout(() => {
      this.#culprit = task
      this.kill(`a task took more than ${this.#options.taskMs} ms`)
    }, this.#options.taskMs)
    this.#tasks.set(id, { task, timer })
    const request: EmbedRequest = { id, priority: task.priority }
    // A process that dies while we write is reported by its end, not by the write.
    this.#writes = this.#writes.then(() => this.#write(request, task.bytes)).catch(() => undefined)
  }

  kill(reason: string): void {
    this.#endReason ??= reason
    this.#process.kill('SIGKILL')
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<unknown> {
    return this.#process.exited
  }

  async #write(request: EmbedRequest, body: Uint8Array): Promise<void> {
    const { stdin } = this.#process
    stdin.write(frameStart(request, body.length))
    for (let at = 0; at < body.length; at += WRITE_BYTES) {
      stdin.write(body.subarray(at, at + WRITE_BYTES))
      await stdin.flush()
    }
    await stdin.flush()
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
    if (reply.kind === 'ready') {
      this.#isReady = true
      this.#events.onReady(reply)
    } else if (reply.kind === 'failed') {
      this.#events.onFailed(reply.reason)
    } else {
      const entry = this.#tasks.get(reply.id)
      if (!entry) return
      clearTimeout(entry.timer)
      this.#tasks.delete(reply.id)
      this.#events.onAnswer(entry.task, reply, body)
    }
  }

  #end(): void {
    clearInterval(this.#memoryTimer)
    const { exitCode, signalCode } = this.#process
    const tasks: Task[] = []
    for (const { task, timer } of this.#tasks.values()) {
      clearTimeout(timer)
      if (task !== this.#culprit) tasks.push(task)
    }
    this.#tasks.clear()
    const wasReady = this.#isReady
    this.#isReady = false
    const reason = this.#endReason ?? `it ended by itself (${signalCode ?? `exit code ${exitCode}`})`
    this.#events.onEnd({ reason, wasReady, culprit: this.#culprit, tasks })
  }

  /** Linux only; elsewhere the wall limit has to do. */
  #lookAtMemory(): void {
    if (process.platform !== 'linux') return
    try {
      const pages = Number(readFileSync(`/proc/${this.#process.pid}/statm`, 'utf8').split(' ')[1])
      if (pages * PAGE_BYTES > this.#options.memoryBytesMax) this.kill('it used too much memory')
    } catch {
      // The process has just ended; its end is on its way.
    }
  }
}
