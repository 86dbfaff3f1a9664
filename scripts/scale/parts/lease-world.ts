/**
 * A world in which nodes share a lease: virtual time, a network that delays and loses, processes that are paused and killed. The lease is the
 * real one. One seed is one schedule, and gives the same history each time.
 */
import { drainMicrotasks } from 'bun:jsc'
import type { Condition, LeaseContent, LeaseObject } from '../../../src/platform/lease/content.ts'
import type { createLease, Lease } from '../../../src/platform/lease/lease.ts'
import { type Ack, findFaults } from './lease-history.ts'
import { createRandom } from './random.ts'

export type CreateLease = typeof createLease

export interface Outcome {
  seed: number
  /** What must not happen, in words. */
  faults: string[]
  acks: number
  /** How often another process went on with the answers. */
  changes: number
  epoch: number
  /** From the end of the disturbances until somebody acknowledged, in ms. */
  recoveredMs: number
}

interface Process {
  node: Node
  name: string
  isDead: boolean
  isFrozen: boolean
  /** What happened to it while it was frozen. */
  inbox: (() => void)[]
  clock: { monotonic(): number }
}

interface Node {
  name: string
  /** What a copy of the data folder takes along. */
  owner: string
  seat: string
  mayBeFirst: boolean
  isCut: boolean
  process: Process | undefined
}

/** As `platform/litestream/place.ts` has it for the lease. */
const DEADLINE_MS = 3_000
const DISTURBED_MS = 150_000
const HOUR_MS = 3_600_000
/** One schedule of so many has the store away for an hour. */
const LONG_SHARE = 50
const RECOVERY_MS = 30_000
const CALM_MS = 45_000
/** As `commands/standby/waiting.ts` has them. */
const LOOK_MS = 1_000
const PAUSE_MS = 10_000

export function runSchedule(seed: number, create: CreateLease): Outcome {
  const numbers = createRandom(seed)
  const random = (): number => numbers.below(2 ** 32) / 2 ** 32
  const between = (least: number, most: number): number => least + random() * (most - least)
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const events = createEvents()
  const acks: Ack[] = []
  let kept: { etag: string; text: string } | undefined
  let [writes, made, lastEpoch] = [0, 0, 0]
  let isAway = false
  let isDisturbed = true
  const lossShare = oneOf([0, 0, 0.05, 0.3])
  const slowShare = oneOf([0, 0.02, 0.2])
  const pauseShare = oneOf([0, 0, 0.05, 0.2])
  const drift = oneOf([0, 0, 0.1])
  const isLong = numbers.below(LONG_SHARE) === 0
  const calmAt = DISTURBED_MS + (isLong ? HOUR_MS : 0)

  /** Something happens to a process: at once, when it is thawed, or never. */
  function deliver(process: Process, happen: () => void): void {
    if (process.isDead) return
    // A pause may come before every step that a process goes on with.
    if (isDisturbed && !process.isFrozen && random() < 0.002) freeze(process, between(500, 40_000))
    if (process.isFrozen) process.inbox.push(happen)
    else {
      happen()
      drainMicrotasks()
    }
  }

  const later = (process: Process, ms: number, work: () => void): (() => void) =>
    events.add(ms, () => deliver(process, work))

  function freeze(process: Process, ms: number): void {
    if (process.isFrozen || process.isDead) return
    process.isFrozen = true
    events.add(ms, () => thaw(process))
  }

  function thaw(process: Process): void {
    process.isFrozen = false
    // Answers and timers that are both due come in any order.
    while (process.inbox.length > 0 && !process.isFrozen) {
      const [happen] = process.inbox.splice(Math.floor(random() * process.inbox.length), 1)
      deliver(process, happen as () => void)
    }
  }

  const takeMs = (): number => (isDisturbed && random() < slowShare ? between(1_000, 20_000) : between(2, 60))
  const isLostOnTheWay = (): boolean => isDisturbed && random() < lossShare

  function call<Result>(process: Process, apply: () => Result, pauses = 0): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const cancel = later(process, DEADLINE_MS, () => reject(new Error('the store did not answer in time')))
    if (process.node.isCut || isLostOnTheWay()) return promise
    const isSentInCalm = !isDisturbed
    events.add(takeMs(), () => {
      // What is still on its way when the disturbances end is one of them, and must not outlive them.
      if (isAway || isSentInCalm === isDisturbed) return
      const result = apply()
      if (process.node.isCut || isLostOnTheWay()) return
      // Between a renewal and its answer a pause does the most harm.
      if (isDisturbed && random() < pauses) freeze(process, between(15_000, 40_000))
      later(process, takeMs(), () => {
        cancel()
        resolve(result)
      })
    })
    return promise
  }

  const openObject = (process: Process): LeaseObject => ({
    get: () => call(process, () => kept),
    put(text, condition) {
      const apply = (): { etag: string } | false => {
        if (!holds(condition, kept?.etag)) return false
        writes++
        kept = { etag: `"${writes}"`, text }
        lastEpoch = Math.max(lastEpoch, (JSON.parse(text) as LeaseContent).epoch)
        return { etag: kept.etag }
      }
      return call(process, apply, pauseShare)
    },
  })

  function start(node: Node): void {
    if (node.process && !node.process.isDead) return
    const rate = 1 + between(-drift, drift)
    const process: Process = {
      ...{ node, name: `${node.name}#${++made}`, isDead: false, isFrozen: false, inbox: [] },
      clock: { monotonic: () => events.now() * rate },
    }
    node.process = process
    const lease = create({
      ...{ object: openObject(process), owner: node.owner, seat: node.seat, clock: process.clock },
      findLastEpoch: () => call(process, () => lastEpoch),
      install: { find: () => 'install', ensure: () => 'install' },
      ids: { uuid: () => `${process.name}.${++made}` },
      log: { warn() {} },
      after: (ms, work) => later(process, ms, work),
    })
    const end = (): void => {
      process.isDead = true
      // As its supervisor does.
      events.add(between(500, 3_000), () => start(node))
    }
    void live(process, lease, end).catch(end)
    drainMicrotasks()
  }

  async function live(process: Process, lease: Lease, end: () => void): Promise<void> {
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => later(process, ms, resolve))
    const claim = await lease.claim(process.node.mayBeFirst)
    if (!claim.isOwner) await waitForTurn(process, lease, sleep)
    lease.onLost(end)
    lease.start()
    for (;;) {
      await sleep(between(20, 400))
      if (!lease.mayAcknowledge()) continue
      const now = { at: events.now(), until: events.now() }
      acks.push({ ...now, process: process.name, owner: process.node.owner, epoch: lease.epoch })
    }
  }

  async function waitForTurn({ clock }: Process, lease: Lease, sleep: (ms: number) => Promise<void>) {
    let takeOverAt = Number.NEGATIVE_INFINITY
    for (;;) {
      try {
        const { isThere, isStill } = await lease.watch()
        if (isThere && isStill && clock.monotonic() >= takeOverAt) {
          // The copy is restored meanwhile.
          await sleep(between(200, 3_000))
          if (await lease.takeOver()) return
        }
      } catch {
        takeOverAt = clock.monotonic() + PAUSE_MS
      }
      await sleep(LOOK_MS)
    }
  }

  const node = (name: string, mayBeFirst: boolean): Node => ({
    ...{
      name,
      owner: name.slice(0, 1),
      seat: `seat of ${name}`,
      mayBeFirst,
      isCut: false,
      process: undefined,
    },
  })
  // The last is a copy of the data folder of the first, which somebody starts elsewhere.
  const nodes = [node('a', true), node('b', false), node('c', random() < 0.5), node('a-copy', true)]
  const [first, , , copy] = nodes as [Node, Node, Node, Node]
  const present = nodes.slice(0, oneOf([2, 3]))

  function kill({ process }: Node): void {
    if (process) process.isDead = true
  }

  const disturbances: ((target: Node) => void)[] = [
    ({ process }) => process && freeze(process, oneOf([between(500, 8_000), between(10_000, 40_000)])),
    ({ process }) => process && freeze(process, between(10_000, 40_000)),
    (target) => {
      target.isCut = true
      events.add(between(1_000, 60_000), () => {
        target.isCut = false
      })
    },
    () => {
      isAway = true
      events.add(oneOf([between(1_000, 30_000), 60_000]), () => {
        isAway = false
      })
    },
    (target) => {
      kill(target)
      events.add(between(500, 40_000), () => start(target))
    },
    // The machine is started anew.
    (target) => {
      kill(target)
      target.seat = `seat ${++made}`
      events.add(between(500, 40_000), () => start(target))
    },
    () => {
      if (!present.includes(copy)) present.push(copy)
      start(copy)
    },
  ]
  for (const each of present) events.add(each === first ? 0 : between(0, 5_000), () => start(each))
  for (let at = between(2_000, 10_000); at < DISTURBED_MS; at += between(500, 15_000))
    events.add(at, () => oneOf(disturbances)(oneOf(present)))
  if (isLong)
    for (let at = DISTURBED_MS; at < calmAt; at += 1_000)
      events.add(at, () => {
        isAway = true
      })
  events.add(calmAt, () => {
    isDisturbed = false
    isAway = false
    for (const each of present) {
      each.isCut = false
      if (each.process?.isFrozen) thaw(each.process)
      start(each)
    }
  })
  events.runUntil(calmAt + CALM_MS)

  const after = acks.find(({ at }) => at >= calmAt)?.at ?? Number.POSITIVE_INFINITY
  const recoveredMs = after - calmAt
  const { faults, changes } = findFaults(acks)
  if (recoveredMs > RECOVERY_MS)
    faults.push(`nobody acknowledged within ${RECOVERY_MS / 1_000} s after the disturbances`)
  return { seed, faults, acks: acks.length, changes, epoch: lastEpoch, recoveredMs }
}

function holds(
  condition: Partial<{ ifMatch: string; ifNoneMatch: '*' }> | Condition,
  etag: string | undefined,
): boolean {
  if ('ifMatch' in condition) return condition.ifMatch === etag
  return !('ifNoneMatch' in condition) || etag === undefined
}

/** Things that happen later, in virtual time. */
function createEvents() {
  const heap: { at: number; order: number; run(): void; isOff: boolean }[] = []
  let [now, order] = [0, 0]
  type Event = (typeof heap)[number]
  const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

  function swap(i: number, j: number): void {
    const [a, b] = [heap[i] as Event, heap[j] as Event]
    heap[i] = b
    heap[j] = a
  }

  function push(event: Event): void {
    heap.push(event)
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1
      if (!isBefore(heap[i] as Event, heap[parent] as Event)) break
      swap(i, parent)
      i = parent
    }
  }

  function pop(): Event | undefined {
    const top = heap[0]
    const last = heap.pop()
    if (!top || !last || heap.length === 0) return top
    heap[0] = last
    for (let i = 0; ; ) {
      let least = i
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < heap.length && isBefore(heap[child] as Event, heap[least] as Event)) least = child
      if (least === i) break
      swap(i, least)
      i = least
    }
    return top
  }

  return {
    now: () => now,
    /** @returns what cancels it. */
    add(ms: number, run: () => void): () => void {
      const event = { at: now + ms, order: ++order, run, isOff: false }
      push(event)
      return () => {
        event.isOff = true
      }
    },
    runUntil(end: number): void {
      for (let next = pop(); next && next.at <= end; next = pop()) {
        now = next.at
        if (next.isOff) continue
        next.run()
        drainMicrotasks()
      }
    },
  }
}
