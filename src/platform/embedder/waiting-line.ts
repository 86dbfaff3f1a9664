import { ApiError } from '../../core/errors.ts'
import type { EmbeddedPicture, EmbeddedText, EmbedPriority } from './embedder.ts'

/** A picture or a text on its way through a process. */
export interface Task {
  /** The encoded picture, or the text as UTF-8. */
  readonly bytes: Uint8Array
  readonly priority: EmbedPriority
  /** Whose it is: stores take turns. */
  readonly storeId: string
  /** Its place among all that ever came. */
  readonly order: number
  /** Its work in pixels, once a process has found it to be more than a small picture. */
  pixels?: number
  /** Was being worked on in a process that died: tried again, alone, to learn whether it was the cause. */
  isSuspect: boolean
  /** How often a process has died with it. */
  deaths: number
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

interface Held {
  tasks: number
  bytes: number
  /** The turn in which the store was served last. */
  turn: number
}

/**
 * The bounded line before the processes of one kind: searches first, then indexing, and of each the store that was
 * served longest ago. Suspects stand apart.
 */
export class WaitingLine {
  readonly #limits: LineLimits
  readonly #suspects: Task[] = []
  readonly #lines: Record<EmbedPriority, Task[]> = { search: [], index: [] }
  /** By store; one without tasks is forgotten. */
  readonly #held = new Map<string, Held>()
  #tasks = 0
  #bytes = 0
  #turn = 0

  constructor(limits: LineLimits) {
    this.#limits = limits
  }

  /** Tasks that wait; those in a process do not count. */
  get length(): number {
    return this.#suspects.length + this.#lines.search.length + this.#lines.index.length
  }

  get hasSuspects(): boolean {
    return this.#suspects.length > 0
  }

  /**
   * Takes a task in. In a full line it takes the place of the newest tasks of a store that holds more.
   *
   * @returns the tasks that had to give way; they are no longer held.
   * @throws ApiError `overloaded` when the line is still full.
   */
  enter(task: Task): Task[] {
    const displaced: Task[] = []
    while (!this.#hasRoom(task, displaced)) {
      const victim = this.#victimOf(task, displaced)
      if (!victim) throw overloaded('The model has too much waiting already')
      displaced.push(victim)
    }
    for (const victim of displaced) {
      this.remove(victim)
      this.leave(victim)
    }
    const held = this.#held.get(task.storeId) ?? { tasks: 0, bytes: 0, turn: 0 }
    this.#held.set(task.storeId, held)
    held.tasks++
    held.bytes += task.bytes.length
    this.#tasks++
    this.#bytes += task.bytes.length
    this.#lines[task.priority].push(task)
    return displaced
  }

  /** Puts a task back that was in a process: behind what came earlier, before what came later. */
  putBack(task: Task): void {
    const line = this.#lineOf(task)
    const at = line.findIndex(({ order }) => order > task.order)
    line.splice(at < 0 ? line.length : at, 0, task)
  }

  enterSuspect(task: Task): void {
    task.isSuspect = true
    this.#suspects.push(task)
  }

  /** The next task, of those that may go. */
  take(mayGo: (task: Task) => boolean): Task | undefined {
    const task = this.#next(this.#lines.search, mayGo) ?? this.#next(this.#lines.index, mayGo)
    if (!task) return undefined
    this.remove(task)
    const held = this.#held.get(task.storeId)
    if (held) held.turn = ++this.#turn
    return task
  }

  has(task: Task): boolean {
    return this.#lineOf(task).includes(task)
  }

  takeSuspect(): Task | undefined {
    return this.#suspects.shift()
  }

  /** Everything that waits; it is taken out, but its room is still held. */
  takeAll(): Task[] {
    return [this.#suspects, this.#lines.search, this.#lines.index].flatMap((line) => line.splice(0))
  }

  /** Takes a task out if it waits. @returns whether it did. */
  remove(task: Task): boolean {
    const line = this.#lineOf(task)
    const at = line.indexOf(task)
    if (at >= 0) line.splice(at, 1)
    return at >= 0
  }

  /** Gives the room of a task back, once it is answered. */
  leave(task: Task): void {
    this.#tasks--
    this.#bytes -= task.bytes.length
    const held = this.#held.get(task.storeId)
    if (!held) return
    held.tasks--
    held.bytes -= task.bytes.length
    if (held.tasks === 0) this.#held.delete(task.storeId)
  }

  #lineOf({ isSuspect, priority }: Task): Task[] {
    return isSuspect ? this.#suspects : this.#lines[priority]
  }

  #next(line: readonly Task[], mayGo: (task: Task) => boolean): Task | undefined {
    const turnOf = ({ storeId }: Task) => this.#held.get(storeId)?.turn ?? 0
    let best: Task | undefined
    for (const task of line) {
      if ((!best || turnOf(task) < turnOf(best)) && mayGo(task)) best = task
    }
    return best
  }

  #hasRoom(task: Task, displaced: readonly Task[]): boolean {
    const share = task.priority === 'index' ? INDEX_SHARE : 1
    const tasks = this.#tasks - displaced.length + 1
    const bytes = this.#bytes - sumOf(displaced) + task.bytes.length
    return tasks <= this.#limits.tasksMax * share && bytes <= this.#limits.bytesMax * share
  }

  /**
   * The newest waiting task of the store that holds most, if that is more than the newcomer's store would hold.
   * Indexing gives way before searches, and to indexing alone no search does.
   */
  #victimOf(newcomer: Task, displaced: readonly Task[]): Task | undefined {
    const weightOf = (storeId: string, change: readonly Task[] = []) => {
      const { tasks, bytes } = this.#held.get(storeId) ?? { tasks: 0, bytes: 0 }
      const gone = displaced.filter((task) => task.storeId === storeId)
      const { tasksMax, bytesMax } = this.#limits
      const tasksThen = tasks - gone.length + change.length
      return Math.max(tasksThen / tasksMax, (bytes - sumOf(gone) + sumOf(change)) / bytesMax)
    }
    const own = weightOf(newcomer.storeId, [newcomer])
    const { index, search } = this.#lines
    for (const line of newcomer.priority === 'index' ? [index] : [index, search]) {
      let victim: Task | undefined
      let heaviest = own
      for (const task of line) {
        const weight = displaced.includes(task) ? 0 : weightOf(task.storeId)
        if (weight <= own || weight < heaviest) continue
        heaviest = weight
        victim = task
      }
      if (victim) return victim
    }
    return undefined
  }
}

const sumOf = (tasks: readonly Task[]): number => tasks.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** What a caller is told whose task is not taken, or waited in vain. */
export const overloaded = (message: string): ApiError =>
  new ApiError('overloaded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
