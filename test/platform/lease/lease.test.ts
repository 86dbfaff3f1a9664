import { describe, expect, test } from 'bun:test'
import { turn } from '../../../src/core/turns.ts'
import type { LeaseObject } from '../../../src/platform/lease/content.ts'
import { createLease } from '../../../src/platform/lease/lease.ts'

/** One object of a store that keeps conditions, and can be away or lose an answer. */
function createStore() {
  let kept: { etag: string; text: string } | undefined
  let writes = 0
  const state = { isAway: false, losesAnswer: false, repeats: false }
  const object: LeaseObject = {
    async get() {
      if (state.isAway) throw new Error('the store was not reached')
      return kept
    },
    async put(text, condition) {
      if (state.isAway) throw new Error('the store was not reached')
      const holds = 'ifMatch' in condition ? kept?.etag === condition.ifMatch : kept === undefined
      if (!holds) return false
      writes++
      kept = { etag: `"${writes}"`, text }
      if (state.losesAnswer) throw new Error('the answer was lost')
      // A client that lost the answer and sent the same again.
      if (state.repeats) {
        state.repeats = false
        return false
      }
      return { etag: kept.etag }
    },
  }
  return { object, state }
}

function world() {
  const { object, state } = createStore()
  let now = 0
  let made = 0
  let lastEpoch = 0
  const timers: (() => void)[] = []
  const node = (owner: string, { seat = `seat of ${owner}`, install = 'one' as string | undefined } = {}) =>
    createLease({
      ...{ object, owner, seat, log: { warn() {} } },
      findLastEpoch: async () => lastEpoch,
      install: { find: () => install, ensure: () => install ?? 'one' },
      clock: { monotonic: () => now },
      ids: { uuid: () => `renewal-${++made}` },
      after(ms, work) {
        timers.push(() => {
          now += ms
          work()
        })
        return () => {}
      },
    })
  /** Lets the time of the next timer come. */
  const runTimer = (): void => timers.shift()?.()
  const copies = (epoch: number): void => {
    lastEpoch = epoch
  }
  const pass = (ms: number): void => {
    now += ms
  }
  return { node, state, pass, runTimer, copies }
}

describe('the owner', () => {
  test('acknowledges for 10 s after its last renewal began', async () => {
    const { node, pass } = world()
    const owner = node('a')
    expect(owner.mayAcknowledge()).toBe(false)
    expect(await owner.claim(true)).toEqual({ isOwner: true })
    expect(owner.epoch).toBe(1)
    pass(9_999)
    expect(owner.mayAcknowledge()).toBe(true)
    pass(1)
    expect(owner.mayAcknowledge()).toBe(false)
    await owner.renew()
    expect(owner.mayAcknowledge()).toBe(true)
  })

  test('is made by COPIES_TO alone, and goes on with its own lease after a restart', async () => {
    const { node } = world()
    expect(await node('b').claim(false)).toEqual({ isOwner: false, isThere: false, epoch: 0 })
    await node('a').claim(true)
    expect(await node('b').claim(true)).toEqual({ isOwner: false, isThere: true, epoch: 1 })
    const again = node('a')
    expect(await again.claim(false)).toEqual({ isOwner: true })
    expect(again.epoch).toBe(1)
  })

  test('keeps its lease when only the answer to a renewal was lost', async () => {
    const { node, state } = world()
    const owner = node('a')
    await owner.claim(true)
    state.losesAnswer = true
    await owner.renew()
    state.losesAnswer = false
    let isLost = false
    owner.onLost(() => {
      isLost = true
    })
    await owner.renew()
    expect(isLost).toBe(false)
    expect(owner.mayAcknowledge()).toBe(true)
  })

  test('acknowledges nothing any more once another node has taken over', async () => {
    const { node, pass } = world()
    const [owner, standby] = [node('a'), node('b')]
    await owner.claim(true)
    let lost = 0
    owner.onLost(() => lost++)
    await standby.watch()
    pass(15_000)
    expect((await standby.watch()).isStill).toBe(true)
    expect(await standby.takeOver()).toBe(true)
    expect(standby.epoch).toBe(2)
    await owner.renew()
    expect(lost).toBe(1)
    expect(owner.mayAcknowledge()).toBe(false)
    expect(await owner.claim(true)).toEqual({ isOwner: false, isThere: true, epoch: 2 })
  })
})

describe('the standby', () => {
  test('waits until the lease has stood still for 15 s', async () => {
    const { node, pass } = world()
    const [owner, standby] = [node('a'), node('b')]
    expect(await standby.watch()).toMatchObject({ isThere: false, isStill: false })
    await owner.claim(true)
    expect(await standby.watch()).toMatchObject({ isThere: true, epoch: 1, isStill: false })
    pass(14_999)
    expect((await standby.watch()).isStill).toBe(false)
    await owner.renew()
    pass(1)
    expect((await standby.watch()).isStill).toBe(false)
    pass(15_000)
    expect((await standby.watch()).isStill).toBe(true)
  })

  test('takes nothing from an owner that is back, nor from a faster standby', async () => {
    const { node, pass } = world()
    const [owner, one, other] = [node('a'), node('b'), node('c')]
    await owner.claim(true)
    await one.watch()
    await other.watch()
    pass(15_000)
    await one.watch()
    await owner.renew()
    expect(await one.takeOver()).toBe(false)
    await one.watch()
    await other.watch()
    pass(15_000)
    expect(await one.takeOver()).toBe(true)
    expect(await other.takeOver()).toBe(false)
  })

  test('gives the owner its time again after the store was away for both', async () => {
    const { node, state, pass } = world()
    const [owner, standby] = [node('a'), node('b')]
    await owner.claim(true)
    await standby.watch()
    state.isAway = true
    pass(60_000)
    await owner.renew()
    expect(standby.watch()).rejects.toThrow('not reached')
    state.isAway = false
    expect((await standby.watch()).isStill).toBe(false)
    await owner.renew()
    expect(owner.mayAcknowledge()).toBe(true)
  })
})

describe('a node of the same name', () => {
  test('in another place watches first, and takes nothing from one that lives', async () => {
    const { node, runTimer } = world()
    const owner = node('a')
    await owner.claim(true)
    const claim = node('a', { seat: 'a copy of the data folder' }).claim(true)
    await turn()
    await owner.renew()
    runTimer()
    expect(await claim).toEqual({ isOwner: false, isThere: true, epoch: 1 })
  })

  test('in another place goes on, in the same epoch, when nothing was renewed for 15 s', async () => {
    const { node, runTimer } = world()
    await node('a').claim(true)
    const again = node('a', { seat: 'after a restart of the machine' })
    const claim = again.claim(true)
    for (let seconds = 0; seconds < 15; seconds++) {
      await turn()
      expect(again.mayAcknowledge()).toBe(false)
      runTimer()
    }
    expect(await claim).toEqual({ isOwner: true })
    expect(again.epoch).toBe(1)
  })

  test('ends the process before it: a write is known by its own word, not by the name', async () => {
    const { node } = world()
    const [former, later] = [node('a'), node('a')]
    await former.claim(true)
    expect(await later.claim(true)).toEqual({ isOwner: true })
    let isLost = false
    former.onLost(() => {
      isLost = true
    })
    await former.renew()
    expect(isLost).toBe(true)
    expect(former.mayAcknowledge()).toBe(false)
    expect(later.mayAcknowledge()).toBe(true)
  })
})

describe('an answer that is lost', () => {
  test('does not hide the first lease, nor one that goes on, from the node that has it', async () => {
    const { node, state } = world()
    state.repeats = true
    expect(await node('a').claim(true)).toEqual({ isOwner: true })
    state.repeats = true
    expect(await node('a').claim(true)).toEqual({ isOwner: true })
  })

  test('does not hide a takeover from the standby', async () => {
    const { node, pass, state } = world()
    const standby = node('b')
    await node('a').claim(true)
    await standby.watch()
    pass(15_000)
    await standby.watch()
    state.losesAnswer = true
    expect(standby.takeOver()).rejects.toThrow('lost')
    await turn()
    state.losesAnswer = false
    expect(standby.mayAcknowledge()).toBe(false)
    // Nobody else acknowledges under a lease that this process has written.
    expect(await standby.watch()).toMatchObject({ isThere: true, epoch: 2, isStill: true })
    expect(await standby.takeOver()).toBe(true)
    expect(standby.mayAcknowledge()).toBe(true)
  })
})

test('epochs go on above those that lie in the bucket when the lease has gone', async () => {
  const { node, copies } = world()
  copies(7)
  const owner = node('a')
  await owner.claim(true)
  expect(owner.epoch).toBe(8)
})

test('the lease of another install is refused, unless the node has no secrets yet', async () => {
  const { node } = world()
  await node('a').claim(true)
  expect(node('b', { install: 'two' }).claim(true)).rejects.toThrow('another install')
  expect(await node('c', { install: undefined }).claim(false)).toMatchObject({
    isOwner: false,
    isThere: true,
  })
})

describe('asking the store', () => {
  test('tells a lease that was taken, although the clock of its owner stood still', async () => {
    let mine = 0
    const { object } = createStore()
    const owner = createLease({ ...frozen(object, () => mine), owner: 'a' })
    const standby = createLease({ ...frozen(object, () => mine), owner: 'b' })
    await owner.claim(true)
    expect(await owner.confirm()).toBe(true)
    await standby.watch()
    mine = 15_000
    await standby.watch()
    await standby.takeOver()
    mine = 0
    expect(owner.mayAcknowledge()).toBe(true)
    expect(await owner.confirm()).toBe(false)
    expect(owner.mayAcknowledge()).toBe(false)
  })

  test('says no while the store is away, and keeps the lease', async () => {
    const { node, state } = world()
    const owner = node('a')
    await owner.claim(true)
    state.isAway = true
    expect(await owner.confirm()).toBe(false)
    state.isAway = false
    expect(await owner.confirm()).toBe(true)
  })
})

/** The other parts of a lease whose time `now` tells. */
let words = 0
const frozen = (object: LeaseObject, now: () => number) => ({
  ...{ object, seat: 'seat', log: { warn() {} } },
  findLastEpoch: async () => 0,
  install: { find: () => 'one', ensure: () => 'one' },
  clock: { monotonic: now },
  ids: { uuid: () => `word-${++words}` },
})

test('whatever else lies under that name is refused', async () => {
  const { object } = createStore()
  await object.put('hello', { ifNoneMatch: '*' })
  const lease = createLease({ ...frozen(object, () => 0), owner: 'a' })
  expect(lease.claim(true)).rejects.toThrow('is no lease')
})
