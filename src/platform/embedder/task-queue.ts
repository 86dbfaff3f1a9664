import { ApiError } from '../../core/errors.ts'
import type { EmbeddedPicture, EmbeddedText, PictureExtras, QueuePriority } from './embedder.ts'

/** A picture or text to embed. */
export interface Task extends Readonly<PictureExtras> {
  /** The encoded picture, or the text as UTF-8. */
  readonly bytes: Uint8Array
  readonly priority: QueuePriority
  /** The owner; stores take turns. */
  readonly storeId: string
  /** Sequence number in order of arrival. */
  readonly order: number
  /** Monotonic ms. */
  readonly enteredAt: number
  /** Monotonic ms at which a process last began it. */
  begunAt?: number
  /** Decoding work in pixels, once a process has measured a picture that is not small. */
  pixels?: number
  /** The task was in progress when its process crashed; it runs again alone to find out whether it was the cause. */
  isSuspect: boolean
  /** Number of processes that crashed while they held the task. */
  crashes: number
  resolve(result: EmbeddedPicture & Required<Omit<EmbeddedText, 'isUnknown'>>): void
  reject(error: ApiError): void
}

export interface QueueLimits {
  /** Tasks held, including those in processes. */
  tasksMax: number
  bytesMax: number
}

/** Indexing may fill only a share of a queue, so that it never blocks searches; jobs less, so that they never block uploads. */
const SHARES: Readonly<Record<QueuePriority, number>> = { search: 1, index: 0.75, bulk: 0.5 }

/** What waits in a queue, by kind: how many tasks, and for how long the oldest has waited. */
export type QueueFigures = Record<QueuePriority, { tasks: number; oldestMs: number }>

/** In the order in which tasks are taken. */
const PRIORITIES = ['search', 'index', 'bulk'] as const satisfies readonly QueuePriority[]

/**
 * Tasks of more urgent kinds that pass a waiting one before it is its kind's turn. So a constant stream of searches leaves uploads a
 * place in seventeen, and jobs have one beside both.
 */
const PASSED_MAX = 16

/** A full queue of pictures drains in about this time. */
const RETRY_AFTER_SECONDS = 2

interface Held {
  tasks: number
  bytes: number
  /** Number of the turn in which the store was last served. */
  turn: number
}

/** A picture whose bytes are on their way, as far as it is known before they arrive. */
export interface Announced {
  readonly bytes: number
  readonly priority: QueuePriority
  readonly storeId: string
}

/**
 * How long a picture on its way counts. Nearly all bodies arrive within this time; one that is slow, by accident or on
 * purpose, takes its chance when it is there.
 */
const ANNOUNCED_MS = 1_000

/**
 * The bounded queue of the processes of one kind. Searches come first, then indexing, then jobs; each of the later two gets an
 * occasional turn before the earlier ones. Within each, the store that was served longest ago comes first. Suspects wait in a queue of their own.
 */
export class TaskQueue {
  readonly #limits: QueueLimits
  readonly #suspects: Task[] = []
  readonly #queues: Record<QueuePriority, Task[]> = { search: [], index: [], bulk: [] }
  /** By store; stores without tasks are removed. */
  readonly #held = new Map<string, Held>()
  /** Pictures on their way, in order of their announcement, with the time until which they count. */
  readonly #announced = new Map<Announced, number>()
  /** How many more urgent tasks have gone by since one of the kind was taken or began to wait. */
  readonly #passed: Record<QueuePriority, number> = { search: 0, index: 0, bulk: 0 }
  readonly #now: () => number
  #tasks = 0
  #bytes = 0
  #turn = 0

  /** @param now monotonic time in ms. */
  constructor(limits: QueueLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** What waits, by kind; tasks in a process do not count. */
  describe(): QueueFigures {
    const waiting = [...this.#suspects, ...PRIORITIES.flatMap((name) => this.#queues[name])]
    return Object.fromEntries(
      PRIORITIES.map((name) => {
        const entered = waiting.filter(({ priority }) => priority === name).map(({ enteredAt }) => enteredAt)
        const oldestMs = entered.length === 0 ? 0 : this.#now() - Math.min(...entered)
        return [name, { tasks: entered.length, oldestMs }]
      }),
    ) as QueueFigures
  }

  /** Number of waiting tasks; those in a process do not count. */
  get length(): number {
    return PRIORITIES.reduce((sum, name) => sum + this.#queues[name].length, this.#suspects.length)
  }

  get hasSuspects(): boolean {
    return this.#suspects.length > 0
  }

  /**
   * Adds a task. In a full queue it displaces the newest tasks of a store that holds more.
   *
   * @returns the displaced tasks, which are no longer held.
   * @throws ApiError `overloaded` when the queue is full and no task can be displaced.
   */
  enter(task: Task): Task[] {
    const displaced: Task[] = []
    while (!this.#hasRoom(task, displaced)) {
      const victim = this.#findVictim(task, displaced)
      if (!victim) throw overloaded('The queue of the model is full')
      displaced.push(victim)
    }
    for (const victim of displaced) {
      this.remove(victim)
      this.release(victim)
    }
    const held = this.#held.get(task.storeId) ?? { tasks: 0, bytes: 0, turn: 0 }
    this.#held.set(task.storeId, held)
    held.tasks++
    held.bytes += task.bytes.length
    this.#tasks++
    this.#bytes += task.bytes.length
    this.#queues[task.priority].push(task)
    return displaced
  }

  /**
   * Asks whether a picture would be taken if it were here, before anybody reads it, and counts it among those on their
   * way. It holds no place: only {@link enter} does, so that slow senders keep nobody out.
   *
   * @returns ends the announcement, once the picture is here or will not come; a second call does nothing.
   * @throws ApiError `overloaded` when the queue and the pictures on their way fill it, and no other store holds more.
   */
  announce(picture: Announced): () => void {
    this.#forgetLate()
    const all = [...this.#announced.keys()]
    const tasks = this.#tasks + all.length
    const bytes = this.#bytes + sum(all.map((other) => other.bytes))
    if (!this.#isWithin(picture, tasks, bytes) && !this.#isOutweighed(picture)) {
      throw overloaded('The queue of the model is full')
    }
    // A copy, because nothing keeps a caller from announcing one object twice.
    const own = { ...picture }
    this.#announced.set(own, this.#now() + ANNOUNCED_MS)
    return () => void this.#announced.delete(own)
  }

  /** Puts a task from a process back into the queue, in order of arrival. */
  putBack(task: Task): void {
    const queue = this.#selectQueue(task)
    const at = queue.findIndex(({ order }) => order > task.order)
    queue.splice(at < 0 ? queue.length : at, 0, task)
  }

  enterSuspect(task: Task): void {
    task.isSuspect = true
    this.#suspects.push(task)
  }

  /** Removes and returns the next task that `mayGo` accepts, which learns whether it is the turn of the task's kind. */
  take(mayGo: (task: Task, isDue: boolean) => boolean): Task | undefined {
    const due = PRIORITIES.filter((name) => this.#passed[name] >= PASSED_MAX)
    let task: Task | undefined
    for (const name of due) task ??= this.#findNext(this.#queues[name], (one) => mayGo(one, true))
    for (const name of PRIORITIES) task ??= this.#findNext(this.#queues[name], (one) => mayGo(one, false))
    if (!task) return undefined
    this.#countPassed(task)
    this.remove(task)
    const held = this.#held.get(task.storeId)
    if (held) held.turn = ++this.#turn
    return task
  }

  has(task: Task): boolean {
    return this.#selectQueue(task).includes(task)
  }

  takeSuspect(): Task | undefined {
    return this.#suspects.shift()
  }

  /** Removes and returns all waiting tasks; they count against the queue until {@link release}. */
  takeAll(): Task[] {
    return [this.#suspects, ...PRIORITIES.map((name) => this.#queues[name])].flatMap((queue) =>
      queue.splice(0),
    )
  }

  /** Removes a waiting task. @returns whether it was waiting. */
  remove(task: Task): boolean {
    const queue = this.#selectQueue(task)
    const at = queue.indexOf(task)
    if (at >= 0) queue.splice(at, 1)
    return at >= 0
  }

  /** Frees the place and bytes of a task after its answer. */
  release(task: Task): void {
    this.#tasks--
    this.#bytes -= task.bytes.length
    const held = this.#held.get(task.storeId)
    if (!held) return
    held.tasks--
    held.bytes -= task.bytes.length
    if (held.tasks === 0) this.#held.delete(task.storeId)
  }

  #countPassed({ priority }: Task): void {
    const rank = PRIORITIES.indexOf(priority)
    for (const [n, name] of PRIORITIES.entries()) {
      if (n > rank && this.#queues[name].length > 0) this.#passed[name]++
      else if (n === rank || this.#queues[name].length === 0) this.#passed[name] = 0
    }
  }

  #selectQueue({ isSuspect, priority }: Task): Task[] {
    return isSuspect ? this.#suspects : this.#queues[priority]
  }

  #findNext(queue: readonly Task[], mayGo: (task: Task) => boolean): Task | undefined {
    const findTurn = ({ storeId }: Task) => this.#held.get(storeId)?.turn ?? 0
    let best: Task | undefined
    for (const task of queue) {
      if ((!best || findTurn(task) < findTurn(best)) && mayGo(task)) best = task
    }
    return best
  }

  #hasRoom(task: Task, displaced: readonly Task[]): boolean {
    const { priority, bytes } = task
    const held = this.#bytes - sumBytes(displaced)
    return this.#isWithin({ priority, bytes: bytes.length }, this.#tasks - displaced.length, held)
  }

  /** Whether one more fits beside others. */
  #isWithin(one: Omit<Announced, 'storeId'>, tasks: number, bytes: number): boolean {
    const share = SHARES[one.priority]
    const { tasksMax, bytesMax } = this.#limits
    return tasks + 1 <= tasksMax * share && bytes + one.bytes <= bytesMax * share
  }

  /** Drops the announcements of pictures that are late. All count equally long, so the oldest come first. */
  #forgetLate(): void {
    const now = this.#now()
    for (const [picture, until] of this.#announced) {
      if (until > now) return
      this.#announced.delete(picture)
    }
  }

  /** Whether another store holds more than the picture's would, in what would make way for it: see {@link #findVictim}. */
  #isOutweighed({ storeId, priority, bytes }: Announced): boolean {
    const { tasksMax, bytesMax } = this.#limits
    const weigh = (owner: string, more: readonly number[] = []) => {
      const held = this.#held.get(owner) ?? { tasks: 0, bytes: 0 }
      const coming = [...this.#announced.keys()].filter((other) => other.storeId === owner)
      const sizes = [...coming.map((other) => other.bytes), ...more]
      return Math.max((held.tasks + sizes.length) / tasksMax, (held.bytes + sum(sizes)) / bytesMax)
    }
    const own = weigh(storeId, [bytes])
    const others = [...Object.values(this.#queues).flat(), ...this.#announced.keys()]
      .filter((other) => PRIORITIES.indexOf(other.priority) >= PRIORITIES.indexOf(priority))
      .map((other) => other.storeId)
    return [...new Set(others)].some((owner) => owner !== storeId && weigh(owner) > own)
  }

  /**
   * Finds the newest waiting task of the store that holds most, if it holds more than the newcomer's store would.
   * Tasks of a lower priority are displaced first, and never displace those of a higher one.
   */
  #findVictim(newcomer: Task, displaced: readonly Task[]): Task | undefined {
    const weigh = (storeId: string, change: readonly Task[] = []) => {
      const { tasks, bytes } = this.#held.get(storeId) ?? { tasks: 0, bytes: 0 }
      const gone = displaced.filter((task) => task.storeId === storeId)
      const { tasksMax, bytesMax } = this.#limits
      const tasksThen = tasks - gone.length + change.length
      return Math.max(tasksThen / tasksMax, (bytes - sumBytes(gone) + sumBytes(change)) / bytesMax)
    }
    const own = weigh(newcomer.storeId, [newcomer])
    for (const name of PRIORITIES.slice(PRIORITIES.indexOf(newcomer.priority)).toReversed()) {
      const queue = this.#queues[name]
      let victim: Task | undefined
      let heaviest = own
      for (const task of queue) {
        const weight = displaced.includes(task) ? 0 : weigh(task.storeId)
        if (weight <= own || weight < heaviest) continue
        heaviest = weight
        victim = task
      }
      if (victim) return victim
    }
    return undefined
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const sumBytes = (tasks: readonly Task[]): number => sum(tasks.map(({ bytes }) => bytes.length))

/** The error for a task that was not accepted or waited too long. */
export const overloaded = (message: string): ApiError =>
  new ApiError('overloaded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
