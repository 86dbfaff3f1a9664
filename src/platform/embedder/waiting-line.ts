import { ApiError } from '../../core/errors.ts'
import type { EmbeddedPicture, EmbeddedText, EmbedPriority } from './embedder.ts'

/** A picture or a text on its way through a process. */
export interface Task {
  /** The encoded picture, or the text as UTF-8. */
  bytes: Uint8Array
  priority: EmbedPriority
  /** Was in a process when it died: sent again, alone, to learn whether it was the cause. */
  isSuspect: boolean
  resolve(result: EmbeddedPicture & Required<EmbeddedText>): void
  reject(error: ApiError): void
}

export interface LineLimits {
  /** Tasks held, those in the processes included. */
  tasksMax: number
  bytesMax: number
}

/** Indexing may fill only this part of a line, so that a bulk job never shuts searches out. */
const INDEX_SHARE = 0.75
/** A line of pictures drains in about this time. */
const RETRY_AFTER_SECONDS = 2

/** The bounded line before the processes of one kind: suspects first, then searches, then indexing. */
export class WaitingLine {
  readonly #limits: LineLimits
  readonly #suspects: Task[] = []
  readonly #lines: Record<EmbedPriority, Task[]> = { search: [], index: [] }
  #tasks = 0
  #bytes = 0

  constructor(limits: LineLimits) {
    this.#limits = limits
  }

  /** Tasks that wait; those in a process do not count. */
  get length(): number {
    return this.#suspects.length + this.#lines.search.length + this.#lines.index.length
  }

  /** @throws ApiError `overloaded` when the line is full. */
  enter(task: Task): void {
    const share = task.priority === 'index' ? INDEX_SHARE : 1
    const { tasksMax, bytesMax } = this.#limits
    if (this.#tasks + 1 > tasksMax * share || this.#bytes + task.bytes.length > bytesMax * share) {
      throw new ApiError('overloaded', 'The model has too much waiting already', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    this.#tasks++
    this.#bytes += task.bytes.length
    this.#lines[task.priority].push(task)
  }

  /** Puts a task whose process died back in front. */
  enterSuspect(task: Task): void {
    this.#suspects.push({ ...task, isSuspect: true })
  }

  /** Whether the next task must have a process to itself. */
  get isSuspectNext(): boolean {
    return this.#suspects.length > 0
  }

  /** Whether a search waits. */
  get isSearchNext(): boolean {
    return this.#lines.search.length > 0
  }

  take(): Task | undefined {
    return this.#suspects.shift() ?? this.#lines.search.shift() ?? this.#lines.index.shift()
  }

  /** Gives the room of a task back, once it is answered. */
  leave(task: Task): void {
    this.#tasks--
    this.#bytes -= task.bytes.length
  }
}
