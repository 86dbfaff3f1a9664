import { describe, expect, test } from 'bun:test'
import { createLease, type LeaseObject } from '../../../src/platform/lease/lease.ts'

/** One object of a store that keeps conditions, and can be away or lose an answer. */
function createStore() {
  let kept: { etag: string; text: string } | undefined
  let writes = 0
  const state = { isAway: false, losesAnswer: false }
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
      return { etag: kept.etag }
    },
  }
  return { object, state }
}

function world() {
  const { object, state } = createStore()
  let now = 0
  let made = 0
  const node = (owner: string) =>
    createLease({
      ...{ object, owner, log: { warn() {} } },
      clock: { monotonic: () => now },
      ids: { uuid: () => `renewal-${++made}` },
    })
  const pass = (ms: number): void => {
    now += ms
  }
  return { node, state, pass }
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
    expect(await standby.watch()).toEqual({ isThere: false, epoch: 0, isStill: false })
    await owner.claim(true)
    expect(await standby.watch()).toEqual({ isThere: true, epoch: 1, isStill: false })
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

test('whatever else lies under that name is refused', async () => {
  const { object } = createStore()
  await object.put('hello', { ifNoneMatch: '*' })
  const lease = createLease({
    ...{ object, owner: 'a', log: { warn() {} } },
    clock: { monotonic: () => 0 },
    ids: { uuid: () => 'one' },
  })
  expect(lease.claim(true)).rejects.toThrow('is no lease')
})
