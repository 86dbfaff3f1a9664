import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EmbedPriority, QueuePriority } from '../../../src/platform/embedder/embedder.ts'
import { type QueueLimits, type Task, TaskQueue } from '../../../src/platform/embedder/task-queue.ts'

let now = 0
const queueOf = (limits: Partial<QueueLimits> = {}) =>
  new TaskQueue({ tasksMax: 8, bytesMax: 1_000_000, ...limits }, () => now)

let order = 0
const taskOf = (storeId: string, priority: QueuePriority = 'search', bytes = 1): Task => ({
  bytes: new Uint8Array(bytes),
  priority,
  storeId,
  order: order++,
  enteredAt: now,
  isSuspect: false,
  crashes: 0,
  resolve() {},
  reject() {},
})

/** Whether a picture may come, without one more being announced. */
function mayCome(queue: TaskQueue, storeId: string, priority: EmbedPriority = 'search', bytes = 1): boolean {
  try {
    queue.announce({ storeId, priority, bytes })()
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'overloaded', extras: { retryAfterSeconds: 2 } })
    return false
  }
}

describe('pictures on their way', () => {
  test('they are refused before they are read when tasks fill the queue', () => {
    const queue = queueOf()
    const tasks = Array.from({ length: 8 }, () => taskOf('a'))
    for (const task of tasks) queue.enter(task)
    expect(mayCome(queue, 'a')).toBe(false)
    queue.remove(tasks[0] as Task)
    queue.release(tasks[0] as Task)
    expect(mayCome(queue, 'a')).toBe(true)
  })

  test('they count among each other, until each one ends', () => {
    const queue = queueOf()
    const ends = Array.from({ length: 8 }, () =>
      queue.announce({ storeId: 'a', priority: 'search', bytes: 1 }),
    )
    expect(mayCome(queue, 'a')).toBe(false)
    ends[3]?.()
    ends[3]?.()
    expect(mayCome(queue, 'a')).toBe(true)
    queue.announce({ storeId: 'a', priority: 'search', bytes: 1 })
    expect(mayCome(queue, 'a')).toBe(false)
  })

  test('they hold no place: a picture that is here enters before one that is late', () => {
    const queue = queueOf()
    for (let n = 0; n < 8; n++) queue.announce({ storeId: 'slow', priority: 'search', bytes: 1 })
    for (let n = 0; n < 8; n++) expect(queue.enter(taskOf('quick'))).toEqual([])
    expect(() => queue.enter(taskOf('quick'))).toThrow('The queue of the model is full')
  })

  test('slow senders keep nobody out for more than a second', () => {
    const queue = queueOf()
    const ends = Array.from({ length: 8 }, () =>
      queue.announce({ storeId: 'a', priority: 'search', bytes: 1 }),
    )
    now += 999
    expect(mayCome(queue, 'a')).toBe(false)
    now += 1
    for (let n = 0; n < 8; n++) queue.announce({ storeId: 'a', priority: 'search', bytes: 1 })
    // The end of a late one takes nobody else out.
    for (const end of ends) end()
    expect(mayCome(queue, 'a')).toBe(false)
  })

  test('slow senders of one store never keep out another', () => {
    const queue = queueOf()
    for (let n = 0; n < 8; n++) queue.announce({ storeId: 'a', priority: 'search', bytes: 1 })
    expect(mayCome(queue, 'a')).toBe(false)
    for (let n = 0; n < 4; n++) queue.announce({ storeId: 'b', priority: 'search', bytes: 1 })
    expect(mayCome(queue, 'c')).toBe(true)
  })

  test('pictures to index may fill three quarters, and make way for no search', () => {
    const queue = queueOf()
    for (let n = 0; n < 6; n++) queue.announce({ storeId: 'a', priority: 'index', bytes: 1 })
    expect(mayCome(queue, 'a', 'index')).toBe(false)
    expect(mayCome(queue, 'a', 'search')).toBe(true)
    const full = queueOf()
    for (let n = 0; n < 8; n++) full.enter(taskOf('a', 'search'))
    expect(mayCome(full, 'b', 'index')).toBe(false)
    expect(mayCome(full, 'b', 'search')).toBe(true)
  })

  test('their announced bytes count', () => {
    const queue = queueOf({ bytesMax: 1_000 })
    const end = queue.announce({ storeId: 'a', priority: 'search', bytes: 900 })
    expect(mayCome(queue, 'a', 'search', 101)).toBe(false)
    expect(mayCome(queue, 'a', 'search', 100)).toBe(true)
    end()
    expect(mayCome(queue, 'a', 'search', 1_000)).toBe(true)
  })

  test('the answer is that of entering, when nothing else is on its way', () => {
    const stores = fc.constantFrom('a', 'b', 'c')
    const priorities = fc.constantFrom<EmbedPriority>('search', 'index')
    const entries = fc.array(fc.tuple(stores, priorities, fc.integer({ min: 1, max: 300 })), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(entries, fc.nat(8), (list, taken) => {
        const queue = queueOf({ bytesMax: 1_000 })
        for (const [n, [storeId, priority, bytes]] of list.entries()) {
          // Some are in a process, where nothing makes way any more.
          if (n === taken) queue.take(() => true)
          const isWelcome = mayCome(queue, storeId, priority, bytes)
          let isTaken = true
          try {
            queue.enter(taskOf(storeId, priority, bytes))
          } catch {
            isTaken = false
          }
          // Making way for many bytes may take more than one store has waiting; that shows only on entering.
          if (isTaken) expect(isWelcome).toBe(true)
          if (!isWelcome) expect(isTaken).toBe(false)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a constant stream of searches', () => {
  /** Takes tasks while as many of each kind as before wait again. @returns how many of each were taken. */
  function takeMany(kinds: readonly QueuePriority[], count: number, isWindowFull = false) {
    const queue = queueOf({ tasksMax: 100 })
    const taken: Record<QueuePriority, number> = { search: 0, index: 0, bulk: 0 }
    for (const kind of kinds) for (let n = 0; n < 4; n++) queue.enter(taskOf('a', kind))
    for (let n = 0; n < count; n++) {
      const mayGo = ({ priority }: Task, isDue: boolean) => priority === 'search' || isDue || !isWindowFull
      const task = queue.take(mayGo)
      if (!task) throw new Error('Nothing was taken')
      queue.release(task)
      queue.enter(taskOf('a', task.priority))
      taken[task.priority]++
    }
    return taken
  }

  test('leaves an upload a place in seventeen, also where searches fill the window', () => {
    for (const isWindowFull of [false, true])
      expect(takeMany(['search', 'index'], 170, isWindowFull)).toEqual({ search: 160, index: 10, bulk: 0 })
  })

  test('leaves a job a place in seventeen, also beside a constant stream of uploads', () => {
    expect(takeMany(['search', 'bulk'], 170, true)).toEqual({ search: 160, index: 0, bulk: 10 })
    expect(takeMany(['index', 'bulk'], 170)).toEqual({ search: 0, index: 160, bulk: 10 })
    const { index, bulk } = takeMany(['search', 'index', 'bulk'], 1_800, true)
    expect([index, bulk]).toEqual([100, 100])
  })

  test('counts from when something waits: a first picture has no turn for the searches before it', () => {
    const queue = queueOf({ tasksMax: 100 })
    const takeNext = () => queue.take(() => true)?.priority
    for (let n = 0; n < 40; n++) queue.enter(taskOf('a'))
    for (let n = 0; n < 20; n++) expect(takeNext()).toBe('search')
    queue.enter(taskOf('a', 'bulk'))
    for (let n = 0; n < 16; n++) expect(takeNext()).toBe('search')
    expect([takeNext(), takeNext()]).toEqual(['bulk', 'search'])
  })
})

test('it tells what waits, by kind, and for how long the oldest has', () => {
  now = 1_000
  const queue = queueOf()
  const old = taskOf('a', 'bulk')
  queue.enter(old)
  now = 3_000
  queue.enter(taskOf('b', 'bulk'))
  queue.enter(taskOf('b', 'search'))
  now = 3_500
  const none = { tasks: 0, oldestMs: 0 }
  expect(queue.describe()).toEqual({
    search: { tasks: 1, oldestMs: 500 },
    index: none,
    bulk: { tasks: 2, oldestMs: 2_500 },
  })
  queue.remove(old)
  expect(queue.describe().bulk).toEqual({ tasks: 1, oldestMs: 500 })
  now = 0
})
