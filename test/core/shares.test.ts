import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createShares, type Holding, type ShareLimits } from '../../src/core/shares.ts'

/** 20 in all, 8 for one owner; the first 2 are everybody's, and 8 go beyond them. */
const LIMITS: ShareLimits = { max: 20, perOwnerMax: 8, firstMax: 2, extraMax: 8 }
const shares = (limits: Partial<ShareLimits> = {}) => createShares({ ...LIMITS, ...limits })

/** Takes as often as it is let. @returns how often that was. */
function grab(all: ReturnType<typeof shares>, owner: string): number {
  let count = 0
  while (all.tryTake(owner)) count++
  return count
}

describe('what owners share', () => {
  test('one owner has no more than an owner may', () => {
    expect(grab(shares(), 'a')).toBe(8)
  })

  test('however much two or four owners take, another finds its first ones', () => {
    for (const few of [2, 4]) {
      const all = shares()
      const taken = Array.from({ length: few }, (_, n) => grab(all, `greedy ${n}`))
      expect(taken.reduce((a, b) => a + b)).toBe(few === 2 ? 12 : 16)
      expect(grab(all, 'late')).toBe(2)
    }
  })

  test('all together have no more than there is', () => {
    const all = shares()
    for (let n = 0; n < 30; n++) grab(all, `store ${n}`)
    expect(all.held()).toBe(20)
  })

  test('a ceiling leaves something to others', () => {
    const all = shares()
    expect(all.tryTake('a', 2, { ceiling: 3 })).toBeDefined()
    expect(all.tryTake('b', 2, { ceiling: 3 })).toBeUndefined()
    expect(all.tryTake('b', 2)).toBeDefined()
  })

  test('a ceiling counts only what was taken below one, and all together stay within what there is', () => {
    const all = shares({ perOwnerMax: 20, firstMax: 20 })
    const other = all.tryTake('a', 15) as Holding
    const first = all.tryTake('b', 3, { ceiling: 4 }) as Holding
    expect(all.tryTake('c', 2, { ceiling: 4 })).toBeUndefined()
    expect(all.tryTake('c', 1, { ceiling: 4 })).toBeDefined()
    expect(all.tryTake('c', 2)).toBeUndefined()
    other.release()
    expect(all.tryTake('c', 1, { ceiling: 4 })).toBeUndefined()
    first.shrinkTo(1)
    expect([all.tryTake('c', 2, { ceiling: 4 })?.size, all.held()]).toEqual([2, 4])
  })

  test('what others gave way with, beyond what was needed, is told once it is free', async () => {
    const seen: number[] = []
    const all = createShares(LIMITS, () => void seen.push(all.held()))
    const giant = { isSlow: () => false, isUnderWay: () => true, giveWay: () => {} }
    expect(all.tryTake('a', 8, { yields: giant })).toBeDefined()
    for (const owner of ['b', 'c', 'd', 'e', 'f', 'g']) expect(all.tryTake(owner, 2)).toBeDefined()
    expect(all.tryTake('late', 1)).toBeDefined()
    expect(seen).toEqual([])
    await Promise.resolve()
    expect(seen).toEqual([13])
  })

  test('what is returned can be taken again, and is told once', () => {
    let told = 0
    const all = createShares(LIMITS, () => told++)
    const held = all.tryTake('a', 8) as Holding
    held.shrinkTo(3)
    held.shrinkTo(5)
    expect([held.size, all.held('a'), told]).toEqual([3, 3, 1])
    held.release()
    held.release()
    expect([all.held(), told]).toEqual([0, 2])
    expect(grab(all, 'b')).toBe(8)
  })

  test('whatever is taken and returned, the counts add up', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), size: fc.nat(4), back: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const all = shares()
        const held: { owner: string; holding: Holding }[] = []
        for (const { owner, size, back } of steps) {
          if (back) held.pop()?.holding.release()
          else {
            const holding = all.tryTake(owner, size)
            if (holding) held.push({ owner, holding })
          }
          const sum = (owners: string[]) =>
            held.reduce((total, one) => total + (owners.includes(one.owner) ? one.holding.size : 0), 0)
          expect([all.held('a'), all.held()]).toEqual([sum(['a']), sum(['a', 'b', 'c'])])
          expect(all.held()).toBeLessThanOrEqual(LIMITS.max)
        }
        for (const { holding } of held) holding.release()
        expect([all.held(), grab(all, 'd')]).toEqual([0, 8])
      }),
    )
  })
})

describe('a holder that gives way', () => {
  /** Fills all places with one holder of each of ten owners that have two. */
  function full(isSlow: (owner: number) => boolean) {
    const all = shares()
    const ended: number[] = []
    for (let n = 0; n < 10; n++) {
      all.tryTake(`store ${n}`, 2, { yields: { isSlow: () => isSlow(n), giveWay: () => void ended.push(n) } })
    }
    return { all, ended }
  }

  test('is a slow one, and only as many end as are needed', () => {
    const { all, ended } = full((owner) => owner >= 5)
    expect(all.tryTake('late')).toBeDefined()
    expect(ended).toEqual([5])
    expect([all.held(), all.held('store 5')]).toEqual([19, 0])
  })

  test('is never one that keeps its pace', () => {
    const { all, ended } = full(() => false)
    expect(all.tryTake('late')).toBeUndefined()
    expect([ended, all.held()]).toEqual([[], 20])
  })

  test('gives way to nobody who holds as much', () => {
    const { all, ended } = full(() => true)
    expect(all.tryTake('store 3')).toBeUndefined()
    expect(ended).toEqual([])
  })

  test('is one that is counted below the ceiling, where only that is in the way', () => {
    const all = shares()
    const ended: string[] = []
    const yields = (name: string) => ({ isSlow: () => true, giveWay: () => void ended.push(name) })
    all.tryTake('a', 8, { yields: yields('not counted') })
    all.tryTake('b', 4, { ceiling: 4, yields: yields('counted') })
    expect(all.tryTake('late', 2, { ceiling: 4 })).toBeDefined()
    expect([ended, all.held()]).toEqual([['counted'], 10])
  })

  test('is left alone where it would not be enough', () => {
    const { all, ended } = full((owner) => owner === 1)
    expect(all.tryTake('late', 4)).toBeUndefined()
    expect([ended, all.held()]).toEqual([[], 20])
  })
})

describe('a holder that is under way, however fast', () => {
  /** 12 in all for what is taken here; greedy owners fill it, each with holders of 2. */
  const CEILING = 12

  function begin(all: ReturnType<typeof shares>, ended: string[]) {
    const taken = new Map<string, Holding>()
    const take = (owner: string, name: string, size = 2, isUnderWay = () => true) => {
      const yields = { isSlow: () => false, isUnderWay, giveWay: () => void ended.push(name) }
      const holding = all.tryTake(owner, size, { ceiling: CEILING, yields })
      if (holding) taken.set(name, holding)
      return holding
    }
    return { take, taken }
  }

  /** Two owners that fill what there is: `a` holds 8, `b` holds 4. */
  function filled(isUnderWay?: () => boolean) {
    const all = shares({ extraMax: 18 })
    const ended: string[] = []
    const { take, taken } = begin(all, ended)
    for (const name of ['a1', 'a2', 'a3', 'a4']) take('a', name, 2, isUnderWay)
    for (const name of ['b1', 'b2']) take('b', name, 2, isUnderWay)
    expect([all.held(), ended]).toEqual([CEILING, []])
    return { all, ended, take, taken }
  }

  test('gives way to the first share of another: the newest of the owner with most', () => {
    const { all, ended, take } = filled()
    expect(take('late', 'late')).toBeDefined()
    expect(ended).toEqual(['a4'])
    expect([all.held('a'), all.held('b'), all.held('late'), all.held()]).toEqual([6, 4, 2, CEILING])
  })

  test('gives way to the first shares of as many owners as there is space for, and keeps its own', () => {
    const { all, ended, take } = filled()
    const late = ['c', 'd', 'e', 'f', 'g'].map((owner) => take(owner, owner) !== undefined)
    expect(late).toEqual([true, true, true, true, false])
    expect([all.held('a'), all.held('b'), all.held()]).toEqual([2, 2, CEILING])
    expect(ended.toSorted()).toEqual(['a2', 'a3', 'a4', 'b2'])
  })

  test('gives way to nothing beyond a first share', () => {
    const { ended, take } = filled()
    expect(take('late', 'large', 3)).toBeUndefined()
    expect(take('late', 'first')).toBeDefined()
    expect(take('late', 'second')).toBeUndefined()
    expect(ended).toEqual(['a4'])
  })

  test('stays once it can no longer be ended, and so does everybody where it would not be enough', () => {
    const { all, ended, take } = filled(() => false)
    expect(take('late', 'late')).toBeUndefined()
    expect([ended, all.held()]).toEqual([[], CEILING])
  })

  test('holds nothing afterwards, and returns nothing twice', () => {
    const { all, take, taken } = filled()
    take('late', 'late')
    taken.get('a4')?.release()
    expect([taken.get('a4')?.size, all.held('a'), all.held()]).toEqual([0, 6, CEILING])
  })

  test('whoever takes, at whatever pace: within the ceiling, and a first share is refused for first shares alone', () => {
    const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const step = fc.record({ owner: fc.constantFrom(...owners), back: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const all = shares({ extraMax: 18 })
        const { take, taken } = begin(all, [])
        for (const [n, { owner, back }] of steps.entries()) {
          if (back) {
            const [name] = taken.keys()
            if (name) taken.get(name)?.release()
            if (name) taken.delete(name)
            continue
          }
          const isFirst = all.held(owner) === 0
          const holding = take(owner, String(n))
          expect(all.held()).toBeLessThanOrEqual(CEILING)
          if (isFirst && !holding) {
            expect(owners.filter((one) => all.held(one) > 0).length).toBe(CEILING / LIMITS.firstMax)
          }
        }
      }),
    )
  })
})
