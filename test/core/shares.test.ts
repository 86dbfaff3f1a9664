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

  test('is left alone where it would not be enough', () => {
    const { all, ended } = full((owner) => owner === 1)
    expect(all.tryTake('late', 4)).toBeUndefined()
    expect([ended, all.held()]).toEqual([[], 20])
  })
})
